import { z } from 'zod'
import type { Operation } from '../../operations/define-operation.ts'
import type { ToolDescription } from './tool-host.ts'

/** An operation as an MCP tool. */
export function describeTool(operation: Operation): ToolDescription {
  const { name, description, effect, idempotent, openWorld } = operation
  return {
    name,
    description,
    inputSchema: z.toJSONSchema(operation.input, { io: 'input' }),
    outputSchema: z.toJSONSchema(operation.output, { io: 'output' }),
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'delete' || effect === 'update',
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  }
}
