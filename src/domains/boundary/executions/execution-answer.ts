import { z } from 'zod'
import { Execution } from './execution-record.ts'

/** Longer waits are asked for again: connections in between may not stay open. */
const MAX_WAIT_SECONDS = 25

export const WaitSeconds = z
  .int()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .optional()
  .describe('Wait at most so long for the end before answering')

/** What operations about one execution answer. */
export const ExecutionAnswer = z.strictObject({
  schema: z.literal('knowtation.boundary_execution/v0'),
  vault_id: z.string(),
  /** Whether the call found the execution as it was and changed nothing. */
  idempotent: z.boolean(),
  execution: Execution,
})
