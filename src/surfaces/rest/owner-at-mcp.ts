import type { FastifyReply } from 'fastify'
import { ownerContract } from '../../domains/control/owner-contract.ts'
import { surfaceErrors } from '../../domains/control/owner-errors.ts'
import type { Operation } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import { runOperation } from '../../operations/run-operation.ts'
import type { Caller } from '../../platform/identity/caller.ts'
import { type McpCaller, mcpDoor } from '../mcp/operation-tools.ts'
import { sendAnswer } from './operation-routes.ts'

const door: Operation = { ...mcpDoor, errors: surfaceErrors.table, contract: ownerContract }

const WHERE_TO =
  "Owner credentials do not open MCP. Use a grant-scoped credential at /mcp, or the owner agent's REST control surface, which begins at /v1/owner/control."

/** Whether a credential is for the owner's surface, and so for nothing here. */
export function isOwnersOnly({ kind }: Caller): boolean {
  return kind === 'owner_agent' || kind === 'owner_session'
}

/** Turns the owner's credentials away from MCP, and says where they belong. Nothing of the body was read. */
export async function refuseOwner(hub: Hub, from: McpCaller, reply: FastifyReply): Promise<FastifyReply> {
  const refused = new Refusal('permission_error', WHERE_TO)
  const answer = await runOperation(hub, { ...from, operation: door, surface: 'mcp', input: {}, refused })
  return sendAnswer(reply, answer, door)
}
