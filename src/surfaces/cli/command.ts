import type { CliIo } from './cli-io.ts'

/** A `--name` that a command takes. */
export interface Flag {
  readonly name: string
  /** Other spellings of the same flag. */
  readonly aliases?: readonly string[]
  /** What stands for the value in the help; undefined for a flag that is only on or off. */
  readonly value?: string
  readonly description: string
  readonly required?: boolean
  /** Its value may hold what the other flags would say, so none of them is missing then. */
  readonly fillsIn?: boolean
}

export interface Positional {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

/** One thing that can be typed: the words that name it, what it takes, and what it does. */
export interface Command {
  readonly words: readonly string[]
  readonly summary: string
  readonly positionals: readonly Positional[]
  readonly flags: readonly Flag[]
  /** `home`: works on the files of a local home only, so it cannot be sent to a running hub. */
  readonly reach: 'home' | 'hub' | 'nothing'
  /** It may make the home that --home names; for every other command that has to be there. */
  readonly beginsHome?: boolean | undefined
  /** It tells by itself how far it is, so nobody else says that it is still at work. */
  readonly tellsProgress?: boolean | undefined
  /** Answers the exit code; a wrong usage or a failure is thrown. */
  run(invocation: Invocation): Promise<number>
}

/** What every command understands. */
export interface Globals {
  readonly json: boolean
  readonly home: string | undefined
  readonly url: string | undefined
  readonly token: string | undefined
  readonly vault: string | undefined
  /** How the owner shows to be there, where that is not asked at the terminal. */
  readonly proof?: 'stdin' | 'browser' | undefined
}

/** One command as it was typed. */
export interface Invocation {
  readonly command: Command
  readonly positionals: readonly string[]
  /** The texts given for each flag, in order; an on/off flag has `true` or `false`. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  readonly globals: Globals
  readonly env: NodeJS.ProcessEnv
  readonly io: CliIo
}

/** The last text given for a flag. */
export function findFlag(invocation: Invocation, name: string): string | undefined {
  return invocation.flags.get(name)?.at(-1)
}

/** Whether an on/off flag is on. */
export function isFlagOn(invocation: Invocation, name: string): boolean {
  return findFlag(invocation, name) === 'true'
}
