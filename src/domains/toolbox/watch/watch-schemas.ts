import { z } from 'zod'
import { errorTable } from '../../../operations/errors.ts'
import { SEVERITIES } from '../../../platform/alerts/security-event.ts'
import { LOCK_ID_LIMIT, LOCK_KINDS } from '../../../platform/locks/lock.ts'
import { AGENT_ID_CHARS } from './record-event.ts'

export const AgentId = z.string().min(1).max(AGENT_ID_CHARS)

/** An event of the security stream; `repeats` only where one stands for several. */
export const SecurityEventWire = z
  .strictObject({
    timestamp: z.string(),
    agent_id: z.string(),
    violation_type: z.string(),
    target_path: z.string().nullable(),
    command_args: z.array(z.string()),
    severity: z.enum(SEVERITIES),
    repeats: z.int().optional(),
  })
  .meta({ id: 'SecurityEvent' })

/** An agent in Alert Mode, or one that was. */
export const AlertWire = z
  .strictObject({
    vault_id: z.string(),
    agent_id: z.string(),
    raised_at: z.string(),
    last_violation_at: z.string(),
    violations: z.int(),
    acknowledged_at: z.string().nullable(),
    acknowledged_by: z.string().nullable(),
  })
  .meta({ id: 'ToolboxAlert' })

export const LockKindInput = z.enum(LOCK_KINDS).describe('agent, service or all')

export const LockIdInput = z
  .string()
  .min(1)
  .max(LOCK_ID_LIMIT)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u)
  .optional()
  .describe('Which agent (also a token or grant) or which folder; left out for all')

export const LockWire = z
  .strictObject({
    kind: z.enum(LOCK_KINDS),
    id: z.string(),
    reason: z.string().nullable(),
    locked_at: z.string(),
    locked_by: z.string(),
  })
  .meta({ id: 'Lock' })

export const watchErrors = errorTable({
  unknown_alert: {
    status: 404,
    message: 'unknown_alert',
    says: 'This agent has no open alert.',
    hint: '`knowtation alert list` shows the alerts.',
  },
  unknown_lock: {
    status: 404,
    message: 'unknown_lock',
    says: 'There is no such lock.',
    hint: '`knowtation lock list` shows the locks.',
  },
  too_many_locks: {
    status: 409,
    message: 'There are too many locks. Release some, or lock everything.',
    hint: 'Take locks away, or lock everything: `knowtation lock all`.',
  },
})
