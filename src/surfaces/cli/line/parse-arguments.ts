import { parseArgs } from 'node:util'
import { UsageError } from '../cli-errors.ts'
import type { Flag } from '../command.ts'
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
  const tokens = tokensOf(argv, known)
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (token.kind === 'positional') parsed.positionals.push(token.value)
    // A negative number is no flag. It may have been split into letters.
    else if (/^-\d/.test(argv[token.index] ?? '')) {
      parsed.positionals.push(argv[token.index] as string)
      while (tokens[at + 1]?.index === token.index) at++
    } else if (token.kind === 'option') {
      checkDashes(argv[token.index] as string, token, known, help)
      at += readFlag(token, tokens[at + 1], known, help, parsed.flags)
    }
  }
  return parsed
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]
type FlagToken = Extract<Token, { kind: 'option' }>

/** Node's own reading of the line. What is unknown or lacks its value is refused here, with a hint. */
function tokensOf(argv: readonly string[], known: readonly Flag[]): readonly Token[] {
  const spellings = known.flatMap(({ name, aliases = [], value }) =>
    [name, ...aliases].map(
      (spelling) => ({ spelling, type: value === undefined ? 'boolean' : 'string' }) as const,
    ),
  )
  const options = Object.fromEntries(
    spellings.map(({ spelling, type }) => [
      spelling,
      { type, ...(spelling.length === 1 && { short: spelling }) },
    ]),
  )
  return parseArgs({ args: [...argv], options, strict: false, tokens: true, allowPositionals: true }).tokens
}

/** A word behind one dash would be read as letters. Where the first is no flag, the word was meant. */
function checkDashes(typed: string, { rawName }: FlagToken, known: readonly Flag[], help: string): void {
  const word = /^-([a-z][\w-]+)/i.exec(typed)?.[1]
  if (word === undefined || known.some((flag) => spellingsOf(flag).includes(rawName))) return
  requireFlag(`--${word}`, known, help)
  throw new UsageError(`There is no flag -${word}.`, `Did you mean --${word}? ${help}`)
}

/** Notes one flag and answers how many further tokens it used up. */
function readFlag(
  { rawName, value: given, inlineValue: isInline }: FlagToken,
  next: Token | undefined,
  known: readonly Flag[],
  help: string,
  flags: Map<string, string[]>,
): number {
  const { flag, negated } = requireFlag(rawName, known, help)
  const note = (text: string) => flags.set(flag.name, [...(flags.get(flag.name) ?? []), text])
  if (flag.value === undefined) {
    const word = given === undefined && !negated && next?.kind === 'positional' ? next.value : undefined
    const isNext = word === 'true' || word === 'false'
    note(readSwitch(rawName, isNext ? word : given, negated, help))
    return isNext ? 1 : 0
  }
  if (given === undefined || (!isInline && given.startsWith('--')))
    throw new UsageError(`${rawName} needs a value.`, help)
  note(given)
  return 0
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

/** How a flag may be typed. */
export function spellingsOf(flag: Flag): string[] {
  return [flag.name, ...(flag.aliases ?? [])].map((name) => (name.length === 1 ? `-${name}` : `--${name}`))
}
