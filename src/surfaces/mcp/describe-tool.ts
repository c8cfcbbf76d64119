import { z } from 'zod'
import type { Operation } from '../../operations/define-operation.ts'
import type { ToolDescription } from './tool-host.ts'

interface ObjectShape {
  properties?: Record<string, unknown>
  required?: string[]
}

/** Clients read no unions at the root: an object that may be either has what both may have, and needs what both need. */
function schemaOfAnswers({ output, pending }: Operation): object {
  const done = z.toJSONSchema(output, { io: 'output' })
  if (!pending) return done
  const [one, other] = [done, z.toJSONSchema(pending, { io: 'output' })] as [ObjectShape, ObjectShape]
  const shared = Object.entries(one.properties ?? {}).flatMap(([name, shape]) => {
    const second = other.properties?.[name]
    return second === undefined ? [] : [[name, { anyOf: [shape, second] }]]
  })
  const properties = { ...one.properties, ...other.properties, ...Object.fromEntries(shared) }
  const required = one.required?.filter((name) => other.required?.includes(name))
  return { ...done, properties, required }
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
