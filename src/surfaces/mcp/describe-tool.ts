import { z } from 'zod'
import type { Operation } from '../../operations/define-operation.ts'
import type { ToolDescription } from './tool-host.ts'

/** The root of what a tool answers describes an object, whatever it may answer. */
function schemaOfAnswers({ output, pending }: Operation): object {
  const done = z.toJSONSchema(output, { io: 'output' })
  if (!pending) return done
  const { $schema, ...own } = done
  const { $schema: _, ...later } = z.toJSONSchema(pending, { io: 'output' })
  return { $schema, type: 'object', anyOf: [own, later] }
}

/** An operation as an MCP tool. */
export function describeTool(operation: Operation): ToolDescription {
  const { name, description, effect, idempotent, openWorld } = operation
  return {
    name,
    description,
    inputSchema: z.toJSONSchema(operation.input, { io: 'input' }),
    outputSchema: schemaOfAnswers(operation),
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'delete' || effect === 'update',
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  }
}
