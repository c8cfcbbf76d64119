import type { CliIo } from '../cli-io.ts'

/** What a text for a person is laid out on. */
export interface Page {
  /** Whether it goes straight to a terminal. */
  readonly isTerminal: boolean
  /** Characters on a line; unlimited where there is no terminal. */
  readonly columns: number
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

/** The page that stdout is. Colour only on a terminal, and never against the reader's wish. */
export function pageOf(io: CliIo, env: NodeJS.ProcessEnv): Page {
  const isColoured = io.isTerminal && !env.NO_COLOR && env.TERM !== 'dumb'
  const paint = (on: number, off: number) => (text: string) =>
    isColoured ? `\x1b[${on}m${text}\x1b[${off}m` : text
  return {
    isTerminal: io.isTerminal,
    columns: io.columns,
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  }
}
