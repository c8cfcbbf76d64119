import { hubAddress } from '../../domains/control/owner/hub-address.ts'
import { type AllowedTool, asksFirst } from '../../domains/flows/allowlist.ts'
import { explainHeldTools } from '../../domains/flows/grants/explain-tools.ts'
import type { Grant } from '../../domains/flows/grants/grant-record.ts'
import { findGrantView, findLiveGrant, type GrantView } from '../../domains/flows/grants/grant-view.ts'
import type { Hub } from '../../operations/hub.ts'
import { type Registry, requireOperation } from '../../operations/registry.ts'
import { runOperation } from '../../operations/run-operation.ts'
import { hashSecret } from '../../platform/basics/secret-hash.ts'
import { clientName } from '../../platform/identity/client-name.ts'
import { describeTool } from './describe-tool.ts'
import type { McpCaller } from './mcp-door.ts'
import type { OfferedTools, ToolDescription } from './tool-host.ts'
import { unmarkedSchema } from './unmarked-schema.ts'

/** How the holder of a grant is told to begin. */
export const GRANT_INSTRUCTIONS =
  'One reviewed procedure (a "flow") and the tools granted with it. Begin with flow_project: without arguments it gives the flow that the grant is for. Follow its steps and boundaries as written; the other tools are those granted for it. Every call is checked and recorded; asking again for what was refused does not help.'

/** What the holder of a grant sees: the flow it is for, and the granted tools under their own names. */
export function grantTools(hub: Hub, registry: Registry): OfferedTools<McpCaller> {
  const project = requireOperation(registry, 'flow_project')
  const projectTool = withoutRequired(describeTool(project))
  const invoke = requireOperation(registry, 'flow_external_tool_invoke')
  const findPin = keepPins(hub)
  return {
    async listTools(holder) {
      const view = await findView(hub, holder)
      if (!view?.tools.length) await tellOwner(hub, holder)
      if (!view) return []
      // The hub's own tools keep their names: a granted one of the same name is invoked by its id.
      const granted = view.tools.filter(({ id }) => id !== projectTool.name && id !== invoke.name)
      return [projectTool, ...granted.map(describeGranted)]
    },
    async callTool(holder, name, args, claim, { signal, progress, capabilities, responses } = {}) {
      const caller = claim.name ? { ...holder.caller, client: clientName(claim.name) } : holder.caller
      const call = { ...holder, caller, surface: 'mcp' as const, progress, ...(signal && { signal }) }
      if (name === projectTool.name) {
        const wanted = args ?? {}
        const input = Object.hasOwn(wanted, 'flow_id') ? wanted : pinned(wanted, await findPin(holder))
        return runOperation(hub, { ...call, operation: project, input })
      }
      // Who knows the hub's own invoke, from a list without the grant, is answered by it as over REST.
      if (name === invoke.name && Object.hasOwn(args ?? {}, 'tool_id'))
        return runOperation(hub, { ...call, operation: invoke, input: args ?? {} })
      // The pin comes from the grant, not from the agent: by a tool's name alone it can mean nothing else.
      // Whatever else speaks against the call is for the invoke to say, with the code it has everywhere.
      const input = { tool_id: name, payload: args ?? {}, ...(await findPin(holder)) }
      // Who can show a page is asked to before the call is held, and comes back at once.
      const isShown = canShowPages(capabilities) && !responses && !holder.hosted && asks(hub, holder, name)
      const patience = isShown && { patience_seconds: 0 }
      const answer = await runOperation(hub, { ...call, ...patience, operation: invoke, input })
      if (answer.status === 202 && isShown)
        return {
          ...answer,
          result: pageResultOf(answer.text, name, holder.origin ?? (await hubAddress(hub.db))),
          asksBack: true,
        }
      if (answer.status === 202) return { ...answer, result: pendingResultOf(answer.text) }
      const result = answer.ok ? ownResultOf(answer.text) : undefined
      return result === undefined ? answer : { ...answer, result }
    },
  }
}

/** Why somebody is shown no granted tool: the owner finds it in the hub's log, each reason once; the client hears nothing. */
async function tellOwner(hub: Hub, { caller, vault = 'default', presented = {} }: McpCaller): Promise<void> {
  const { filters } = await explainHeldTools(hub, { caller, vault_id: vault, presented })
  const seen = { caller_kind: caller.kind, caller_id: caller.id, vault_id: vault, filters }
  await hub.once(`no granted tools ${JSON.stringify(seen)}`, async () =>
    hub.log.warn(seen, 'a client is shown no granted tools'),
  )
}

/** The holder may leave out which flow is meant: by its grant it can be one alone. */
function withoutRequired(tool: ToolDescription): ToolDescription {
  const { required: _, ...inputSchema } = tool.inputSchema as { required?: unknown }
  const description = `${tool.description} Without arguments: the one that the grant is for, as agent_bundle.`
  return { ...tool, description, inputSchema }
}

function pinned(wanted: object, pin: Pin | undefined): object {
  if (!pin) return wanted
  return { harness: 'agent_bundle', version: pin.flow_version, ...wanted, flow_id: pin.flow_id }
}

type Pin = Pick<Grant, 'flow_id' | 'flow_version'>

const KEPT_PINS = 1_000

/**
 * The flow and version that a holder's grant is for. They never change, so they are looked up once for a
 * bearer; whether the grant still stands is asked by each invoke.
 */
function keepPins(hub: Hub): (holder: McpCaller) => Promise<Pin | undefined> {
  const kept = new Map<string, Pin>()
  return async ({ caller, vault = 'default', presented = {} }) => {
    const key = `${vault}|${presented.own_grant ?? hashSecret(presented.external_bearer ?? '')}`
    const known = kept.get(key)
    if (known) return known
    const grant = await findLiveGrant(hub, { caller, vault_id: vault, presented })
    if (!grant) return undefined
    const { flow_id, flow_version } = grant
    if (kept.size >= KEPT_PINS) kept.clear()
    kept.set(key, { flow_id, flow_version })
    return { flow_id, flow_version }
  }
}

function findView(
  hub: Hub,
  { caller, vault = 'default', presented = {} }: McpCaller,
): Promise<GrantView | undefined> {
  return findGrantView(hub, { caller, vault_id: vault, presented })
}

const ASKS = {
  each_call: 'Each call waits for the approval of the owner.',
  first_call: 'The first call with arguments of one shape waits for the approval of the owner.',
} as const

function describe({ id, description = id, approval = 'never' }: AllowedTool): string {
  return approval === 'never' ? description : `${description} (${ASKS[approval]})`
}

function describeGranted(tool: AllowedTool): ToolDescription {
  return {
    name: tool.id,
    description: describe(tool),
    inputSchema: unmarkedSchema(tool.input_schema ?? { type: 'object' }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  }
}

const COME_BACK =
  'The owner of the hub has to approve this call first, and was asked. Nothing was done yet. Call the same tool again with exactly the same arguments to wait for the answer; it is carried out once, however often you call.'

/** Whether a client can show its person a page (URL elicitation). What the person says there to it decides nothing. */
function canShowPages(capabilities: { elicitation?: { url?: unknown } } = {}): boolean {
  return capabilities.elicitation?.url !== undefined
}

function asks(hub: Hub, { vault = 'default' }: McpCaller, tool_id: string): boolean {
  const { allowed_tools = [] } = hub.rulesOf(vault).policy.value.external_agent ?? {}
  return allowed_tools.some((tool) => tool.id === tool_id && asksFirst(tool))
}

/** Asks the client to show the owner the page of the request. Known to it is the hub's address, not that of the owner. */
function pageResultOf(text: string, tool_id: string, origin: string): string {
  const { approval_id } = JSON.parse(text) as { approval_id: string }
  const message = `The owner of the hub has to approve the call of ${tool_id}. Open the page to decide.`
  const params = { mode: 'url', message, url: `${origin}/console/inbox?item=call:${approval_id}` }
  const inputRequests = { approval: { method: 'elicitation/create', params } }
  return JSON.stringify({ resultType: 'input_required', inputRequests })
}

/** What an agent is told that has to come back, for programs and for models. */
function pendingResultOf(text: string): string {
  const content = [text, COME_BACK].map((part) => ({ type: 'text', text: part }))
  return JSON.stringify({ content, structuredContent: JSON.parse(text) })
}

/** The agent gets what the tool itself answered, as if it had called it directly. */
function ownResultOf(text: string): string | undefined {
  const { result } = JSON.parse(text) as {
    result?: { content?: unknown; structuredContent?: unknown; isError?: unknown }
  }
  if (!result || !Array.isArray(result.content)) return undefined
  const { content, structuredContent, isError } = result
  return JSON.stringify({ content, structuredContent, isError })
}
