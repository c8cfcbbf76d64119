import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'

export const BoundaryEnginesOutput = z.strictObject({
  schema: z.literal('knowtation.boundary_engines/v0'),
  vault_id: z.string(),
  engines: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['command', 'http']),
      timeout_seconds: z.number(),
      max_output_bytes: z.int(),
    }),
  ),
})

export const boundaryEngines = defineOperation({
  name: 'boundary_engines',
  summary: 'List the engines of this vault by name and kind.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/boundary/engines',
  mcp: true,
  cli: 'boundary engines',
  errors: {},
  input: z.strictObject({}),
  output: BoundaryEnginesOutput,
  present: async () => (await import('./present-engines.ts')).presentEngines,
  async handle({ rules, vault_id }) {
    const engines = Object.entries(rules.policy.value.engines ?? {})
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { kind, timeout_seconds, max_output_bytes }]) => ({
        name,
        kind,
        timeout_seconds,
        max_output_bytes,
      }))
    return { schema: 'knowtation.boundary_engines/v0', vault_id, engines }
  },
})
