import type { Page } from '../../../operations/present/page.ts'
import type { CliIo } from '../cli-io.ts'
import { USUAL_ADDRESS } from '../hub/hub-place.ts'

/** The page that stdout is. Colour only on a terminal, and never against the reader's wish. */
export function pageOf(io: CliIo, env: NodeJS.ProcessEnv, address = USUAL_ADDRESS): Page {
  const isColoured = io.isTerminal && !env.NO_COLOR && env.TERM !== 'dumb'
  const paint = (on: number, off: number) => (text: string) =>
    isColoured ? `\x1b[${on}m${text}\x1b[${off}m` : text
  return {
    address,
    isTerminal: io.isTerminal,
    columns: io.columns,
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
  }
}
