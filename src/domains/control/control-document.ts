import { z } from 'zod'
import { ownerSurface } from '../../operations/authority.ts'
import type { Hub } from '../../operations/hub.ts'
import { ActionShape } from './connections/connection-shapes.ts'
import { listActions } from './control-catalog.ts'
import { defineOwnerOperation } from './define-owner-operation.ts'

const ENTRYPOINT = '/v1/owner/control'

/** What an owner agent can do here. The addresses are relative to the hub's own, whatever name it is called by. */
export async function controlDocument(hub: Pick<Hub, 'findOperation' | 'config'>, origin: string) {
  return {
    object: 'owner_agent_control_surface' as const,
    scope: 'reference_implementation' as const,
    entrypoint: `${origin}${ENTRYPOINT}`,
    mcp_owner_bearer_rejected: true as const,
    actions: await listActions(origin, hub),
  }
}

export const ownerControl = defineOwnerOperation({
  name: 'owner_control',
  summary: 'Tell what an owner agent can do here, family by family.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/owner/control',
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({
    object: z.literal('owner_agent_control_surface'),
    scope: z.literal('reference_implementation'),
    entrypoint: z.string(),
    mcp_owner_bearer_rejected: z.literal(true),
    actions: z.array(ActionShape),
  }),
  handle: ({ hub, origin }) => controlDocument(hub, origin),
})
