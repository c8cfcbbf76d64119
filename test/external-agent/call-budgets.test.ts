import { afterEach, describe, expect, test } from 'vitest'
import { explainTools } from '../../src/domains/flows/grants/explain-tools.ts'
import { flowChores } from '../../src/domains/flows/index.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type Clock, DATABASES, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { ask, type Minted, mint, policyWith, startGateHub, writePolicy } from './gate-hub.ts'
import { type Endpoint, fakeProvider, startEndpoint, toolFlow } from './tool-servers.ts'

const pin = { flow_id: 'flow_bounded', flow_version: '1.0.0' }
const START = Date.parse('2026-11-15T08:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1_000)
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** A hub whose grants may call `one` and `two` of the fake server, and `post` at an endpoint. */
async function startBounded(
  ofGrants: object,
  ofOne: object,
  options: { database?: (typeof DATABASES)[number]; clock?: Clock } = {},
): Promise<{ hub: TestHub; endpoint: Endpoint }> {
  const endpoint = await startEndpoint()
  ends.push(endpoint.close)
  const policy = {
    ...ofGrants,
    providers: {
      fake: { ...fakeProvider('echo'), tool: undefined },
      web: { kind: 'http', url: endpoint.url },
    },
    allowed_tools: [
      { id: 'one', provider: { name: 'fake', tool: 'echo' }, ...ofOne },
      { id: 'two', provider: { name: 'fake', tool: 'big' } },
      { id: 'post', provider: { name: 'web' }, ...ofOne },
      { id: 'nothing', ...ofOne },
    ],
  }
  const hub = await startGateHub('on', { ...options, policy: policyWith(policy) })
  ends.push(() => hub.close())
  await storeFlows(hub.hub, 'default', [toolFlow(pin.flow_id, ['one', 'two', 'post', 'nothing'])])
  return { hub, endpoint }
}

const held = (hub: TestHub) => mint(hub, { ...pin, requested_tools: ['one', 'two', 'post', 'nothing'] })

const use = (hub: TestHub, { presented }: Minted, tool_id: string, payload: object = {}) =>
  ask(hub, 'flow_external_tool_invoke', { tool_id, ...pin, payload }, { presented })

describe.each(DATABASES)('calls of a minute on %s', (database) => {
  test('are counted for each grant, begin anew after a minute, and one too many is not counted', async () => {
    const clock: Clock = { now: at(0) }
    const { hub } = await startBounded({ calls_per_minute: 2 }, {}, { database, clock })
    const [grant, other] = [await held(hub), await held(hub)]
    const codes = async () => (await use(hub, grant, 'nothing')).code
    expect([await codes(), await codes(), await codes()]).toEqual([undefined, undefined, 'RATE_LIMITED'])
    expect((await use(hub, other, 'nothing')).status).toBe(200)
    const { body } = await ask(hub, 'flow_external_grant_list')
    const counts = body.grants.map((one: { invocation_count: number }) => one.invocation_count)
    expect(counts.toSorted()).toEqual([1, 2])
    clock.now = at(59)
    expect(await codes()).toBe('RATE_LIMITED')
    clock.now = at(60)
    expect(await codes()).toBeUndefined()
  })

  test('are told by explain as the call tells of them, and take no tool off the list', async () => {
    const clock: Clock = { now: at(0) }
    const { hub } = await startBounded({ calls_per_minute: 2 }, { calls_per_minute: 3 }, { database, clock })
    const grant = await held(hub)
    const { grant_id } = grant.grant
    const explained = async () => {
      const asked = { ...pin, grant_id, tool_id: 'nothing' }
      const { code, conditions } = (await ask(hub, 'explain', asked, { as: 'owner' })).body
      const one = conditions.find(({ condition }: { condition: string }) => condition.includes('minute'))
      return [code, one.detail]
    }
    expect(await explained()).toEqual([null, '0 of 2 used, 0 of 3 used'])
    for (const used of [1, 2]) {
      expect((await use(hub, grant, 'nothing')).status).toBe(200)
      const code = used === 2 ? 'RATE_LIMITED' : null
      expect(await explained()).toEqual([code, `${used} of 2 used, ${used} of 3 used`])
    }
    expect((await use(hub, grant, 'nothing')).code).toBe('RATE_LIMITED')
    const { tools, filters } = await explainTools(hub.hub, 'default', grant_id)
    expect(tools.toSorted()).toEqual(['nothing', 'one', 'post', 'two'])
    expect(filters.map(({ after }) => after)).toEqual([4, 4])
    clock.now = at(60)
    expect(await explained()).toEqual([null, '0 of 2 used, 0 of 3 used'])
  })

  test('are counted for each tool, of all grants together', async () => {
    const { hub } = await startBounded({}, { calls_per_minute: 2 }, { database })
    const grants = [await held(hub), await held(hub), await held(hub)]
    const told = await Promise.all(grants.map((grant) => use(hub, grant, 'nothing')))
    expect(told.map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
    const record = (await auditRecords(hub)).findLast(({ code }) => code === 'RATE_LIMITED')
    expect(record).toMatchObject({ outcome: 'denied', target_id: 'nothing' })
    expect((await use(hub, grants[0] as Minted, 'two', { bytes: 1 })).status).toBe(200)
  })

  test('are no more than the limit, however many race', async () => {
    const { hub } = await startBounded({ calls_per_minute: 7 }, {}, { database })
    const grant = await held(hub)
    const told = await Promise.all(Array.from({ length: 40 }, () => use(hub, grant, 'nothing')))
    expect(told.filter(({ status }) => status === 200)).toHaveLength(7)
    expect(told.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(33)
  })

  test('are counted on where one was counted that came a moment later', async () => {
    const clock: Clock = { now: at(1) }
    const { hub } = await startBounded({ calls_per_minute: 2 }, {}, { database, clock })
    const grant = await held(hub)
    const codes: unknown[] = []
    for (const seconds of [1, 0.999, 0, 0.5]) {
      clock.now = at(seconds)
      codes.push((await use(hub, grant, 'nothing')).code)
    }
    expect(codes).toEqual([undefined, undefined, 'RATE_LIMITED', 'RATE_LIMITED'])
  })

  test('are not withheld by a count of a time to come', async () => {
    const clock: Clock = { now: at(3_600) }
    const { hub } = await startBounded({}, { calls_per_minute: 1 }, { database, clock })
    const grant = await held(hub)
    await use(hub, grant, 'nothing')
    clock.now = at(0)
    expect((await use(hub, await held(hub), 'nothing')).status).toBe(200)
  })
})

test('a tool of the same name in another vault has a count of its own', async () => {
  const { hub } = await startBounded({}, { calls_per_minute: 1 })
  const there = { as: 'hub', vault: 'team1' } as const
  hub.write(
    hub.home.vaultPolicy('team1'),
    policyWith({ allowed_tools: [{ id: 'nothing', calls_per_minute: 1 }] }),
  )
  await storeFlows(hub.hub, 'team1', [toolFlow(pin.flow_id, ['nothing'])])
  const own = await held(hub)
  const other = await mint(hub, { ...pin, requested_tools: ['nothing'] }, there)
  const input = { tool_id: 'nothing', ...pin, payload: {} }
  const useThere = async () =>
    (await ask(hub, 'flow_external_tool_invoke', input, { ...there, presented: other.presented })).code
  expect([(await use(hub, own, 'nothing')).code, await useThere()]).toEqual([undefined, undefined])
  expect([(await use(hub, own, 'nothing')).code, await useThere()]).toEqual(['RATE_LIMITED', 'RATE_LIMITED'])
})

test('what was counted long ago is forgotten, and no minute that is counted', async () => {
  const clock: Clock = { now: at(0) }
  const { hub } = await startBounded({}, { calls_per_minute: 1 }, { clock })
  await use(hub, await held(hub), 'nothing')
  clock.now = at(3_600)
  await use(hub, await held(hub), 'post')
  const counted = sql<{ subject: string }>('SELECT subject FROM call_budgets ORDER BY subject')
  const left = async (now: Date) => {
    clock.now = now
    for (const { run } of flowChores) await run(hub.hub)
    return (await hub.hub.db.all(counted)).map(({ subject }) => subject)
  }
  expect(await left(at(3_600))).toEqual(['tool default nothing', 'tool default post'])
  expect(await left(at(3_601))).toEqual(['tool default post'])
})

test('one call too many says when the next may be made', async () => {
  const clock: Clock = { now: at(0) }
  const { hub } = await startBounded({ calls_per_minute: 1 }, {}, { clock })
  const { bearer } = await held(hub)
  const call = () =>
    fetch(`${hub.url}/api/v1/flows/external-tools/nothing/invoke`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${hub.credentials.bearers.editor}`,
        'x-flow-external-bearer': bearer,
        'content-type': 'application/json',
      },
      body: JSON.stringify(pin),
    })
  await call()
  clock.now = at(15)
  const refused = await call()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '45'])
})

describe('sizes', () => {
  test.each<[string, object, object]>([
    ['of the tool', {}, { max_payload_bytes: 20 }],
    ['of any call of a grant', { max_payload_bytes: 20 }, {}],
    ['the smaller of the two', { max_payload_bytes: 20 }, { max_payload_bytes: 2_000 }],
  ])('bound a payload: %s', async (_, ofGrants, ofOne) => {
    const { hub, endpoint } = await startBounded(ofGrants, ofOne)
    const grant = await held(hub)
    // `{"text":"é12345678"}` is 21 bytes of 20 characters.
    const refused = await use(hub, grant, 'post', { text: 'é12345678' })
    expect([refused.status, refused.code]).toEqual([400, 'BAD_REQUEST'])
    expect(endpoint.got).toEqual([])
    expect((await use(hub, grant, 'post', { text: '123456789' })).status).toBe(200)
    const { body } = await ask(hub, 'flow_external_grant_list')
    expect(body.grants[0].invocation_count).toBe(1)
  })

  test.each<[string, object, object]>([
    ['of the tool', {}, { max_result_bytes: 200 }],
    ['of any call of a grant', { max_result_bytes: 200 }, {}],
  ])('bound an answer: %s', async (_, ofGrants, ofOne) => {
    const { hub } = await startBounded(ofGrants, ofOne)
    const grant = await held(hub)
    expect((await use(hub, grant, 'one', { text: 'short' })).status).toBe(200)
    const refused = await use(hub, grant, 'one', { text: 'x'.repeat(300) })
    expect([refused.status, refused.code]).toEqual([502, 'FLOW_EXTERNAL_PROVIDER_FAILED'])
    expect(refused.text).not.toContain('xxx')
  })
})

describe('a mint', () => {
  test('tells the budgets of its grant', async () => {
    const { hub } = await startBounded({ calls_per_minute: 30 }, { max_result_bytes: 500 })
    const { body } = await ask(hub, 'flow_external_grant_mint', { ...pin, requested_tools: ['one', 'two'] })
    expect(body.budgets).toEqual({ calls_per_minute: 30, tools: { one: { max_result_bytes: 500 } } })
  })

  test('says nothing of budgets when there are none', async () => {
    const { hub } = await startBounded({}, {})
    const { body } = await ask(hub, 'flow_external_grant_mint', { ...pin, requested_tools: ['one'] })
    expect(Object.keys(body)).toEqual(['schema', 'grant', 'bearer', 'expires_at'])
  })
})

test.each<[string, object]>([
  ['a provider that is not there', { name: 'nobody', tool: 'echo' }],
  ['a server without a tool', { name: 'fake' }],
  ['a service with a tool', { name: 'web', tool: 'echo' }],
])('a policy whose tool names %s is damaged and opens nothing', async (_, provider) => {
  const { hub } = await startBounded({}, {})
  const grant = await held(hub)
  writePolicy(hub, {
    providers: {
      fake: { ...fakeProvider('echo'), tool: undefined },
      web: { kind: 'http', url: 'http://127.0.0.1:9/' },
    },
    allowed_tools: [{ id: 'nothing' }, { id: 'one', provider }],
  })
  expect((await use(hub, grant, 'nothing')).code).toBe('FLOW_EXTERNAL_TOOL_DENIED')
})
