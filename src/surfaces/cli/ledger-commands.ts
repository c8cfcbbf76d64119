import { createReadStream, readFileSync } from 'node:fs'
import { readLines } from '../mcp/stdio-lines.ts'
import { CommandFailure } from './cli-errors.ts'
import { findFlag, type Invocation } from './command.ts'
import { linesExport } from './lines-export.ts'
import type { Extension } from './operation-command.ts'
import { printAnswer } from './output.ts'
import { printable } from './present/printable.ts'

/** `ledger export`: a tenant's whole chain as signed lines. */
export const ledgerExportExtension = linesExport({
  page_limit: 100_000,
  verify_command: 'knowtation ledger verify --file',
})

/** `ledger verify`: checks the chains of a vault, or with --file an exported one, for which no hub is needed. */
export const ledgerVerifyExtension: Extension = {
  flags: [
    { name: 'file', value: 'EXPORT', description: 'Check this exported file; no hub is needed' },
    { name: 'public-key', value: 'PEM', description: 'A file with the key that must have signed the export' },
  ],
  async before(invocation) {
    const file = findFlag(invocation, 'file')
    return file === undefined ? undefined : verifyFile(file, invocation)
  },
  async act({ operation, invocation, call }) {
    const answer = await call()
    const code = printAnswer(operation.name, answer, invocation)
    return code === 0 && !(JSON.parse(answer.text) as { intact: boolean }).intact ? 1 : code
  },
}

async function verifyFile(file: string, invocation: Invocation): Promise<number> {
  const key = findFlag(invocation, 'public-key')
  const { verifyLedgerExport } = await import('../../domains/boundary/ledger/verify-ledger-export.ts')
  try {
    const trusted = key === undefined ? undefined : readFileSync(key, 'utf8')
    const report = await verifyLedgerExport(readLines(createReadStream(file)), trusted)
    const said = report.intact
      ? `The exported ledger is intact: ${report.entries} entries${report.anchored ? ' from the first on' : ''}.`
      : `The exported ledger is not intact: ${report.fault}`
    invocation.io.stdout.write(`${invocation.globals.json ? JSON.stringify(report) : printable(said)}\n`)
    return report.intact ? 0 : 1
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
