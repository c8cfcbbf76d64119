import { z } from 'zod'
import { seated } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { toolResult } from './result-contract.ts'
import { TOOL_ROLES } from './tool-context.ts'
import { toolContract } from './tool-contract.ts'
import { TOOL_ERRORS } from './tool-errors.ts'

const NOTHING = z.strictObject({})

/** The audit log's name for a call of an agent that named no tool there is. */
export const toolDoor = defineOperation({
  name: 'tool_request',
  summary: 'A call to the toolbox that named no tool.',
  effect: 'read',
  authority: seated(TOOL_ROLES, 'PermissionDenied'),
  mcp: true,
  cli: 'tool call',
  errors: TOOL_ERRORS,
  contract: toolContract({ name: 'tool_request', effect: 'read', output: NOTHING }),
  input: NOTHING,
  output: toolResult(NOTHING) as z.ZodType<unknown, unknown>,
  handle: async () => ({}),
})
