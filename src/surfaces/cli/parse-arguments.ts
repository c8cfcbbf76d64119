import { UsageError } from './cli-errors.ts'
import type { Flag } from './command.ts'
import { findNearest } from './nearest.ts'

export interface ParsedArguments {
  readonly positionals: string[]
  readonly flags: Map<string, string[]>
}

/** Splits what was typed into positionals and flags. `--` ends the flags; `--name=value` and `--name value` both count. */
export function parseArguments(
  argv: readonly string[],
  known: readonly Flag[],
  help: string,
): ParsedArguments {
  const parsed: ParsedArguments = { positionals: [], flags: new Map() }
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string
    if (word === '--') {
      parsed.positionals.push(...argv.slice(at + 1))
      break
    }
    if (!isFlag(word)) parsed.positionals.push(word)
    else at += readFlag(word, argv[at + 1], known, help, parsed.flags)
  }
  return parsed
}

function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-' && !/^-\d/.test(word)
}

/** Notes one flag and answers how many further words it used up. */
function readFlag(
  word: string,
  next: string | undefined,
  known: readonly Flag[],
  help: string,
  flags: Map<string, string[]>,
): number {
  const equals = word.indexOf('=')
  const typed = equals < 0 ? word : word.slice(0, equals)
  const given = equals < 0 ? undefined : word.slice(equals + 1)
  const { flag, negated } = requireFlag(typed, known, help)
  const note = (text: string) => flags.set(flag.name, [...(flags.get(flag.name) ?? []), text])
  if (flag.value === undefined) {
    const isNext = given === undefined && !negated && (next === 'true' || next === 'false')
    note(readSwitch(typed, isNext ? next : given, negated, help))
    return isNext ? 1 : 0
  }
  if (given !== undefined) note(given)
  else if (next === undefined || next.startsWith('--')) throw new UsageError(`${typed} needs a value.`, help)
  else note(next)
  return given === undefined ? 1 : 0
}

function readSwitch(typed: string, given: string | undefined, negated: boolean, help: string): string {
  if (negated && given === undefined) return 'false'
  if (given === undefined || given === 'true') return 'true'
  if (given === 'false') return 'false'
  throw new UsageError(`${typed} is on or off; it takes no value.`, help)
}

function requireFlag(typed: string, known: readonly Flag[], help: string): { flag: Flag; negated: boolean } {
  const spelled = (name: string) => known.find((flag) => spellingsOf(flag).includes(name))
  const flag = spelled(typed)
  if (flag) return { flag, negated: false }
  const positive = typed.startsWith('--no-') ? spelled(`--${typed.slice('--no-'.length)}`) : undefined
  if (positive && positive.value === undefined) return { flag: positive, negated: true }
  const nearest = findNearest(typed, known.flatMap(spellingsOf))
  throw new UsageError(`There is no flag ${typed}.`, nearest ? `Did you mean ${nearest}? ${help}` : help)
}

function spellingsOf(flag: Flag): string[] {
  return [flag.name, ...(flag.aliases ?? [])].map((name) => (name.length === 1 ? `-${name}` : `--${name}`))
}
