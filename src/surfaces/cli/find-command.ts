import { UsageError } from './cli-errors.ts'
import type { Command } from './command.ts'
import { GLOBAL_FLAGS } from './line/globals.ts'
import { findNearest } from './line/nearest.ts'
import { spellingsOf } from './line/parse-arguments.ts'
import { fullWord } from './line/word-aliases.ts'

/** The words that lead a command line, and where they stand in it. */
export interface LeadingWords {
  readonly words: readonly string[]
  readonly places: readonly number[]
  /** The flag that they end at, where it is not one of every command. */
  readonly end: string | undefined
}

/** Collects the words before the first flag of a command's own; global flags may stand among them. */
export function leadingWords(argv: readonly string[]): LeadingWords {
  const words: string[] = []
  const places: number[] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string
    if (!word.startsWith('-')) {
      words.push(word)
      places.push(at)
      continue
    }
    const flag = GLOBAL_FLAGS.find(({ name, aliases }) => [name, ...(aliases ?? [])].includes(bareName(word)))
    if (word === '--') break
    if (!flag) return { words, places, end: bareFlag(word) }
    if (flag.value !== undefined && !word.includes('=')) at++
  }
  return { words, places, end: undefined }
}

function bareFlag(word: string): string {
  return word.replace(/=.*$/s, '')
}

function bareName(word: string): string {
  return bareFlag(word).replace(/^--?(no-)?/, '')
}

/** The command with the most words that begin the line. */
export function findCommand(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const fits = (command: Command) =>
    command.words.every((word, at) => word === words[at] || word === fullWord(words[at] ?? ''))
  return commands.filter(fits).toSorted((a, b) => b.words.length - a.words.length)[0]
}

/** The commands that begin with all of these words. */
export function commandsUnder(words: readonly string[], commands: readonly Command[]): Command[] {
  return commands.filter((command) => words.every((word, at) => command.words[at] === word))
}

/** Refuses words that name no command, with what was probably meant. */
export function unknownCommand(words: readonly string[], commands: readonly Command[]): UsageError {
  const typed = words.slice(0, 3).join(' ')
  const names = commands.map((command) => command.words.join(' '))
  const tries = [typed, words.slice(0, 2).join(' '), words[0] ?? '']
  const nearest = tries.map((text) => findNearest(text, names)).find((found) => found !== undefined)
  const help = 'Run `knowtation --help` to see all commands.'
  return new UsageError(
    `There is no command \`knowtation ${typed}\`.`,
    nearest ? `Did you mean \`knowtation ${nearest}\`? ${help}` : help,
  )
}

/** Refuses a flag that stands where no command has been named yet, with where it goes or what was probably meant. */
export function flagTooSoon(typed: string, words: readonly string[], under: readonly Command[]): UsageError {
  const begun = ['knowtation', ...words].join(' ')
  const help = `Run \`${begun} --help\` to see how it goes on.`
  const owner = under.find(({ flags }) => flags.some((flag) => spellingsOf(flag).includes(typed)))
  if (owner) {
    const usage = `knowtation ${owner.words.join(' ')} ${typed}`
    return new UsageError(`${typed} stands before its command.`, `Put it behind, as in \`${usage}\`. ${help}`)
  }
  const known = [...GLOBAL_FLAGS, ...under.flatMap(({ flags }) => flags)].flatMap(spellingsOf)
  const nearest = findNearest(typed, words.length === 0 ? [...known, '--version'] : known)
  return new UsageError(`There is no flag ${typed}.`, nearest ? `Did you mean ${nearest}? ${help}` : help)
}

/** Refuses words that begin a command and are none yet. */
export function unfinishedCommand(words: readonly string[]): UsageError {
  const typed = ['knowtation', ...words].join(' ')
  return new UsageError(
    `\`${typed}\` is not a whole command.`,
    `Run \`${typed} --help\` to see how it goes on.`,
  )
}
