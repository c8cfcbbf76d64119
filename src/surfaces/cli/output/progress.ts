import type { CliIo } from '../cli-io.ts'

const QUIET_MS = 2_000
const CLEAR_LINE = '\r\x1b[2K'

/** Tells a person at a terminal, after two seconds, that the command is still at work. */
export async function withProgress<Result>(
  io: CliIo,
  what: string,
  act: () => Promise<Result>,
): Promise<Result> {
  if (!io.isErrorTerminal) return act()
  let shown = false
  const timer = setTimeout(() => {
    shown = true
    io.stderr.write(`${what} is still running …`)
  }, QUIET_MS)
  try {
    return await act()
  } finally {
    clearTimeout(timer)
    if (shown) io.stderr.write(CLEAR_LINE)
  }
}
