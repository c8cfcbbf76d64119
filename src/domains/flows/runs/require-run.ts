import type { Context, Effect } from '../../../operations/define-operation.ts'
import { requireVisibleScopes } from '../visibility.ts'
import { findRun, lockRun } from './flow-run-store.ts'
import { findCurrentStep, isLive } from './run-progress.ts'
import type { KeptRun, KeptStep } from './run-record.ts'

interface Named {
  flow_id: string
  run_id: string
}
type Asking = Context<Named, 'unknown_run' | 'FLOW_SCOPE_AMBIGUOUS', Effect>
type Moving = Context<
  Named & { step_id: string },
  'unknown_run' | 'FLOW_SCOPE_AMBIGUOUS' | 'FLOW_RUN_NOT_IN_PROGRESS' | 'FLOW_STEP_OUT_OF_ORDER',
  'update'
>

/** The run that the input names, or one refusal for missing and invisible alike. */
export async function requireRun(context: Asking): Promise<KeptRun> {
  const { input, vault_id, db, refuse } = context
  const scopes = requireVisibleScopes(context)
  const { flow_id, run_id } = input
  return (await findRun(db, { vault_id, flow_id, run_id, scopes })) ?? refuse('unknown_run')
}

/** The run and the step that the input names, which must be the one the run is at; held until the call ends. */
export async function requireCurrentStep(context: Moving): Promise<{ run: KeptRun; step: KeptStep }> {
  const { input, vault_id, db, refuse } = context
  await lockRun(db, vault_id, input.run_id)
  const run = await requireRun(context)
  if (!isLive(run)) refuse('FLOW_RUN_NOT_IN_PROGRESS')
  const step = findCurrentStep(run)
  if (step?.step_id !== input.step_id) return refuse('FLOW_STEP_OUT_OF_ORDER')
  return { run, step }
}
