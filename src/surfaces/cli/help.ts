import { PACKAGE_VERSION } from '../../platform/basics/package-folder.ts'
import type { Command, Flag, Positional } from './command.ts'
import { GLOBAL_FLAGS } from './globals.ts'
import { wrapped } from './present/text-width.ts'

type Line = readonly [string, string]

/** The help of the whole program, its commands grouped by their first word. */
export function renderProgramHelp(commands: readonly Command[], columns: number): string {
  const groups = Map.groupBy(commands, ({ words }) => words[0] as string)
  const briefly = Number.isFinite(columns) ? briefLine : summaryLine
  const lines = [...groups.values()].map((group) => group.map(briefly))
  const width = Math.max(...lines.flat().map(([usage]) => usage.length))
  const listed = lines.map((group) => renderLines(group, columns, width))
  const about = `knowtation ${PACKAGE_VERSION}: reviewed flows and granted tools for agents, on one recorded path.`
  return [
    wrapped(about, columns).join('\n'),
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
  const others = under.filter((other) => other !== command)
  if (others.length > 0) parts.push(`See also\n${lines(others.map(summaryLine))}`)
  return parts.join('\n\n')
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

function flagLine({ name, aliases, value, description, required }: Flag): Line {
  const short = aliases?.find((alias) => alias.length === 1)
  const spelled = [...(short ? [`-${short}`] : []), `--${name}`].join(', ')
  return [
    `${spelled}${value === undefined ? '' : ` ${value}`}`,
    `${description}${required ? ' (required)' : ''}`,
  ]
}

/** The left column takes no more than this of a terminal, so that the right one has room for a sentence. */
const LEFT_SHARE = 0.4

/** Two columns. On a terminal the right one is broken between words, and begins below a left part that is too long. */
function renderLines(lines: readonly Line[], columns: number, least = 0): string {
  const natural = Math.max(least, ...lines.map(([left]) => left.length))
  const width = Math.min(natural, Math.floor(columns * LEFT_SHARE))
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
