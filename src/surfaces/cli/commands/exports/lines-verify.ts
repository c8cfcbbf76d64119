import { createReadStream, readFileSync } from 'node:fs'
import { printable } from '../../../../platform/basics/printable.ts'
import { readLines } from '../../../mcp/stdio-lines.ts'
import { CommandFailure, UsageError } from '../../cli-errors.ts'
import { findFlag, type Invocation } from '../../command.ts'
import type { Extension } from '../../operation-command.ts'

/** A file of signed lines: what checks it, and what a person is told of it. */
interface LinesVerify<Report> {
  verify(lines: AsyncIterable<string>, trusted_public_key: string | undefined): Promise<Report>
  describe(report: Report): string
}

/** What every command that verifies a chain takes: with --file it checks an exported one, without any hub. */
export function linesVerify<Report extends { intact: boolean }>(
  options: LinesVerify<Report>,
): Pick<Extension, 'flags' | 'before'> {
  return {
    flags: [
      { name: 'file', value: 'EXPORT', description: 'Check this exported file; no hub is needed' },
      {
        name: 'public-key',
        value: 'PEM',
        description: 'A file with the key that must have signed the export; goes with --file',
      },
    ],
    async before(invocation) {
      const file = findFlag(invocation, 'file')
      if (file !== undefined) return verifyFile(file, options, invocation)
      if (findFlag(invocation, 'public-key') === undefined) return undefined
      throw new UsageError(
        '--public-key goes with --file.',
        'Name the exported file that the key has signed.',
      )
    },
  }
}

async function verifyFile<Report extends { intact: boolean }>(
  file: string,
  { verify, describe }: LinesVerify<Report>,
  invocation: Invocation,
): Promise<number> {
  const key = findFlag(invocation, 'public-key')
  try {
    const trusted = key === undefined ? undefined : readFileSync(key, 'utf8')
    const report = await verify(readLines(createReadStream(file)), trusted)
    return printReport(report, JSON.stringify(report), describe, invocation)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new CommandFailure(
      'FILE_NOT_READ',
      `The file cannot be read (${code}).`,
      'Check its path and permissions.',
    )
  }
}

/** Prints what was found; the exit code tells scripts whether the chain is intact. */
export function printReport<Report extends { intact: boolean }>(
  report: Report,
  json: string,
  describe: (report: Report) => string,
  { io, globals }: Invocation,
): number {
  io.stdout.write(`${globals.json ? json : printable(describe(report))}\n`)
  return report.intact ? 0 : 1
}
