import type { Prompt } from '@modelcontextprotocol/server'
import { findGrantView, findLiveGrant } from '../../domains/flows/grants/grant-view.ts'
import { visibleFlowsMark } from '../../domains/flows/visible-flows.ts'
import { isWithGrant, type Operation } from '../../operations/define-operation.ts'
import type { Hub } from '../../operations/hub.ts'
import { type Registry, requireOperation } from '../../operations/registry.ts'
import { type Answer, runOperation } from '../../operations/run-operation.ts'
import type { McpCaller } from './mcp-door.ts'
import { type PromptOffer, PromptRefused } from './prompt-offer.ts'

/** What tells no more than that there is no such flow for this caller. */
const NOT_THERE = new Set<string | null>(['unknown_flow', 'BAD_REQUEST'])

/**
 * Flows as prompts, which clients offer as commands: a member's are the flows it may read, each with its runbook; the
 * holder of a grant has the flow of the grant, as its bundle. Under each lies the operation that reads flows on every
 * surface, with its checks and its record.
 */
export function flowPrompts(hub: Hub, registry: Registry): PromptOffer<McpCaller> {
  const list = requireOperation(registry, 'flow_list')
  const project = requireOperation(registry, 'flow_project')
  const run = (from: McpCaller, operation: Operation, input: object, signal?: AbortSignal) =>
    runOperation(hub, { ...from, operation, surface: 'mcp', input, ...(signal && { signal }) })
  return {
    isOffered: ({ caller }) => caller.seat === undefined,
    isRecorded: ({ presented }, method) => method === 'prompts/get' || !isWithGrant(presented),
    async list(from) {
      if (isWithGrant(from.presented)) return describeHeld(hub, from)
      const answer = await run(from, list, {})
      if (!answer.ok) throw refusalOf(answer)
      return (JSON.parse(answer.text) as { flows: Summary[] }).flows.map(describe)
    },
    async get(from, name, args, { signal }) {
      if (Object.keys(args).length > 0)
        throw new PromptRefused('A flow takes no arguments as a prompt.', null)
      const answer = await run(from, project, await wantedOf(hub, from, name), signal)
      if (NOT_THERE.has(answer.code) && !answer.ok) return undefined
      if (!answer.ok) throw refusalOf(answer)
      const { projection } = JSON.parse(answer.text) as Projected
      return {
        description: `${name}, version ${projection.flow_version}`,
        messages: [{ role: 'user', content: { type: 'text', text: projection.rendered } }],
      }
    },
    async mark(from) {
      const { caller, vault = 'default', presented } = from
      if (isWithGrant(presented)) return JSON.stringify(await describeHeld(hub, from))
      return visibleFlowsMark(hub, caller, vault)
    },
  }
}

interface Summary {
  readonly flow_id: string
  readonly title: string
  readonly summary: string
}

interface Projected {
  readonly projection: { readonly rendered: string; readonly flow_version: string }
}

function describe({ flow_id, title, summary }: Summary): Prompt {
  return { name: flow_id, title, description: summary }
}

/** Of a grant nothing is told here but what its holder was given it for. */
async function describeHeld(hub: Hub, holder: McpCaller): Promise<Prompt[]> {
  const view = await findGrantView(hub, holderOf(holder))
  if (!view) return []
  const { flow_id, flow_version } = view.grant
  const description = `The flow that the grant is for, version ${flow_version}, with its boundaries and its tools.`
  return [{ name: flow_id, title: flow_id, description }]
}

/** What is projected for a prompt. The version comes from the grant; whatever speaks against it the projection says. */
async function wantedOf(hub: Hub, from: McpCaller, flow_id: string): Promise<object> {
  if (!isWithGrant(from.presented)) return { flow_id, harness: 'cli_runbook' }
  const grant = await findLiveGrant(hub, holderOf(from))
  const pinned = grant?.flow_id === flow_id && { version: grant.flow_version }
  return { flow_id, harness: 'agent_bundle', ...pinned }
}

function holderOf({ caller, vault = 'default', presented = {} }: McpCaller) {
  return { caller, vault_id: vault, presented }
}

function refusalOf({ text, code }: Answer): PromptRefused {
  const { error } = JSON.parse(text) as { error: string }
  return new PromptRefused(error, code)
}
