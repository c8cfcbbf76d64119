import { join } from 'node:path'
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, test } from 'vitest'
import { type AskingHub, decide, startAskingHub, waiting } from '../external-agent/approvals.fixture.ts'
import type { Json } from '../external-agent/gate-hub.ts'
import { childEnv } from '../harness/run-program.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function started(hold_seconds: number): Promise<AskingHub> {
  const asking = await startAskingHub({ config: { approvals: { hold_seconds } } })
  ends.push(asking.close)
  return asking
}

type Calls = (payload: object, told?: () => void) => Promise<Json>

const info = { name: 'claude-code', version: '1.0' }

function where({ hub, grant }: AskingHub) {
  const headers = {
    authorization: `Bearer ${hub.credentials.bearers.viewer}`,
    'x-flow-external-bearer': grant.presented.external_bearer ?? '',
  }
  return [new URL(`${hub.url}/mcp`), { requestInit: { headers } }] as const
}

const CLIENTS: Readonly<Record<string, (asking: AskingHub) => Promise<Calls>>> = {
  'SDK 1.x': async (asking) => {
    const client = new OldClient(info)
    await client.connect(new OldHttp(...where(asking)))
    ends.push(() => client.close())
    return (payload, told) =>
      client.callTool(
        { name: 'post', arguments: { ...payload } },
        undefined,
        told && { onprogress: told, resetTimeoutOnProgress: true },
      )
  },
  'SDK 2.x': async (asking) => {
    const client = new NewClient(info)
    await client.connect(new NewHttp(...where(asking)))
    ends.push(() => client.close())
    return (payload, told) =>
      client.callTool(
        { name: 'post', arguments: { ...payload } },
        told && { onprogress: told, resetTimeoutOnProgress: true },
      )
  },
  'SDK 2.x of 2026': async (asking) => {
    const client = new NewClient(info, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new NewHttp(...where(asking)))
    ends.push(() => client.close())
    return (payload, told) =>
      client.callTool(
        { name: 'post', arguments: { ...payload } },
        told && { onprogress: told, resetTimeoutOnProgress: true },
      )
  },
}

async function oneWaiting({ hub }: AskingHub): Promise<Json> {
  for (;;) {
    const [one] = await waiting(hub)
    if (one) return one
    await new Promise((done) => setTimeout(done, 50))
  }
}

test('a client that can show pages is given the page, and its own yes decides nothing', async () => {
  const asking = await started(0)
  const shown: string[] = []
  const client = new NewClient(info, {
    versionNegotiation: { mode: 'auto' },
    capabilities: { elicitation: { url: {} } },
  })
  client.setRequestHandler('elicitation/create', ({ params }) => {
    shown.push((params as { url: string }).url)
    return { action: 'accept' }
  })
  await client.connect(new NewHttp(...where(asking)))
  ends.push(() => client.close())
  const calls = () => client.callTool({ name: 'post', arguments: { text: 'shown' } }) as Promise<Json>
  const pending = (await calls()).structuredContent
  expect(shown).toEqual([`${asking.hub.url}/console/inbox?item=call:${pending.approval_id}`])
  expect(asking.endpoint.got).toEqual([])
  await decide(asking.hub, pending.approval_id, 'approve')
  expect((await calls()).isError).not.toBe(true)
  expect([shown.length, asking.endpoint.got.length]).toEqual([1, 1])
})

test('an older client over stdio is given it too, and its cancel decides nothing either', async () => {
  const asking = await started(0)
  const { hub, grant } = asking
  const shown: string[] = []
  const client = new OldClient(info, { capabilities: { elicitation: { url: {} } } })
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    shown.push((params as { url: string }).url)
    return { action: 'cancel' }
  })
  const env = childEnv({ ...hub.options.env, KNOWTATION_GRANT_BEARER: grant.presented.external_bearer })
  await client.connect(new OldStdio({ command: process.execPath, args: [MAIN, 'mcp'], env, stderr: 'pipe' }))
  ends.push(() => client.close())
  const calls = () => client.callTool({ name: 'post', arguments: { text: 'shown' } }) as Promise<Json>
  const { approval_id } = (await calls()).structuredContent
  expect(shown).toEqual([`http://localhost:${new URL(hub.url).port}/console/inbox?item=call:${approval_id}`])
  await decide(hub, approval_id, 'approve')
  expect((await calls()).isError).not.toBe(true)
  expect([shown.length, asking.endpoint.got.length]).toEqual([1, 1])
})

describe.each(Object.keys(CLIENTS))('%s', (name) => {
  const connect = CLIENTS[name] as (asking: AskingHub) => Promise<Calls>

  test('waits with progress, and gets what the tool answered', async () => {
    const asking = await started(120)
    const calls = await connect(asking)
    const heard = Promise.withResolvers<void>()
    const held = calls({ text: 'hello' }, () => heard.resolve())
    await heard.promise
    await decide(asking.hub, (await oneWaiting(asking)).approval_id, 'approve')
    const { result } = JSON.parse((await held).content[0].text)
    expect(JSON.parse(result.body.said)).toEqual({ text: 'hello' })
    expect(asking.endpoint.got).toHaveLength(1)
  })

  test('is told to come back, and comes back to the same request', async () => {
    const asking = await started(0)
    const calls = await connect(asking)
    const pending = await calls({ text: 'later' })
    expect(pending.isError).not.toBe(true)
    expect(pending.structuredContent.schema).toBe('knowtation.approval_pending/v0')
    expect((await calls({ text: 'later' })).structuredContent).toEqual(pending.structuredContent)
    const { approval_id } = pending.structuredContent
    await decide(asking.hub, approval_id, 'approve')
    const [first, second] = await Promise.all([calls({ text: 'later' }), calls({ text: 'later' })])
    expect(first.content).toEqual(second.content)
    expect(asking.endpoint.got).toHaveLength(1)
    const other = await calls({ text: 'no' })
    await decide(asking.hub, other.structuredContent.approval_id, 'deny')
    const refused = await calls({ text: 'no' })
    expect([refused.isError, JSON.parse(refused.content[0].text).code]).toEqual([
      true,
      'FLOW_EXTERNAL_APPROVAL_DENIED',
    ])
  })
})
