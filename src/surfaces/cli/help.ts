import { PACKAGE_VERSION } from '../../platform/basics/package-folder.ts'
import type { Command, Flag, Positional } from './command.ts'
import { GLOBAL_FLAGS } from './globals.ts'

type Line = readonly [string, string]

/** The help of the whole program, its commands grouped by their first word. */
export function renderProgramHelp(commands: readonly Command[]): string {
  const groups = Map.groupBy(commands, ({ words }) => words[0] as string)
  const lines = [...groups.values()].flatMap((group) => group.map(summaryLine))
  const width = Math.max(...lines.map(([usage]) => usage.length))
  const listed = [...groups.values()].map((group) => renderLines(group.map(summaryLine), width))
  return [
    `knowtation ${PACKAGE_VERSION}: reviewed flows and granted tools for agents, on one recorded path.`,
    'Usage: knowtation <noun> … <verb> [arguments] [--flags]',
    `Commands\n${listed.join('\n\n')}`,
    `Flags of every command\n${renderLines([...GLOBAL_FLAGS.map(flagLine), ['-V, --version', 'Print the version']])}`,
    'Exit codes: 0 done, 1 refused or failed, 2 wrong usage.',
  ].join('\n\n')
}

/** The help of the commands that share their first words. */
export function renderGroupHelp(words: readonly string[], commands: readonly Command[]): string {
  return [
    `Usage: knowtation ${words.join(' ')} <command> [arguments] [--flags]`,
    `Commands\n${renderLines(commands.map(summaryLine))}`,
    `Run \`knowtation ${words.join(' ')} <command> --help\` for one of them.`,
  ].join('\n\n')
}

/** The help of one command. */
export function renderCommandHelp(command: Command, under: readonly Command[]): string {
  const parts = [command.summary, `Usage: ${usageOf(command)} [--flags]`]
  const arguments_ = command.positionals.map((one): Line => [placeOf(one), one.description])
  if (arguments_.length > 0) parts.push(`Arguments\n${renderLines(arguments_)}`)
  if (command.flags.length > 0) parts.push(`Flags\n${renderLines(command.flags.map(flagLine))}`)
  parts.push(`Flags of every command\n${renderLines(GLOBAL_FLAGS.map(flagLine))}`)
  const others = under.filter((other) => other !== command)
  if (others.length > 0) parts.push(`See also\n${renderLines(others.map(summaryLine))}`)
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

function renderLines(lines: readonly Line[], least = 0): string {
  const width = Math.max(least, ...lines.map(([left]) => left.length))
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join('\n')
}
