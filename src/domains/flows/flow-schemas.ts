import { z } from 'zod'
import { FLOW_ID, HARNESSES, SCOPES } from './bundle/bundle-vocabulary.ts'

export const FlowId = z.string().regex(FLOW_ID).describe('The id of the flow, such as flow_research_brief')
/** The form is checked by the operation itself, after what the contract wants checked before it. */
export const VersionChoice = z
  .string()
  .optional()
  .describe('The version x.y.z; the latest visible one when left out')
export const ScopeName = z.enum(SCOPES)
export const HarnessName = z.enum(HARNESSES)
