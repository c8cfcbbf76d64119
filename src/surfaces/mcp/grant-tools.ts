import type { AllowedTool } from '../../domains/flows/allowlist.ts'
import { findGrantView, type GrantView } from '../../domains/flows/grants/grant-view.ts'
import type { Operation } from '../../operations/define-operation.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { type Answer, runOperation } from '../../operations/run-operation.ts'
import { clientName } from '../../platform/identity/client-name.ts'
import type { McpCaller } from './operation-tools.ts'
import { describeTool } from './operation-tools.ts'
import type { ToolAnswer, ToolDescription, ToolHost } from './tool-host.ts'

/** Refusals that make a tool look as if it were not there: the grant does not reach it. */
const OUT_OF_REACH = new Set(['FLOW_EXTERNAL_GRANT_TOOL_DENIED', 'FLOW_EXTERNAL_TOOL_DENIED'])

/** What the holder of a grant sees: the flow it is for, and the granted tools under their own names. */
export function grantTools(
  hub: Hub,
  registry: Registry,
): Pick<ToolHost<McpCaller>, 'listTools' | 'callTool'> {
  const projectTool = describeTool(requireOperation(registry, 'flow_project'))
  return {
    async listTools(holder) {
      const view = await findView(hub, holder)
      return view ? [projectTool, ...view.tools.map(describeGranted)] : []
    },
    async callTool(holder, name, args, claim, signal) {
      const caller = claim.name ? { ...holder.caller, client: clientName(claim.name) } : holder.caller
      const call = { ...holder, caller, surface: 'mcp' as const, ...(signal && { signal }) }
      if (name === projectTool.name)
        return runOperation(hub, { ...call, operation: requireOperation(registry, name), input: args ?? {} })
      // The pin comes from the grant, not from the agent: by a tool's name alone it can mean nothing else.
      const view = await findView(hub, holder)
      const pin = view && { flow_id: view.grant.flow_id, flow_version: view.grant.flow_version }
      const input = { tool_id: name, payload: args ?? {}, ...pin }
      const answer = await runOperation(hub, {
        ...call,
        operation: requireOperation(registry, 'flow_external_tool_invoke'),
        input,
      })
      return answer.code !== null && OUT_OF_REACH.has(answer.code) ? 'unknown_tool' : toToolAnswer(answer)
    },
  }
}

function requireOperation(registry: Registry, name: string): Operation {
  const operation = registry.get(name)
  if (!operation) throw new Error(`The operation ${name} is missing.`)
  return operation
}

function findView(
  hub: Hub,
  { caller, vault = 'default', presented = {} }: McpCaller,
): Promise<GrantView | undefined> {
  return findGrantView(hub, { caller, vault_id: vault, presented })
}

function describeGranted(tool: AllowedTool): ToolDescription {
  return {
    name: tool.id,
    description: tool.description ?? tool.id,
    inputSchema: tool.input_schema ?? { type: 'object' },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  }
}

/** The agent gets what the tool itself answered, as if it had called it directly. */
function toToolAnswer(answer: Answer): ToolAnswer {
  if (!answer.ok) return answer
  const { result } = JSON.parse(answer.text) as {
    result?: { content?: unknown; structuredContent?: unknown; isError?: unknown }
  }
  if (!result || !Array.isArray(result.content)) return answer
  const { content, structuredContent, isError } = result
  return { ...answer, result: JSON.stringify({ content, structuredContent, isError }) }
}
