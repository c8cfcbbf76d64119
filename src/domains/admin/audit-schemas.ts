import { z } from 'zod'

/** A record of the audit log, in its place in the chain. */
export const AuditRecordWire = z
  .strictObject({
    seq: z.int(),
    at: z.string(),
    vault_id: z.string(),
    surface: z.string(),
    caller_kind: z.string(),
    caller_id: z.string(),
    client: z.string(),
    operation: z.string(),
    target_kind: z.string().nullable(),
    target_id: z.string().nullable(),
    outcome: z.enum(['allowed', 'denied', 'failed']),
    code: z.string().nullable(),
    duration_us: z.int(),
    policy_revision: z.string(),
    repeats: z.int(),
    hash: z.string(),
    data: z
      .looseObject({})
      .optional()
      .describe('What the event tells that the record seals; to the owner alone'),
  })
  .meta({ id: 'AuditRecord' })
