import type { Command, Flag } from '../command.ts'
import { GLOBAL_FLAGS } from '../line/globals.ts'

/** What can be typed where, read off the commands: each entry is a place and what may stand there. */
export interface CompletionTable {
  /** The words that go on after these words. */
  readonly words: readonly (readonly [place: string, words: readonly string[]])[]
  /** The flags of a command; those of every command are not among them. */
  readonly flags: readonly (readonly [command: string, flags: readonly string[]])[]
  /** The values of a command's flag; none where any text will do. */
  readonly values: readonly (readonly [flag: string, values: readonly string[]])[]
  /** The flags of every command, and which of them take a value. */
  readonly global_flags: readonly string[]
  readonly global_values: readonly string[]
}

/** A placeholder that lists all there is to choose from, such as `json|text`. */
const CHOICES = /^[a-z][\w-]*(\|[a-z][\w-]*)+$/

/** The table of all commands. */
export function completionTable(commands: readonly Command[]): CompletionTable {
  const next = new Map<string, Set<string>>([['', new Set()]])
  for (const { words } of commands) {
    for (const [at, word] of words.entries()) {
      const place = words.slice(0, at).join(' ')
      next.set(place, (next.get(place) ?? new Set()).add(word))
    }
  }
  const valued = commands.flatMap(({ words, flags }) =>
    flags.filter(takesValue).flatMap((flag) => {
      const values = CHOICES.test(flag.value ?? '') ? (flag.value ?? '').split('|') : []
      return spellings(flag).map((name) => [`${words.join(' ')} ${name}`, values] as const)
    }),
  )
  return {
    words: [...next].map(([place, words]) => [place, [...words].toSorted()] as const),
    flags: commands.map(({ words, flags }) => [words.join(' '), flags.flatMap(spellings)] as const),
    values: valued,
    global_flags: GLOBAL_FLAGS.flatMap(spellings),
    global_values: GLOBAL_FLAGS.filter(takesValue).flatMap(spellings),
  }
}

function takesValue({ value }: Flag): boolean {
  return value !== undefined
}

/** A flag as it is completed: nobody needs help with a single letter. */
function spellings({ name, aliases = [] }: Flag): string[] {
  return [name, ...aliases].filter((one) => one.length > 1).map((one) => `--${one}`)
}
