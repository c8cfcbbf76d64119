import type { AuditVerifyOutput } from '../../../../domains/admin/audit-verify.ts'
import type { EndsReport } from '../../../../platform/audit/sent-ends/compare-ends.ts'
import type { ChainReport } from '../../../../platform/audit/verify-chain.ts'
import type { ExportReport } from '../../../../platform/audit/verify-export.ts'
import { counted } from '../../../../platform/basics/printable.ts'
import { findFlag } from '../../command.ts'
import { readAnswer } from '../../hub/parse-answer.ts'
import type { Extension } from '../../operation-command.ts'
import { printRefusal } from '../../output/output.ts'
import { linesVerify, printReport } from './lines-verify.ts'

const ENDS_FLAGS = [
  {
    name: 'ends',
    value: 'FILE',
    description: 'Hold the log against the ends in this file; on the home itself',
  },
  {
    name: 'time-stamp-ca',
    value: 'PEM',
    description: 'A file with the certificate of the time-stamp authority; goes with --ends',
  },
]

const verifying = linesVerify<Report>({
  verify: async (lines, trusted_public_key) =>
    (await import('./verify-export-file.ts')).verifyExportLines(lines, trusted_public_key),
  describe,
})

type Report = Omit<ExportReport, 'public_key' | 'anchored'> & {
  public_key?: string | null
  anchored?: boolean
  pruned?: ChainReport['pruned']
  ends?: EndsReport | null
}

/** `audit verify`: checks the hub's own log, with --ends against ends that were sent; or with --file an exported one. */
export const auditVerifyExtension: Extension = {
  flags: [...verifying.flags, ...ENDS_FLAGS],
  async before(invocation) {
    if (findFlag(invocation, 'ends') === undefined) return verifying.before?.(invocation)
    const report = await (await import('./verify-ends.ts')).verifyEnds(invocation)
    return printReport(report, JSON.stringify(report), describe, invocation)
  },
  async act({ invocation, call }) {
    const answer = await call()
    if (!answer.ok) return printRefusal(answer, invocation)
    return printReport(readAnswer<typeof AuditVerifyOutput>(answer), answer.text, describe, invocation)
  },
}

/** Retention takes records away, and whoever verifies the log should hear of it. */
function pruning({ pruned }: Report): string {
  if (!pruned) return ''
  const { records, last_at, last_records, last_rule } = pruned
  const by = last_rule ? ` by ${last_rule}` : ''
  return `\nRetention has cut off ${counted(records, 'record')}, the last ${last_records} at ${last_at}${by}.`
}

/** What the ends that were sent elsewhere say. */
function sending({ ends }: Report): string {
  if (!ends) return ''
  const { checked, pruned, unreadable, stamped } = ends
  const more = [
    pruned > 0 && `${pruned} lie in what retention has cut off`,
    stamped > 0 && `${counted(stamped, 'time stamp')} checked`,
    unreadable > 0 && `${counted(unreadable, 'line')} cannot be read`,
  ].filter((part) => part !== false)
  return `\nIt has all ${counted(checked, 'end')} that it can still have of those that were sent${more.length > 0 ? ` (${more.join('; ')})` : ''}.`
}

function describe(report: Report): string {
  const { intact, records, first_seq, last_seq, checkpoints, fault, ...file } = report
  const range = records > 0 ? `, ${first_seq} to ${last_seq}` : ''
  const counts = `${counted(records, 'record')}${range}; ${counted(checkpoints, 'checkpoint')}.`
  if (!intact) return `The audit log is not intact: ${fault}\nSound before that: ${counts}`
  const anchor = file.anchored === false ? '\nWhat came before its first record is not vouched for.' : ''
  const signer = file.public_key
    ? `\nSigned by this key; an export made at your hub names the same one:\n${file.public_key.trim()}`
    : ''
  return `The audit log is intact: ${counts}${pruning(report)}${sending(report)}${anchor}${signer}`
}
