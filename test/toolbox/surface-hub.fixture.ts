import { allOperations } from '../../src/domains/index.ts'
import type { Operation } from '../../src/operations/define-operation.ts'
import { buildRegistry } from '../../src/operations/registry.ts'
import { runOperation } from '../../src/operations/run-operation.ts'
import { type ToolboxSeat, toolboxCaller } from '../../src/platform/identity/caller.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { startTestHub, type TestHub, type TestHubOptions } from '../harness/test-hub.ts'
import { makeToolProject, type ToolProject } from './surface-project.fixture.ts'

export const registry = buildRegistry(allOperations)
/** The tools, in the order in which they are listed. */
export const toolNames = [...registry.values()].flatMap(({ authority, name }) =>
  authority.kind === 'seat' ? [name] : [],
)

/** The ways an agent can take. `direct` is the pipeline itself; `cli` is the command line on the home's files. */
export const WAYS = ['direct', 'rest', 'mcp', 'cli'] as const
export type Way = (typeof WAYS)[number]

/** What a tool answers, as a test looks into it. */
export interface Result {
  status: string
  data?: any
  error?: { code: string; message: string; suggestion: string; details?: any }
  metadata: { duration_ms: number; security_checks: string }
}

/** What a test changes of a seat. */
export type SeatChanges = Partial<Omit<ToolboxSeat, 'project_root' | 'service_root'>> & { service?: string }

/** A running hub, a project, and agents that call tools from any side. */
export interface ToolHub extends AsyncDisposable {
  readonly hub: TestHub
  readonly project: ToolProject
  seat(changes?: SeatChanges): ToolboxSeat
  /** The bearer of a session at such a seat, made once by the owner. */
  bearer(changes?: SeatChanges): Promise<string>
  /** Calls a tool one way; what came back, as text and as a document. */
  call(way: Way, tool: string, args?: object, changes?: SeatChanges): Promise<Result & { text: string }>
  /** The code that a call ends with, or `success`. */
  codeOf(way: Way, tool: string, args?: object, changes?: SeatChanges): Promise<string>
  /** Asks the hub over REST as its owner. */
  owner(method: string, path: string, body?: object): Promise<any>
}

/** Starts a hub beside a project of its own. */
export async function startToolHub(
  config?: object | string | null,
  options: TestHubOptions = {},
): Promise<ToolHub> {
  const project = makeToolProject(config)
  const hub = await startTestHub(options)
  const bearers = new Map<string, Promise<string>>()
  const at = (changes: SeatChanges = {}) => seatAt(project, changes)
  const owner = (method: string, path: string, body?: object) =>
    sendAsOwner(hub, { method, path, ...(body && { body: JSON.stringify(body) }) }).then(({ text }) =>
      JSON.parse(text),
    )
  const bearer = (changes: SeatChanges = {}) => {
    const key = JSON.stringify(changes)
    const known = bearers.get(key)
    if (known) return known
    const made = createSession(owner, at(changes))
    bearers.set(key, made)
    return made
  }
  const tools: ToolHub = {
    hub,
    project,
    seat: at,
    bearer,
    owner,
    async call(way, tool, args = {}, changes = {}) {
      const text = await TAKE[way](tools, tool, args, changes)
      return { ...(JSON.parse(text) as Result), text }
    },
    async codeOf(way, tool, args, changes) {
      const { status, error } = await tools.call(way, tool, args, changes)
      return error?.code ?? status
    },
    async [Symbol.asyncDispose]() {
      await hub.close()
      project[Symbol.dispose]()
    },
  }
  return tools
}

function seatAt(project: ToolProject, { service = 'services/web', ...changes }: SeatChanges): ToolboxSeat {
  const service_root = `${project.root}/${service}`
  return { project_root: project.root, service_root, role: 'dev', agent_id: 'agent-1', ...changes }
}

async function createSession(owner: ToolHub['owner'], seat: ToolboxSeat): Promise<string> {
  const { project_root: project, service_root: service, access_token: _, ...more } = seat
  const answer = await owner('POST', '/api/v1/tool-sessions', { project, service, ...more })
  if (typeof answer.bearer !== 'string') throw new Error(JSON.stringify(answer))
  return answer.bearer
}

type Take = (tools: ToolHub, tool: string, args: object, changes: SeatChanges) => Promise<string>

const TAKE: Readonly<Record<Way, Take>> = {
  direct: async (tools, tool, args, changes) => (await callDirectly(tools, tool, args, changes)).text,
  rest: async ({ hub, bearer }, tool, args, changes) =>
    (await sendJson(hub.url, 'POST', `/api/v1/tools/${tool}`, await bearer(changes), args)).text,
  async mcp({ hub, bearer }, tool, args, changes) {
    const client = await connectClient(`${hub.url}/mcp`, await bearer(changes))
    try {
      const { content } = await client.callTool({ name: tool, arguments: { ...args } })
      const [first] = content
      if (first?.type !== 'text') throw new Error('A tool answers with one text.')
      return first.text
    } finally {
      await client.close()
    }
  },
  async cli({ hub, project }, tool, args, { service = 'services/web', ...changes }) {
    const flags = { role: changes.role, agent: changes.agent_id, isolation: changes.isolation_level }
    const given = Object.entries(flags).flatMap(([name, value]) => (value ? [`--${name}`, value] : []))
    const place = ['--project', project.root, '--service', service, ...given]
    const env = { ...hub.options.env, KNOWTATION_ACCESS_TOKEN: changes.access_token }
    const words = ['tool', 'call', tool, '--args', '-', ...place, '--json']
    const { stdout, stderr } = await runInProcess(words, env, JSON.stringify(args))
    if (stdout === '') throw new Error(stderr)
    return stdout
  },
}

/** Calls a tool through the pipeline alone; another operation may stand in for one of the registry. */
export function callDirectly(
  { hub, seat }: Pick<ToolHub, 'hub' | 'seat'>,
  tool: string | Operation,
  args: unknown,
  changes: SeatChanges = {},
  signal?: AbortSignal,
) {
  const operation = typeof tool === 'string' ? registry.get(tool) : tool
  if (!operation) throw new Error(`There is no tool ${String(tool)}.`)
  const place = seat(changes)
  const caller = toolboxCaller(place.agent_id, 'default', place, 'other')
  const call = { operation, surface: 'mcp' as const, caller, address: 'test', vault: undefined, input: args }
  return runOperation(hub.hub, signal ? { ...call, signal } : call)
}

/** One request with a bearer and a JSON body. */
export async function sendJson(
  url: string,
  method: string,
  path: string,
  bearer: string | undefined,
  body?: unknown,
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
