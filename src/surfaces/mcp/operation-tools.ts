import { isWithGrant } from '../../operations/define-operation.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { PACKAGE_VERSION } from '../../platform/basics/package-folder.ts'
import { flowPrompts } from './flow-prompts.ts'
import { GRANT_INSTRUCTIONS, grantTools } from './grant-tools.ts'
import type { McpCaller } from './mcp-door.ts'
import { memberTools } from './member-tools.ts'
import { SEAT_INSTRUCTIONS, seatTools } from './seat-tools.ts'
import type { ToolHost } from './tool-host.ts'

const INSTRUCTIONS =
  'Reviewed procedures ("flows") and the tools granted with them. Start with flow_list, read one with flow_get, and follow its steps and boundaries as written. Every call is recorded.'

/** The hub's tools: an agent at a seat gets those of its role, a holder what the grant reaches, a member the rest. Flows are prompts beside. */
export function operationTools(hub: Hub, registry: Registry): ToolHost<McpCaller> {
  const members = memberTools(hub, registry)
  const holders = grantTools(hub, registry)
  const seats = seatTools(hub, registry)
  const toolsFor = (from: McpCaller) => {
    if (from.caller.seat) return seats
    return isWithGrant(from.presented) ? holders : members
  }
  return {
    serverInfo: { name: 'knowtation', version: PACKAGE_VERSION, instructions: INSTRUCTIONS },
    instructionsFor: ({ caller, presented }) => {
      if (caller.seat) return SEAT_INSTRUCTIONS
      return isWithGrant(presented) ? GRANT_INSTRUCTIONS : undefined
    },
    prompts: flowPrompts(hub, registry),
    listTools: (from) => toolsFor(from).listTools(from),
    callTool: (from, name, args, claim, context) => {
      // What the request says counts before what its headers say: a proxy may have written those.
      const traced = context?.traceparent ? { ...from, traceparent: context.traceparent } : from
      return toolsFor(from).callTool(traced, name, args, claim, context)
    },
  }
}
