import type { ExportReport } from '../../platform/audit/verify-export.ts'
import { counted } from '../../platform/basics/counted.ts'
import { linesVerify, printReport } from './lines-verify.ts'
import type { Extension } from './operation-command.ts'
import { printRefusal } from './output.ts'

type Report = Omit<ExportReport, 'public_key' | 'anchored'> & {
  public_key?: string | null
  anchored?: boolean
}

/** `audit verify`: checks the hub's own log, or with --file an exported one. */
export const auditVerifyExtension: Extension = {
  ...linesVerify({
    verify: async (lines, trusted_public_key) =>
      (await import('./verify-export-file.ts')).verifyExportLines(lines, trusted_public_key),
    describe,
  }),
  async act({ invocation, call }) {
    const answer = await call()
    if (!answer.ok) return printRefusal(answer, invocation)
    return printReport(JSON.parse(answer.text) as Report, answer.text, describe, invocation)
  },
}

function describe({ intact, records, first_seq, last_seq, checkpoints, fault, ...file }: Report): string {
  const range = records > 0 ? `, ${first_seq} to ${last_seq}` : ''
  const counts = `${counted(records, 'record')}${range}; ${counted(checkpoints, 'checkpoint')}.`
  if (!intact) return `The audit log is not intact: ${fault}\nSound before that: ${counts}`
  const anchor = file.anchored === false ? '\nWhat came before its first record is not vouched for.' : ''
  const signer = file.public_key
    ? `\nSigned by this key; an export made at your hub names the same one:\n${file.public_key.trim()}`
    : ''
  return `The audit log is intact: ${counts}${anchor}${signer}`
}
