import { z } from 'zod'
import { hubOwner } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import type { Hub } from '../../operations/hub.ts'
import { compareEnds, type EndsReport } from '../../platform/audit/sent-ends/compare-ends.ts'
import { linesOf } from '../../platform/audit/sent-ends/ends-file.ts'
import { readCertificates } from '../../platform/audit/sent-ends/send-ends.ts'
import { verifyChain } from '../../platform/audit/verify-chain.ts'

const EndsReportWire = z.strictObject({
  checked: z.int().describe('Ends that the log still has, as they were sent'),
  pruned: z.int().describe('Ends in what retention has cut off'),
  unreadable: z.int().describe('Lines of the file that are none'),
  stamped: z.int().describe('Ends whose time stamp was checked'),
  fault: z.string().nullable(),
})

export const AuditVerifyOutput = z.strictObject({
  schema: z.literal('knowtation.audit_verify/v0'),
  intact: z.boolean(),
  records: z.int(),
  first_seq: z.int(),
  last_seq: z.int(),
  checkpoints: z.int(),
  pruned: z
    .strictObject({
      records: z.int(),
      last_at: z.string(),
      last_records: z.int(),
      last_rule: z.enum(['age', 'count', 'size']).nullable(),
    })
    .nullable()
    .describe('What retention has cut off, and the last time it did: when, how many, by which limit'),
  ends: EndsReportWire.nullable().describe(
    'What holding the log against the ends in the file of `audit.send_ends` found',
  ),
  fault: z.string().nullable(),
})

export const auditVerify = defineOperation({
  name: 'audit_verify',
  summary: 'Check that no record of the audit log was changed, removed, moved or cut off.',
  effect: 'read',
  authority: hubOwner(),
  whileLocked: true,
  whileDamaged: true,
  rest: 'GET /api/v1/audit/verify',
  cli: 'audit verify',
  errors: {},
  input: z.strictObject({}),
  output: AuditVerifyOutput,
  async handle({ hub }) {
    const report = await hub.longLooks.run(() => verifyChain(hub.db, hub.audit.key))
    const ends = await compareSent(hub)
    const fault = report.fault ?? ends?.fault ?? null
    return { schema: 'knowtation.audit_verify/v0', ...report, ends, fault, intact: fault === null }
  },
})

/** Holds the log against the ends in the owner's file, where there is one. A file that is gone says nothing good. */
async function compareSent({ db, audit, config }: Hub): Promise<EndsReport | null> {
  const { file, time_stamps } = config.audit.send_ends ?? {}
  if (file === undefined) return null
  try {
    const trusted = time_stamps ? readCertificates(time_stamps.ca_file) : []
    return await compareEnds(db, linesOf(file), { key: audit.key, trusted })
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const fault = `${path ?? file} cannot be read (${code}).`
    return { checked: 0, pruned: 0, unreadable: 0, stamped: 0, fault }
  }
}
