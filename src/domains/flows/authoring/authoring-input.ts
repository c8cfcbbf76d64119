import { z } from 'zod'
import type { Target } from '../../../operations/define-operation.ts'
import { NonBlankText } from '../plain-text.ts'

const INTENT_CHARS = 2_000

export const Intent = NonBlankText(INTENT_CHARS).describe('Why the change is wanted, for the reviewer')

/** A draft, whole or in its two parts. The bundle check says what is wrong with it, in its own order. */
export const draftShape = {
  bundle: z.looseObject({}).optional().describe('The draft {flow, steps}; instead of flow and steps'),
  flow: z.looseObject({}).optional().describe('The flow of the draft'),
  steps: z.array(z.unknown()).optional().describe('The steps of the draft'),
}

/** Worked out by the hub alone; what a caller says about it is not even looked at. */
export const SERVER_DERIVED = ['auto_approvable']

export const authoringGate = {
  flag: 'FLOW_AUTHORING_WRITES',
  whenOff: 'FLOW_AUTHORING_DISABLED',
  whenForbidden: 'FLOW_AUTHORING_POLICY_FORBIDDEN',
} as const

/** A proposal, as the audit log names it. */
export function proposalTarget({ proposal_id }: { proposal_id: string }): Target {
  return { kind: 'proposal', id: proposal_id }
}
