import { createReadStream, readFileSync } from 'node:fs'
import type { ExportReport } from '../../platform/audit/verify-export.ts'
import { readLines } from '../mcp/stdio-lines.ts'
import { CommandFailure } from './cli-errors.ts'
import { findFlag, type Invocation } from './command.ts'
import type { Extension } from './operation-command.ts'
import { printRefusal } from './output.ts'
import { printable } from './present/printable.ts'

type Report = Omit<ExportReport, 'public_key' | 'anchored'> & {
  public_key?: string | null
  anchored?: boolean
}

/** `audit verify`: checks the hub's own log, or with --file an exported one, for which no hub is needed. */
export const auditVerifyExtension: Extension = {
  flags: [
    { name: 'file', value: 'EXPORT', description: 'Check this exported file; no hub is needed' },
    { name: 'public-key', value: 'PEM', description: 'A file with the key that must have signed the export' },
  ],
  async before(invocation) {
    const file = findFlag(invocation, 'file')
    return file === undefined ? undefined : verifyFile(file, invocation)
  },
  async act({ invocation, call }) {
    const answer = await call()
    if (!answer.ok) return printRefusal(answer, invocation)
    return printReport(JSON.parse(answer.text) as Report, answer.text, invocation)
  },
}

async function verifyFile(file: string, invocation: Invocation): Promise<number> {
  const key = findFlag(invocation, 'public-key')
  const { verifyExportLines } = await import('./verify-export-file.ts')
  try {
    const trusted = key === undefined ? undefined : readFileSync(key, 'utf8')
    const lines = readLines(createReadStream(file))
    const report = await verifyExportLines(lines, trusted)
    return printReport(report, JSON.stringify(report), invocation)
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

function printReport(report: Report, text: string, { io, globals }: Invocation): number {
  io.stdout.write(`${globals.json ? text : printable(describe(report))}\n`)
  return report.intact ? 0 : 1
}

function describe({ intact, records, first_seq, last_seq, checkpoints, fault, ...file }: Report): string {
  const range = records > 0 ? `, ${first_seq} to ${last_seq}` : ''
  const counts = `${records} records${range}; ${checkpoints} checkpoints.`
  if (!intact) return `The audit log is not intact: ${fault}\nSound before that: ${counts}`
  const anchor = file.anchored === false ? '\nWhat came before its first record is not vouched for.' : ''
  const signer = file.public_key
    ? `\nSigned by this key; an export made at your hub names the same one:\n${file.public_key.trim()}`
    : ''
  return `The audit log is intact: ${counts}${anchor}${signer}`
}
