import { z } from 'zod'
import type { Target } from '../../../operations/define-operation.ts'
import { FlowId } from '../flow-schemas.ts'
import { FlowRun, RunId } from './run-record.ts'

export const runGate = { flag: 'FLOW_RUN_WRITES_ENABLED', whenOff: 'FLOW_RUN_WRITES_DISABLED' } as const

/** The input that names a run. */
export const runShape = { flow_id: FlowId, run_id: RunId }

/** A run, as the audit log names it. */
export function runTarget({ run_id }: { run_id: string }): Target {
  return { kind: 'run', id: run_id }
}

/** What the changing operations answer: the run as it stands now. */
export const RunAnswer = z.strictObject({
  schema: z.literal('knowtation.flow_run_get/v0'),
  vault_id: z.string(),
  run: FlowRun,
})
