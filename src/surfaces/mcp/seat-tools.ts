import { toolDoor } from '../../domains/toolbox/tool-door.ts'
import { hasAuthority } from '../../operations/authority.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { runOperation } from '../../operations/run-operation.ts'
import { clientName } from '../../platform/identity/client-name.ts'
import { describeTool } from './describe-tool.ts'
import type { McpCaller } from './mcp-door.ts'
import type { OfferedTools, ToolAnswer, ToolDescription } from './tool-host.ts'

/** How an agent at a seat is told to begin. */
export const SEAT_INSTRUCTIONS =
  'The files, tests and version control of one service. Paths are relative to it; begin with list_files. A result has status success with data, or error with a code, a message and a suggestion to follow. Secrets show as [REDACTED:rule]. Every call is checked and recorded; asking again for what was refused does not help.'

/** What an agent at a seat of the toolbox sees: the tools of its role, and nothing else of the hub. */
export function seatTools(hub: Hub, registry: Registry): OfferedTools<McpCaller> {
  const offered = [...registry.values()].filter(({ authority }) => authority.kind === 'seat')
  const described = offered.map((operation) => ({ operation, tool: describeTool(operation) }))
  const lists = new Map<string, readonly ToolDescription[]>()
  return {
    listTools({ caller }) {
      const role = caller.seat?.role ?? ''
      const known = lists.get(role)
      if (known) return known
      const allowed = described.filter(({ operation }) => hasAuthority(operation.authority, caller))
      const list = allowed.map(({ tool }) => tool)
      if (list.length > 0) lists.set(role, list)
      return list
    },
    async callTool(from, name, args, claim, { signal } = {}) {
      const operation = registry.get(name)
      const isTool = operation?.authority.kind === 'seat'
      const caller = claim.name ? { ...from.caller, client: clientName(claim.name) } : from.caller
      const answer = await runOperation(hub, {
        ...from,
        caller,
        surface: 'mcp',
        operation: isTool ? operation : toolDoor,
        input: isTool ? (args ?? {}) : {},
        ...(signal && { signal }),
        ...(!isTool && { refused: new Refusal('ToolNotFound') }),
      })
      return answer.ok ? answer : toStructured(answer)
    },
  }
}

/** The schema of a tool has its refusals too, so that they come as a document like any other result. */
function toStructured({ ok, text }: ToolAnswer): ToolAnswer {
  if (!text.startsWith('{"status":"error",')) return { ok, text }
  const content = `[{"type":"text","text":${JSON.stringify(text)}}]`
  return { ok, text, result: `{"content":${content},"structuredContent":${text},"isError":true}` }
}
