import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { pin as use } from './approvals.fixture.ts'
import { type Json, type Minted, mint, policyWith, startGateHub, writePolicy } from './gate-hub.ts'
import { definition, pinOf, type ShiftyServer, startShiftyServer } from './shifty-server.fixture.ts'
import { connectThree } from './three-clients.fixture.ts'
import { toolFlow } from './tool-servers.ts'

const SECRET = 'canary-env-51c7e0aa92'
const LIE = { readOnlyHint: true, destructiveHint: false, title: 'Harmless', odd: { readOnlyHint: 'x' } }
const OUTPUT = {
  type: 'object',
  properties: { day: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}$' }, note: { type: 'string' } },
  required: ['day'],
}
const CAUTIOUS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }

const definitions = {
  report: definition('report', { outputSchema: OUTPUT, annotations: LIE }),
  listing: definition('listing', { outputSchema: { type: 'array' }, annotations: {} }),
  vouched: definition('vouched', { annotations: LIE }),
  asking: definition('asking', { outputSchema: OUTPUT }),
}
const NAMES = Object.keys(definitions)

let hub: TestHub
let server: ShiftyServer
let held: Minted
let clients: Awaited<ReturnType<typeof connectThree>>

const policyOf = (url: string) => ({
  max_invocations: 10_000,
  providers: { shifty: { kind: 'mcp', url, headers: { 'x-key': 'env:SHIFTY_KEY' } } },
  allowed_tools: Object.entries(definitions).map(
    ([id, { description, outputSchema, annotations, ...rest }]) => ({
      id,
      description,
      input_schema: rest.inputSchema,
      output_schema: outputSchema,
      annotations,
      provider: { name: 'shifty', tool: id },
      pin: pinOf(definitions[id as keyof typeof definitions]),
      ...(id === 'vouched' && { trusts_annotations: true }),
      ...(id === 'asking' && { approval: 'each_call' }),
    }),
  ),
})

beforeAll(async () => {
  server = await startShiftyServer(() => Object.values(definitions))
  const config = { approvals: { hold_seconds: 0 } }
  hub = await startGateHub('on', {
    config,
    env: { SHIFTY_KEY: SECRET },
    policy: policyWith(policyOf(server.url)),
  })
  await storeFlows(hub.hub, 'default', [toolFlow(use.flow_id, NAMES)])
  held = await mint(hub, { ...use, requested_tools: NAMES })
  clients = await connectThree(hub, held)
})
beforeEach(() => {
  server.answer = undefined
})
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close()
  await hub.close()
  await server.close()
})

const CLIENTS = ['modern', 'newer', 'old'] as const
type Name = (typeof CLIENTS)[number]
const toolsOf = async (name: Name): Promise<Record<string, Json>> => {
  const { tools } = await clients[name].listTools()
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]))
}
/** The client holds each answer against the schema that it was told, and throws where they do not fit. */
const callBy = async (name: Name, tool = 'report'): Promise<Json> => {
  await clients[name].listTools()
  const { _meta, ...answer } = await clients[name].callTool({ name: tool, arguments: { text: 'a' } })
  return answer
}

describe.each(CLIENTS)('what a client is told of an imported tool: %s', (name) => {
  test('its output schema, and what its server claims as no more than a claim', async () => {
    const { report, listing, vouched } = await toolsOf(name)
    expect(report.outputSchema).toEqual(OUTPUT)
    expect(report.annotations).toEqual(CAUTIOUS)
    expect(report._meta).toEqual({
      'knowtation/claimed_annotations': { readOnlyHint: true, destructiveHint: false },
    })
    expect(report.description).toBe(
      'Does report (Claims of its server, not checked: readOnlyHint true, destructiveHint false.)',
    )
    // Older clients throw a whole list away over a root that is no object.
    expect(listing).not.toHaveProperty('outputSchema')
    expect(listing).not.toHaveProperty('_meta')
    expect(listing.description).toBe('Does listing')
    expect([vouched.annotations, vouched.description]).toEqual([
      { ...CAUTIOUS, readOnlyHint: true, destructiveHint: false },
      'Does vouched',
    ])
  })

  test('a structured answer that fits comes through', async () => {
    const answer = { content: [], structuredContent: { day: '2026-11', note: 'fine' } }
    server.answer = () => answer
    expect(await callBy(name)).toEqual(answer)
  })

  test.each<[string, object, string[]]>([
    ['has no structure', { content: [{ type: 'text', text: 'done' }] }, ['done']],
    ['has another structure', { content: [], structuredContent: { day: 7 } }, ['{"day":7}']],
    [
      'fits no more without a credential',
      { content: [], structuredContent: { day: '2026-11', note: SECRET, key: SECRET } },
      [],
    ],
  ])('an answer that %s is readable all the same', async (_, answer, shown) => {
    server.answer = () => answer
    const told = await callBy(name)
    if (shown.length === 0) {
      expect(told).toEqual({
        ...answer,
        structuredContent: { day: '2026-11', note: '[REDACTED]', key: '[REDACTED]' },
      })
      return
    }
    const texts = told.content.map(({ text }: Json) => text)
    expect([told.isError, texts.slice(0, -1), told.structuredContent]).toEqual([true, shown, undefined])
    expect(texts.at(-1)).toMatch(/^The tool was carried out\./)
    expect(server.called.at(-1)).toBe('report')
  })

  test('an answer whose day was a credential is readable, and says that the tool was carried out', async () => {
    server.answer = () => ({ content: [], structuredContent: { day: SECRET } })
    const told = await callBy(name)
    expect([told.isError, told.content[0].text]).toEqual([true, '{"day":"[REDACTED]"}'])
  })

  test('an error of the tool stays one, without what does not fit', async () => {
    const content = [{ type: 'text', text: 'no such month' }]
    server.answer = () => ({ content, isError: true, structuredContent: { why: 'x' } })
    expect(await callBy(name)).toEqual({ content, isError: true })
  })

  test('a call that waits for the owner, and a refusal, are readable as well', async () => {
    const pending = await callBy(name, 'asking')
    expect([pending.isError, pending.structuredContent]).toEqual([true, undefined])
    expect(JSON.parse(pending.content[0].text)).toMatchObject({ schema: 'knowtation.approval_pending/v0' })
  })
})

test('what only the tool of an MCP server can have damages the policy elsewhere', async () => {
  const http = { kind: 'http', url: 'http://127.0.0.1:9/x', method: 'POST' }
  for (const more of [{ output_schema: OUTPUT }, { annotations: LIE }, { trusts_annotations: true }]) {
    writePolicy(hub, { ...policyOf(server.url), allowed_tools: [{ id: 'web', provider: http, ...more }] })
    expect(hub.hub.rulesOf('default').policy.damaged).toContain('is for a tool of an MCP server')
  }
  writePolicy(hub, policyOf(server.url))
  expect(hub.hub.rulesOf('default').policy.damaged).toBeUndefined()
})
