import { ACTIVE_VERIFICATION_KINDS } from '../bundle/bundle-vocabulary.ts'
import type { FlowRun, KeptRun, KeptStep } from './run-record.ts'

/** The step a run is at: the first that is neither done nor skipped. */
export function findCurrentStep(run: KeptRun): KeptStep | undefined {
  return run.steps.find((step) => !isFinished(step))
}

/** Whether anything more can happen to the run. */
export function isLive(run: KeptRun): boolean {
  return run.status !== 'done' && run.status !== 'abandoned'
}

/** Whether evidence can lead to a verified step at all: the other kinds are stored but not carried out. */
export function isVerifiable(step: KeptStep): boolean {
  return ACTIVE_VERIFICATION_KINDS.some((kind) => kind === step.kind)
}

/** Whether the step may be called done. */
export function mayBeDone(step: KeptStep): boolean {
  return step.verified || !step.evidence_required
}

/** The run with one step changed and its own state worked out anew. */
export function withStep(run: KeptRun, changed: KeptStep): KeptRun {
  const steps = run.steps.map((step) => (step.step_id === changed.step_id ? changed : step))
  return { ...run, steps, status: statusOf(steps) }
}

function statusOf(steps: readonly KeptStep[]): FlowRun['status'] {
  if (steps.every(isFinished)) return 'done'
  return steps.some((step) => step.status === 'blocked') ? 'blocked' : 'in_progress'
}

function isFinished({ status }: KeptStep): boolean {
  return status === 'done' || status === 'skipped'
}
