import { z } from 'zod'
import { agentInputSchema } from '../../../boundary/index.ts'

const { $schema: _dialect, ...schema } = agentInputSchema

/**
 * An input as operations take it. The contract's own check reads it, so that every violation is told at
 * once and by the contract's code; callers still see the whole schema.
 */
export const AgentInputDocument = z
  .unknown()
  .meta({ ...schema, description: 'The AgentInput: all that the engine will get' })
