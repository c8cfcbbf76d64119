import { z } from 'zod'
import { hasAuthority, vaultMember } from '../../operations/authority.ts'
import { defineOperation, type Operation, type Presented } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { type Answer, runOperation } from '../../operations/run-operation.ts'
import { PACKAGE_VERSION } from '../../platform/basics/package-folder.ts'
import type { Caller } from '../../platform/identity/caller.ts'
import { clientName } from '../../platform/identity/client-name.ts'
import { GRANT_INSTRUCTIONS, grantTools } from './grant-tools.ts'
import { SEAT_INSTRUCTIONS, seatTools } from './seat-tools.ts'
import type { ToolDescription, ToolHost } from './tool-host.ts'

/** Who speaks MCP to us, and which vault it named. */
export interface McpCaller {
  readonly caller: Caller
  readonly vault: string | undefined
  readonly address: string
  readonly presented?: Presented
  readonly ends_when_locked?: boolean
  readonly hosted?: boolean
}

const INSTRUCTIONS =
  'Reviewed procedures ("flows") and the tools granted with them. Start with flow_list, read one with flow_get, and follow its steps and boundaries as written. Every call is recorded.'

/** The audit log's name for a request at the MCP door that reached no operation. */
export const mcpDoor: Operation = defineOperation({
  name: 'mcp_request',
  summary: 'A request to the MCP endpoint that named no operation.',
  effect: 'read',
  authority: vaultMember('read'),
  mcp: true,
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({}),
  handle: async () => ({}),
})

/** Keeps the record of a request that is turned away before it names an operation, and answers it. */
export function refuseAtDoor(hub: Hub, from: McpCaller, refused: Refusal): Promise<Answer> {
  return runOperation(hub, { ...from, operation: mcpDoor, surface: 'mcp', input: {}, refused })
}

type GrantlessHost = Pick<ToolHost<McpCaller>, 'listTools' | 'callTool'>

/** The hub's tools: an agent at a seat gets those of its role, a holder what the grant reaches, a member the rest. */
export function operationTools(hub: Hub, registry: Registry): ToolHost<McpCaller> {
  const members = memberTools(hub, registry)
  const holders = grantTools(hub, registry)
  const seats = seatTools(hub, registry)
  const toolsFor = (from: McpCaller) => {
    if (from.caller.seat) return seats
    return from.presented?.external_bearer === undefined ? members : holders
  }
  return {
    serverInfo: { name: 'knowtation', version: PACKAGE_VERSION, instructions: INSTRUCTIONS },
    instructionsFor: ({ caller, presented }) => {
      if (caller.seat) return SEAT_INSTRUCTIONS
      return presented?.external_bearer === undefined ? undefined : GRANT_INSTRUCTIONS
    },
    listTools: (from) => toolsFor(from).listTools(from),
    callTool: (from, ...call) => toolsFor(from).callTool(from, ...call),
  }
}

/** Offers the operations marked for MCP as tools, to each caller those it may call. */
function memberTools(hub: Hub, registry: Registry): GrantlessHost {
  const offered = [...registry.values()].filter((operation) => operation.mcp)
  const described = offered.map((operation) => ({ operation, tool: describeTool(operation) }))
  const lists = new Map<string, readonly ToolDescription[]>()
  return {
    listTools({ caller }) {
      const allowed = described.filter(({ operation }) => hasAuthority(operation.authority, caller))
      const key = allowed.map(({ tool }) => tool.name).join()
      let list = lists.get(key)
      if (!list) lists.set(key, (list = allowed.map(({ tool }) => tool)))
      return list
    },
    async callTool(from, name, args, claim, signal) {
      const operation = registry.get(name)
      const known = operation?.mcp ? operation : mcpDoor
      const caller = claim.name ? { ...from.caller, client: clientName(claim.name) } : from.caller
      const call = {
        ...from,
        operation: known,
        surface: 'mcp' as const,
        caller,
        input: args ?? {},
        ...(signal && { signal }),
      }
      // A tool that is not there and one the caller may not use are recorded apart but look the same.
      const isOffered = known !== mcpDoor && hasAuthority(known.authority, caller)
      const answer =
        known === mcpDoor
          ? await refuseAtDoor(hub, { ...from, caller }, new Refusal('NOT_FOUND'))
          : await runOperation(hub, call)
      return isOffered || answer.status >= 500 ? answer : 'unknown_tool'
    },
  }
}

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
