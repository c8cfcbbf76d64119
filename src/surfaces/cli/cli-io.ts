import type { Readable, Writable } from 'node:stream'

/** The streams of one command and what is known about who reads them. */
export interface CliIo {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  /** Whether a person reads stdout directly. */
  readonly isTerminal: boolean
  /** Whether a person reads stderr directly: only then progress is shown. */
  readonly isErrorTerminal: boolean
  /** The width of the terminal; what is not a terminal has none. */
  readonly columns: number
}

const DEFAULT_COLUMNS = 80

/** The process's own streams. A reader that goes away early, such as `head`, ends the program quietly. */
export function processIo(): CliIo {
  const { stdout, stderr } = process
  for (const stream of [stdout, stderr]) stream.on('error', leaveQuietly)
  const isTerminal = stdout.isTTY === true
  return {
    // Opened at first use: most commands never read it.
    get stdin() {
      return process.stdin
    },
    stdout,
    stderr,
    isTerminal,
    isErrorTerminal: stderr.isTTY === true,
    columns: isTerminal ? stdout.columns || DEFAULT_COLUMNS : Number.POSITIVE_INFINITY,
  }
}

function leaveQuietly(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
}
