import { wrapped } from '../../../operations/present/text-width.ts'
import { PACKAGE_VERSION } from '../../../platform/basics/package-folder.ts'
import type { Command, Flag, Positional } from '../command.ts'
import { GLOBAL_FLAGS } from '../line/globals.ts'
import { exampleOf } from './examples.ts'

type Line = readonly [string, string]

const START: readonly Line[] = [
  ['knowtation quickstart', 'Start the hub, sign in, connect a client'],
  ['knowtation serve', 'Run the hub; it prints where its page is'],
  ['knowtation flow list', 'See the flows that agents may be given'],
  ['knowtation owner login', 'Get a link to sign in with a browser'],
  ['knowtation audit list', 'See who did what'],
  ['knowtation lock all', 'Stop everything at once'],
  ['knowtation doctor', 'See what is on, off or wrong'],
]

const MORE: readonly Line[] = [
  ['knowtation help all', 'Every command, a line each'],
  ['knowtation help flow', 'The commands that begin with a word'],
  ['knowtation flow list --help', 'What one command takes, with an example'],
]

/** The help of the program: where to start, and how to find the rest, on one screen. */
export function renderProgramHelp(commands: readonly Command[], columns: number): string {
  const width = Math.max(...[...START, ...MORE].map(([left]) => left.length))
  const listed = (lines: readonly Line[]) => renderLines(lines, columns, width, 1)
  const first = [...new Set(commands.map(({ words }) => words[0] as string))].join(', ')
  const flags = [...GLOBAL_FLAGS.map(spelledFlag), '-V, --version'].join('; ')
  const flowing = (text: string) => wrapped(text, Math.min(columns, 80)).join('\n')
  return [
    `Start here\n${listed(START)}`,
    `More\n${listed(MORE)}`,
    flowing(`Commands begin with: ${first}.`),
    flowing(`Flags of every command: ${flags}.`),
    `Exit codes: 0 done, 1 refused or failed, 2 wrong usage.     knowtation ${PACKAGE_VERSION}`,
  ].join('\n\n')
}

/** All commands, grouped by their first word. */
export function renderAllCommands(commands: readonly Command[], columns: number): string {
  const groups = Map.groupBy(commands, ({ words }) => words[0] as string)
  const briefly = Number.isFinite(columns) ? briefLine : summaryLine
  const lines = [...groups.values()].map((group) => group.map(briefly))
  const width = Math.max(...lines.flat().map(([usage]) => usage.length))
  const listed = lines.map((group) => renderLines(group, columns, width))
  return [
    'Usage: knowtation <noun> … <verb> [arguments] [--flags]',
    `Commands\n${listed.join('\n\n')}`,
    `Flags of every command\n${renderLines([...GLOBAL_FLAGS.map(flagLine), ['-V, --version', 'Print the version']], columns)}`,
    'Run `knowtation <command> --help` for one of them.\nExit codes: 0 done, 1 refused or failed, 2 wrong usage.',
  ].join('\n\n')
}

/** The help of the commands that share their first words. */
export function renderGroupHelp(
  words: readonly string[],
  commands: readonly Command[],
  columns: number,
): string {
  return [
    `Usage: knowtation ${words.join(' ')} <command> [arguments] [--flags]`,
    `Commands\n${renderLines(commands.map(summaryLine), columns)}`,
    `Run \`knowtation ${words.join(' ')} <command> --help\` for one of them.`,
  ].join('\n\n')
}

/** The help of one command. */
export function renderCommandHelp(command: Command, under: readonly Command[], columns: number): string {
  const lines = (list: readonly Line[]) => renderLines(list, columns)
  const parts = [command.summary, `Usage: ${usageOf(command)} [--flags]`].map((text) =>
    wrapped(text, columns).join('\n  '),
  )
  const arguments_ = command.positionals.map((one): Line => [placeOf(one), one.description])
  if (arguments_.length > 0) parts.push(`Arguments\n${lines(arguments_)}`)
  if (command.flags.length > 0) parts.push(`Flags\n${lines(command.flags.map(flagLine))}`)
  parts.push(`Flags of every command\n${lines(GLOBAL_FLAGS.map(flagLine))}`)
  parts.push(`Example\n  ${continued(exampleOf(command), columns - 4)}`)
  const others = under.filter((other) => other !== command)
  if (others.length > 0) parts.push(`See also\n${lines(others.map(summaryLine))}`)
  return parts.join('\n\n')
}

/** A line for a shell, broken between its words so that it can still be copied. */
function continued(line: string, columns: number): string {
  const [first = '', ...words] = line.match(/'[^']*'|"[^"]*"|[^\s'"]+(?:'[^']*'|"[^"]*")*/g) ?? []
  const lines = [first]
  for (const word of words) {
    const last = lines.at(-1) ?? ''
    if (last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join(' \\\n    ')
}

function usageOf({ words, positionals, flags }: Command): string {
  const needed = flags
    .filter(({ required }) => required)
    .map(({ name, value }) => `--${name} ${value ?? ''}`.trim())
  return ['knowtation', ...words, ...positionals.map(placeOf), ...needed].join(' ')
}

function summaryLine({ words, positionals, summary }: Command): Line {
  return [[...words, ...positionals.map(placeOf)].join(' '), summary]
}

/** For the long list, a terminal gets the first sentence. */
function briefLine(command: Command): Line {
  const [usage, summary] = summaryLine(command)
  return [usage, /^.*?[.:](?= |$)/.exec(summary)?.[0].replace(/:$/, '.') ?? summary]
}

function placeOf({ name, required }: Positional): string {
  return required ? `<${name}>` : `[${name}]`
}

function flagLine(flag: Flag): Line {
  return [spelledFlag(flag), `${flag.description}${flag.required ? ' (required)' : ''}`]
}

function spelledFlag({ name, aliases, value }: Flag): string {
  const short = aliases?.find((alias) => alias.length === 1)
  const spelled = [...(short ? [`-${short}`] : []), `--${name}`].join(', ')
  return `${spelled}${value === undefined ? '' : ` ${value}`}`
}

/** The left column takes no more than this of a terminal, so that the right one has room for a sentence. */
const LEFT_SHARE = 0.4

/** Two columns. On a terminal the right one is broken between words, and begins below a left part that is too long. */
function renderLines(lines: readonly Line[], columns: number, least = 0, share = LEFT_SHARE): string {
  const natural = Math.max(least, ...lines.map(([left]) => left.length))
  const width = Math.min(natural, Math.floor(columns * share))
  const rest = ' '.repeat(width + 4)
  return lines
    .flatMap(([left, right]) => {
      const [first = '', ...more] = wrapped(right, columns - rest.length).map((text) => rest + text)
      const isLong = left.length > width
      const begun = isLong ? [`  ${left}`, first] : [`  ${left.padEnd(width)}  ${first.slice(rest.length)}`]
      return [...begun, ...more].map((line) => line.trimEnd())
    })
    .join('\n')
}
