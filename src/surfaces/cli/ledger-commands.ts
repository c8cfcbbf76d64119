import { createReadStream, readFileSync } from 'node:fs'
import { readLines } from '../mcp/stdio-lines.ts'
import { openAtomicFile } from './atomic-file.ts'
import { CommandFailure, UsageError } from './cli-errors.ts'
import { findFlag, type Invocation } from './command.ts'
import type { Extension, OperationCall } from './operation-command.ts'
import { printAnswer, printForPerson, printRefusal } from './output.ts'
import { printable } from './present/printable.ts'

/** A chain of more pages than this has to be exported in parts, with --after-seq and --limit. */
const PAGE_LIMIT = 100_000

/** `ledger export`: a tenant's whole chain as signed lines, page after page; with --json or --limit one page. */
export const ledgerExportExtension: Extension = {
  flags: [{ name: 'out', value: 'PATH', description: 'Write the lines to this file' }],
  async before(invocation) {
    if (!invocation.globals.json || findFlag(invocation, 'out') === undefined) return undefined
    throw new UsageError(
      '--json and --out exclude each other.',
      'Leave out --json: the file holds JSON lines.',
    )
  },
  async act(call) {
    const { invocation, operation } = call
    if (invocation.globals.json) return printAnswer(operation.name, await call.call(), invocation)
    const path = findFlag(invocation, 'out')
    if (path === undefined) return exportPages(call, (text) => invocation.io.stdout.write(text))
    const file = openAtomicFile(path)
    try {
      const code = await exportPages(call, (text) => file.append(text))
      if (code !== 0) return code
      file.commit()
      printForPerson(invocation, `Wrote ${path}. Check it anywhere with \`knowtation ledger verify --file\`.`)
      return 0
    } finally {
      file.close()
    }
  },
}

async function exportPages(call: OperationCall, write: (text: string) => unknown): Promise<number> {
  const { input, invocation } = call
  let answer = await call.call()
  for (let pages = 1; pages <= PAGE_LIMIT; pages++) {
    if (!answer.ok) return printRefusal(answer, invocation)
    const page = JSON.parse(answer.text) as { lines: string[]; next_after_seq: number | null }
    write(page.lines.map((line) => `${line}\n`).join(''))
    if (page.next_after_seq === null || input.limit !== undefined) break
    answer = await call.call({ ...input, after_seq: page.next_after_seq })
  }
  return 0
}

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
