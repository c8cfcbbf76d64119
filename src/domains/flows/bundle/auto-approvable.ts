import type { FlowStep } from './flow-record.ts'

/** Whether a bundle could be approved without a person: never when a step asks for human review. */
export function isAutoApprovable(steps: readonly Pick<FlowStep, 'verification'>[]): boolean {
  return steps.length > 0 && steps.every((step) => step.verification.kind !== 'human_review')
}
