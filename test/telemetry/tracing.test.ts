import { afterEach, expect, test } from 'vitest'
import { type HubProcess, runProgram, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { type Hall, hallOf, post, writeHomePolicy } from '../external-agent/grant-crowd.ts'
import { ECHO_SCHEMA, fakeProvider, startEndpoint, toolFlow } from '../external-agent/tool-servers.ts'
import { startReceiver } from './receiver.fixture.ts'

const SECRET = 'canary-7f3b19d2c6'
const CALLER_TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const USE = { flow_id: 'flow_watched', flow_version: '1.0.0' }

const closing: (() => unknown)[] = []
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))))

async function startWatched(home: ReturnType<typeof temporaryHome>['home'], env: Record<string, string>) {
  const endpoint = await startEndpoint()
  const allowed_tools = [
    { id: 'echo', input_schema: ECHO_SCHEMA, provider: fakeProvider('meta') },
    { id: 'post', provider: { kind: 'http', method: 'POST', url: `${endpoint.url}/in` } },
  ]
  writeHomePolicy(home, { allowed_tools })
  const hub = await spawnHub({ home: home.folder, env })
  closing.push(() => hub.end('SIGKILL'), endpoint.close)
  return { hub, endpoint, hall: hallOf(hub, home) }
}

/** A flow with the tools, and a grant for it. */
async function grantAt(hall: Hall): Promise<string> {
  const bundle = toolFlow(USE.flow_id, ['echo', 'post'])
  const { body } = await post(hall, '/api/v1/flows', { bundle, intent: 'It helps.' })
  const { body: made } = await post(hall, '/api/v1/tokens', { role: 'admin' })
  await post({ ...hall, token: made.bearer }, `/api/v1/proposals/${body.proposal_id}/approve`, {})
  const wanted = { flow_version: USE.flow_version, requested_tools: ['echo', 'post'] }
  return (await post(hall, `/api/v1/flows/${USE.flow_id}/external-grants`, wanted)).body.bearer
}

function use(hub: HubProcess, hall: Hall, bearer: string, tool: string, payload: object) {
  return fetch(`${hub.url}/api/v1/flows/external-tools/${tool}/invoke`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${hall.token}`,
      'x-flow-external-bearer': bearer,
      'content-type': 'application/json',
      traceparent: CALLER_TRACE,
    },
    body: JSON.stringify({ ...USE, payload }),
  })
}

function mcp(hub: HubProcess, hall: Hall, bearer: string, name: string, args: object, _meta: object) {
  return fetch(`${hub.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${hall.token}`,
      'x-flow-external-bearer': bearer,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, _meta },
    }),
  })
}

test('one trace goes from the call to the tool behind it, and what the caller says of its own is a link', async () => {
  using at = temporaryHome()
  const receiver = await startReceiver()
  closing.push(receiver.close)
  const { hub, endpoint, hall } = await startWatched(at.home, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'hub-of-the-test',
  })
  const bearer = await grantAt(hall)
  const answer = await use(hub, hall, bearer, 'post', { text: SECRET })
  expect(answer.status).toBe(200)
  const request_id = answer.headers.get('request-id')
  expect(request_id).toMatch(/^req_/)
  const overMcp = await mcp(hub, hall, bearer, 'echo', { message: SECRET }, { traceparent: CALLER_TRACE })
  const inner = (await overMcp.text()).match(/traceparent\\*":\\*"([\w-]+)/)?.[1]
  const denied = await use(hub, hall, `${bearer}x`, SECRET, {})
  expect(denied.status).toBeGreaterThanOrEqual(400)
  const record = await runProgram([
    'audit',
    'list',
    '--request-id',
    `${request_id}`,
    '--json',
    '--home',
    at.home.folder,
  ])
  expect(JSON.parse(record.stdout).records).toMatchObject([
    { operation: 'flow_external_tool_invoke', request_id },
  ])
  await hub.end('SIGTERM')

  const spans = receiver.spans()
  const rest = spans.find((span) => span.attributes['knowtation.request_id'] === request_id)
  expect(rest).toMatchObject({
    name: 'POST /api/v1/flows/external-tools/{tool_id}/invoke',
    kind: 2,
    links: [{ traceId: CALLER_TRACE.split('-')[1], spanId: CALLER_TRACE.split('-')[2] }],
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/flows/external-tools/{tool_id}/invoke',
      'http.response.status_code': 200,
    },
  })
  expect(rest?.parentSpanId).toBeUndefined()
  expect(rest?.traceId).not.toBe(CALLER_TRACE.split('-')[1])
  // What the service behind the tool was told is the span of our call to it, in our trace.
  const [, sentTrace, sentSpan] = String(endpoint.got.at(-1)?.headers.traceparent).split('-')
  const outgoing = spans.find((span) => span.spanId === sentSpan)
  expect(outgoing).toMatchObject({
    name: 'POST',
    kind: 3,
    traceId: rest?.traceId,
    parentSpanId: rest?.spanId,
  })
  expect(sentTrace).toBe(rest?.traceId)

  const call = spans.find((span) => span.name === 'tools/call echo' && span.kind === 2)
  expect(call).toMatchObject({
    links: [{ traceId: CALLER_TRACE.split('-')[1] }],
    attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'echo' },
  })
  expect(inner?.split('-')[1]).toBe(call?.traceId)
  expect(spans.find((span) => span.spanId === inner?.split('-')[2])).toMatchObject({
    kind: 3,
    parentSpanId: call?.spanId,
  })

  const asked = spans.filter((span) => span.traceId === rest?.traceId && span.attributes['db.system.name'])
  expect(asked.map(({ name }) => name)).toContain('TRANSACTION')
  expect(receiver.service()).toMatchObject({ 'service.name': 'hub-of-the-test' })
  expect(receiver.logs().map(({ text }) => text)).toContain('stopping')
  expect(receiver.text()).not.toContain(SECRET)
  expect(receiver.text()).not.toContain(bearer)
  expect(receiver.text()).not.toContain(hall.token)
})

test('the usual form of OTLP is protobuf, and only what is asked for is sent', async () => {
  using at = temporaryHome()
  const receiver = await startReceiver()
  closing.push(receiver.close)
  const { hub, hall } = await startWatched(at.home, {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces`,
  })
  await grantAt(hall)
  await hub.end('SIGTERM')
  expect(new Set(receiver.paths)).toEqual(new Set(['/v1/traces']))
  expect(receiver.text()).toContain('knowtation.operation')
})

test.each(['silent', 'refusing'] as const)(
  'a receiver that is %s changes nothing for callers',
  async (how) => {
    using at = temporaryHome()
    const receiver = await startReceiver(how)
    closing.push(receiver.close)
    const { hub, hall } = await startWatched(at.home, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
    const bearer = await grantAt(hall)
    for (let round = 0; round < 5; round++)
      expect((await use(hub, hall, bearer, 'post', { round })).status).toBe(200)
    const { code } = await hub.end('SIGTERM')
    expect(code).toBe(0)
  },
)

test('without the variables nothing of it is loaded, and what cannot be spoken is told', async () => {
  using at = temporaryHome()
  const wrong = await runProgram(['serve', '--port', '0', '--home', at.home.folder], {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
  })
  expect(wrong.code).toBe(1)
  expect(wrong.stderr).toContain('http/protobuf')
  const { hub, hall } = await startWatched(at.home, {
    OTEL_SDK_DISABLED: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'x',
  })
  const listed = await fetch(`${hub.url}/api/v1/flows`, {
    headers: { authorization: `Bearer ${hall.token}` },
  })
  expect(listed.headers.get('request-id')).toBeNull()
})
