import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { runInProcess } from '../harness/call-cli.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { signGatewayJwt } from '../harness/callers.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { bundleOf } from '../parity/sample-flows.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords, send } from '../rest/rest-hub.fixture.ts'
import { tool } from './bundles.ts'
import { ask, listed, type Minted, mint, policyWith, startGateHub, turnGate } from './gate-hub.ts'
import { homeText } from './grant-crowd.ts'
import { type Endpoint, fakeProvider, startEndpoint } from './tool-servers.ts'

/** A word that occurs nowhere by itself. */
const canary = (place: string) => `canary-${place}-${randomBytes(9).toString('hex')}`

/** The forms in which a text may hide. Base64 looks different at each of three offsets. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const shifted = [0, 1, 2].map((shift) => Buffer.concat([Buffer.alloc(shift), bytes]))
  const base64 = shifted.flatMap((one) =>
    (['base64', 'base64url'] as const).map((kind) => one.toString(kind).slice(4, -4)),
  )
  const percent = [...bytes].map((byte) => `%${byte.toString(16)}`).join('')
  return [secret, bytes.toString('hex'), percent, ...base64].map((form) => form.toLowerCase())
}

function expectAbsent(secrets: Record<string, string>, places: Record<string, string>): void {
  for (const [place, text] of Object.entries(places)) {
    const haystack = text.toLowerCase()
    for (const [name, secret] of Object.entries(secrets))
      for (const form of formsOf(secret))
        expect([place, name, haystack.includes(form)]).toEqual([place, name, false])
  }
}

const pin = { flow_id: 'flow_canary', flow_version: '1.0.0' }
const FETCH = { flow_id: 'flow_canary', harness: 'agent_bundle' }

/** Secrets that are planted wherever a caller or an owner can put one. */
export function describeCanaries(): void {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-canary-'))
  const credential = { env: canary('env'), file: canary('file'), header: canary('header') }
  const flow_text = canary('flow-text')
  let hub: TestHub
  let endpoint: Endpoint
  const answers: string[] = []
  beforeAll(async () => {
    writeFileSync(join(folder, 'key'), credential.file)
    endpoint = await startEndpoint()
    const headers = { authorization: 'Bearer env:CANARY_KEY', 'x-key': `file:${join(folder, 'key')}` }
    const allowed_tools = [
      { id: 'web_search' },
      { id: 'alpha', provider: { kind: 'http', method: 'POST', url: endpoint.url, headers } },
      { id: 'beta', provider: fakeProvider('fault', { env: ['FAKE_KEY'] }) },
    ]
    hub = await startGateHub('on', {
      env: { CANARY_KEY: credential.env, FAKE_KEY: credential.header },
      config: { rate_limits: { failed_authentications_per_minute: 1_000_000 } },
      policy: policyWith({ allowed_tools }),
    })
    const step = {
      instruction: flow_text,
      boundaries: [flow_text],
      skill_refs: ['web_search', 'alpha', 'beta'].map(tool),
    }
    await storeFlows(hub.hub, 'default', [bundleOf('flow_canary', { title: flow_text }, 1, step)])
  })
  afterAll(async () => {
    await hub.close()
    await endpoint.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const tell = async (...asked: Parameters<typeof ask> extends [unknown, ...infer Rest] ? Rest : never) => {
    const told = await ask(hub, ...asked)
    answers.push(told.text)
    return told
  }

  /** Everything that is kept or printed. */
  const keptPlaces = async () => ({
    audit: JSON.stringify(await auditRecords(hub)),
    log: hub.logged.join('\n'),
    disk: homeText(hub.home),
    metrics: (await send(hub.url, { path: '/metrics' })).text,
  })

  verifies(['GATE-027', 'GATE-194'], 'what is said with a call is kept nowhere', async () => {
    const planted = {
      label: canary('label'),
      payload: canary('payload'),
      key: canary('payload-key'),
      agent: canary('agent'),
      bearer: `fgrnt_bearer_${randomBytes(16).toString('hex')}`,
      short: `fgrnt_bearer_${randomBytes(11).toString('hex')}`,
      delegation: `dgrnt_bearer_${randomBytes(16).toString('hex')}`,
    }
    const requested_tools = ['web_search', 'alpha', 'beta']
    for (const way of ['rest', 'mcp', 'cli'] as const) {
      const held = await mint(hub, { ...pin, requested_tools, actor_label: planted.label }, { way })
      const payload = { [planted.key]: planted.payload }
      for (const tool_id of requested_tools)
        await tell('flow_external_tool_invoke', { ...pin, tool_id, payload }, { presented: held.presented })
      await plantBearers(held, planted)
      answers.push(JSON.stringify(await listed(hub)))
      await tell('flow_project', FETCH, { presented: held.presented })
    }
    await plantInHeaders(planted)
    const { payload: _p, key: _k, ...never } = planted
    expectAbsent({ ...planted, ...credential }, await keptPlaces())
    // The provider is told the payload and may say it back; nothing else comes back from anywhere.
    expectAbsent({ ...never, ...credential }, { answers: answers.join('\n') })
    expect(endpoint.got.at(-1)?.headers).toMatchObject({
      authorization: `Bearer ${credential.env}`,
      'x-key': credential.file,
    })
  })

  async function plantBearers(
    { bearer, grant }: Minted,
    planted: { short: string; bearer: string; delegation: string },
  ) {
    for (const word of [bearer, planted.bearer, planted.short, planted.delegation]) {
      await tell('flow_external_tool_invoke', { ...pin, tool_id: word, bearer: word, grant_id: word })
      await tell('flow_external_grant_revoke', { grant_id: word })
      await tell('flow_external_grant_list', { flow_id: word })
      await tell('flow_project', { flow_id: word, harness: 'agent_bundle' })
      await tell('flow_external_grant_mint', { ...pin, requested_tools: [word] })
      await tell(
        'flow_external_tool_invoke',
        { ...pin, tool_id: 'alpha' },
        {
          presented: { external_bearer: word, grant_id: word === bearer ? planted.short : grant.grant_id },
        },
      )
      for (const path of [`/${word}`, `/api/v1/flows?bearer=${word}`, `/api/v1/${word}`])
        answers.push((await send(hub.url, { path, bearer: hub.credentials.bearers.editor })).text)
      answers.push((await send(hub.url, { path: '/api/v1/flows', bearer: word })).text)
    }
  }

  async function plantInHeaders(planted: { agent: string; short: string }): Promise<void> {
    const path = '/api/v1/flows/flow_canary/projection?harness=agent_bundle'
    const bearer = hub.credentials.bearers.editor
    const headers = {
      'user-agent': planted.agent,
      cookie: planted.agent,
      'x-forwarded-for': planted.agent,
      'x-flow-grant-id': planted.short,
      referer: `http://x/?${planted.short}`,
    }
    answers.push((await send(hub.url, { path, bearer, headers })).text)
    answers.push(
      (await send(hub.url, { path, bearer: await signGatewayJwt({ name: planted.agent }), headers })).text,
    )
    const client = await connectClient(`${hub.url}/mcp`, bearer, undefined, headers)
    await client
      .callTool({ name: planted.short, arguments: { [planted.agent]: planted.agent } })
      .catch(() => {})
    await client.close()
  }

  verifies('GATE-194', 'the bearer itself is in no list, bundle, log or file, in any form', async () => {
    const { bearer, presented, grant } = await mint(hub, pin)
    const jwt = hub.credentials.bearers.gateway ?? ''
    const fetched = await ask(hub, 'flow_project', FETCH, { presented })
    const hosted = await ask(hub, 'flow_project', FETCH, { as: 'gateway', presented })
    await ask(hub, 'flow_external_tool_invoke', { ...pin, tool_id: 'web_search' }, { presented })
    turnGate(hub, '0')
    await ask(hub, 'flow_external_tool_invoke', { ...pin, tool_id: 'web_search' }, { presented })
    turnGate(hub, '1')
    const words = ['flow', 'project', 'flow_canary', '--harness', 'agent_bundle', '--url', hub.url]
    const env = { KNOWTATION_TOKEN: hub.credentials.bearers.editor, KNOWTATION_GRANT_BEARER: bearer }
    const printed = await runInProcess(words, env)
    const list = JSON.stringify(await listed(hub))
    expect(list).toContain(grant.grant_id)
    const secrets = { bearer, opaque: bearer.slice(13), jwt: jwt.split('.')[2] ?? '', ...credential }
    const places = {
      list,
      bundle: fetched.text,
      hosted: hosted.text,
      program: printed.stdout + printed.stderr,
    }
    expectAbsent(secrets, { ...places, ...(await keptPlaces()) })
  })

  verifies(['GATE-194', 'GATE-191'], 'the text of a flow is in no log, record, grant or metric', async () => {
    const { grant } = await mint(hub, pin)
    const { disk, ...places } = await keptPlaces()
    expectAbsent({ flow_text }, { ...places, grant: JSON.stringify(grant) })
    // The search itself works: the flow is stored, and found there.
    expect(disk).toContain(flow_text)
    const [bytes, hidden] = [
      Buffer.from(flow_text),
      (text: string) => () => expectAbsent({ flow_text }, { text }),
    ]
    for (const text of [
      bytes.toString('hex'),
      `x${Buffer.concat([Buffer.from('ab'), bytes]).toString('base64')}`,
    ])
      expect(hidden(text)).toThrow()
  })
}
