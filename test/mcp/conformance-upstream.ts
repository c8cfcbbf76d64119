import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { ToolProvider } from '../../src/platform/upstream/provider-policy.ts'
import { UpstreamFailure } from '../../src/platform/upstream/upstream-failure.ts'
import { LOOPBACK_SOURCES, meet, type People } from '../control/intents.fixture.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'

interface Wanted {
  readonly scenario: string
  readonly server: string
  readonly context: {
    client_id?: string
    client_secret?: string
    toolCalls?: readonly { name: string; arguments: Record<string, unknown> }[]
  }
}
interface Stage {
  readonly hub: TestHub
  readonly people: People
}

/** What the tools of the suite are called with. */
const PAYLOADS: Readonly<Record<string, object>> = { add_numbers: { a: 5, b: 3 } }
/** Its schema is to come back as it was listed. */
const SCHEMA_TOOL = 'json_schema_2020_12_tool'
const MAX_ASKED = 2
/** The suite knows the hub by this name where the hub describes itself. */
const PUBLIC = { public_url: 'https://conformance-test.local', trusted_proxies: ['127.0.0.1'] }

/** A hub that uses the servers of the official suite as its policy would, with the owner at hand. */
export async function startUpstreamUser() {
  const hub = await startTestHub({ config: { ...LOOPBACK_SOURCES, ...PUBLIC } })
  const stage = { hub, people: await meet(hub) }
  const server = createServer(async (request, response) => {
    const wanted = JSON.parse(await text(request)) as Wanted
    const fault = await use(stage, wanted).then(
      () => undefined,
      (error: Error) => error,
    )
    response.writeHead(fault ? 500 : 200).end(fault ? `${fault.name}: ${fault.message}` : 'done')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await hub.close()
  }
  return { url, close }
}

/** The owner is asked where the server wants a token, and once more where it wants another. */
async function use(stage: Stage, wanted: Wanted): Promise<void> {
  let connection: string | undefined
  for (let asked = 0; ; asked++) {
    try {
      const credentials = connection === undefined ? {} : { credentials: { connection } }
      return await useTools(stage, providerOf(wanted.server, credentials), wanted.context)
    } catch (error) {
      if (!needsOwner(error) || asked === MAX_ASKED) throw error
      connection = await giveAccess(stage, wanted, connection)
    }
  }
}

function needsOwner(error: unknown): boolean {
  if (!(error instanceof UpstreamFailure)) return false
  return error.reason === 'credential_missing' || error.status === 401 || error.status === 403
}

function providerOf(url: string, more: object = {}): ToolProvider & { kind: 'mcp' } {
  const provider = { kind: 'mcp', url, tool: 'any', timeout_seconds: 20, ...more }
  return ToolProvider.parse(provider) as ToolProvider & { kind: 'mcp' }
}

async function useTools(
  { hub }: Stage,
  provider: ToolProvider & { kind: 'mcp' },
  { toolCalls }: Wanted['context'],
): Promise<void> {
  const { upstreams } = hub.hub
  const { tools } = await upstreams.listTools(provider)
  const schema = tools.find(({ name }) => name === SCHEMA_TOOL)?.inputSchema
  const calls = toolCalls ?? tools.map(({ name }) => ({ name, arguments: PAYLOADS[name] }))
  for (const { name, arguments: payload } of calls)
    await upstreams.call({ ...provider, tool: name }, { ...payload, ...(schema !== undefined && { schema }) })
}

/** The owner goes to the provider, which asks nothing. */
async function giveAccess(
  { people }: Stage,
  { server: url, context }: Wanted,
  connection_id: string | undefined,
): Promise<string> {
  const { intent_id } = await people.begin(
    'tool_provider',
    connection_id === undefined ? {} : { connection_id },
  )
  const { client_id, client_secret } = context
  const values = { url, ...(client_id && { client_id }), ...(client_secret && { client_secret }) }
  const asked = await people.asOwner('POST', `/_ref/intents/${intent_id}/authorize`, { values })
  if (asked.status !== 200) throw new Error(`not asked: ${JSON.stringify(asked.body)}`)
  const page = await fetch(String(asked.body.authorization_url), { redirect: 'manual' })
  const callback_url = page.headers.get('location')
  const path = `/_ref/intents/${intent_id}/complete`
  const done = await people.asOwner('POST', path, { callback_url })
  if (done.status !== 200) throw new Error(`not connected: ${JSON.stringify(done.body)}`)
  return String(done.body.connection_id)
}
