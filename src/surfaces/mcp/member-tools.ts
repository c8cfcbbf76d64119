import { hasAuthority } from '../../operations/authority.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { runOperation } from '../../operations/run-operation.ts'
import { clientName } from '../../platform/identity/client-name.ts'
import { describeTool } from './describe-tool.ts'
import { isAboutTheHub, type McpCaller, mcpDoor, refuseAtDoor } from './mcp-door.ts'
import type { OfferedTools, ToolDescription } from './tool-host.ts'

/** Offers the operations marked for MCP as tools, to each caller those it may call. */
export function memberTools(hub: Hub, registry: Registry): OfferedTools<McpCaller> {
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
    async callTool(from, name, args, claim, { signal, progress } = {}) {
      const operation = registry.get(name)
      const known = operation?.mcp ? operation : mcpDoor
      const caller = claim.name ? { ...from.caller, client: clientName(claim.name) } : from.caller
      const call = {
        ...from,
        operation: known,
        surface: 'mcp' as const,
        caller,
        input: args ?? {},
        progress,
        ...(signal && { signal }),
      }
      // A tool that is not there and one the caller may not use are recorded apart but look the same.
      const isOffered = known !== mcpDoor && hasAuthority(known.authority, caller)
      const answer =
        known === mcpDoor
          ? await refuseAtDoor(hub, { ...from, caller }, new Refusal('NOT_FOUND'))
          : await runOperation(hub, call)
      return isOffered || isAboutTheHub(answer) ? answer : 'unknown_tool'
    },
  }
}
