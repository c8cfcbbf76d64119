import { afterEach, describe, expect, test } from 'vitest'
import { flowChores } from '../src/domains/flows/index.ts'
import { hashSecret } from '../src/platform/basics/secret-hash.ts'
import { sql } from '../src/platform/storage/database.ts'
import { startHub } from '../src/surfaces/http/start-hub.ts'
import { type HubProcess, spawnHub, temporaryHome } from './e2e/hub-process.fixture.ts'
import { readStored } from './e2e/stored-state.fixture.ts'
import {
  ask,
  listed,
  MINT_INPUT,
  mint,
  startGateHub,
  turnGate,
  USE,
  writePolicy,
} from './external-agent/gate-hub.ts'
import {
  CROWD,
  type Hall,
  hallOf,
  homeText,
  invokeAt,
  many,
  mintAt,
  publishCrowd,
  revokeAt,
  storedGrants,
  storeExpired,
  tally,
  writeHomePolicy,
} from './external-agent/grant-crowd.ts'
import { describeKilledHub } from './external-agent/killed-hub.ts'
import { describeRevokeRace } from './external-agent/revoke-race.ts'
import { toolFlow } from './external-agent/tool-servers.ts'
import { runInProcess } from './harness/call-cli.ts'
import { DATABASES, startTestHub, storeFlows, type TestHub } from './harness/test-hub.ts'
import { citedRules } from './requirements/cited-rules.ts'
import { verifies } from './requirements/verifies.ts'

const DENIED = 'FLOW_EXTERNAL_GRANT_DENIED'
const PARALLEL = 1_000
const CAP = 100

const children: HubProcess[] = []
afterEach(async () => void (await Promise.all(children.splice(0).map((hub) => hub.end('SIGKILL')))))

const invoke = (hub: TestHub, input: object, external_bearer?: string) =>
  ask(
    hub,
    'flow_external_tool_invoke',
    { ...USE, ...input },
    external_bearer ? { presented: { external_bearer } } : {},
  )
const hallOfTest = (hub: TestHub): Hall => ({ url: hub.url, token: hub.credentials.bearers.admin })

describe('a grant’s count', () => {
  verifies(['GATE-055', 'GATE-056', 'GATE-057'], 'is the hub’s alone, and full is full', async () => {
    await using hub = await startGateHub('on')
    writePolicy(hub, { max_invocations: 3 })
    const { grant, bearer, presented } = await mint(hub, { invocation_count: -50, max_invocations: 0 })
    expect([grant.max_invocations, grant.invocation_count]).toEqual([3, 0])
    const count = async () => (await listed(hub))[0]?.invocation_count
    const fetch = { flow_id: 'flow_gate', version: '1.2.0', harness: 'agent_bundle' }
    const wrongs = [{ tool_id: 'alpha' }, { flow_version: '1.3.0' }, { payload: 'x' }]
    for (const [at, wrong] of wrongs.entries()) {
      const pushed = await invoke(hub, { invocation_count: -50, max_invocations: 0 }, bearer)
      expect([pushed.status, await count()]).toEqual([200, at + 1])
      expect((await invoke(hub, wrong, bearer)).status).toBe([403, 403, 400][at])
      expect((await ask(hub, 'flow_project', fetch, { presented })).status).toBe(200)
      expect(await count()).toBe(at + 1)
    }
    const refused = await invoke(hub, {}, bearer)
    expect([refused.status, refused.code, await count()]).toEqual([403, DENIED, 3])
    await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })
    expect(await count()).toBe(3)
  })

  for (const database of DATABASES) {
    verifies(
      ['GATE-180', 'GATE-181'],
      `lets exactly ${CAP} of ${PARALLEL} pass at once, on ${database} with two hubs where it has two`,
      async () => {
        await using hub = await startGateHub('on', {
          database,
          env: { KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) },
        })
        await storeFlows(hub.hub, 'default', [toolFlow(CROWD.flow_id, ['web_search'])])
        const { KNOWTATION_DATABASE_URL: url } = hub.options.env
        await using other = url ? await startTestHub({ env: hub.options.env }) : await startTestHub()
        if (url) writePolicy(other)
        const { bearer, grant } = (await mintAt(hallOfTest(hub))).body
        expect(grant.max_invocations).toBe(CAP)
        const halls = url ? [hub, other].map(hallOfTest) : [hallOfTest(hub)]
        const answers = await many(PARALLEL, (at) => invokeAt(halls[at % halls.length] as Hall, bearer))
        expect(tally(answers)).toEqual({ passed: CAP, codes: [DENIED] })
        expect([hub, other].flatMap(({ logged }) => logged).join()).not.toContain('fgrnt_bearer_')
        expect((await listed(hub))[0]?.invocation_count).toBe(CAP)
        const free = await mintAt(hallOfTest(hub))
        await many(40, () => invokeAt(halls[0] as Hall, free.body.bearer))
        expect((await listed(hub)).map((one) => one.invocation_count).toSorted()).toEqual([CAP, 40])
      },
      60_000,
    )
  }

  verifies(
    ['GATE-180', 'GATE-181'],
    'is one count for several programs on one home, none of which logs a bearer',
    async () => {
      using at = temporaryHome()
      writeHomePolicy(at.home)
      const hubs = await many(3, () => spawnHub({ home: at.home.folder }))
      children.push(...hubs)
      const halls = hubs.map((hub) => hallOf(hub, at.home))
      await publishCrowd(halls[0] as Hall)
      const { bearer, grant } = (await mintAt(halls[0] as Hall)).body
      const answers = await many(PARALLEL / 2, (index) => invokeAt(halls[index % 3] as Hall, bearer))
      expect(tally(answers)).toEqual({ passed: CAP, codes: [DENIED] })
      expect((await revokeAt(halls[1] as Hall, grant.grant_id)).status).toBe(200)
      for (const hall of halls)
        expect((await invokeAt(hall, bearer)).body.code).toBe('FLOW_EXTERNAL_GRANT_REVOKED')
      for (const hub of children.splice(0)) {
        const { stdout, stderr } = await hub.end('SIGTERM')
        expect(stdout + stderr).not.toContain('fgrnt_bearer_')
      }
      const { chain, calls } = await readStored(at.home)
      expect(chain).toMatchObject({ intact: true })
      expect(calls.flow_external_tool_invoke).toBe(CAP)
    },
    60_000,
  )
})

describe('the table of grants', () => {
  for (const database of DATABASES) {
    verifies(
      ['GATE-066', 'GATE-177', 'GATE-178'],
      `loses no mint of many, is bounded, and keeps the first revoke, on ${database}`,
      async () => {
        await using hub = await startGateHub('on', { database })
        await storeFlows(hub.hub, 'default', [toolFlow(CROWD.flow_id, ['web_search'])])
        const minted = await many(120, () => mintAt(hallOfTest(hub)))
        const ids = new Set(minted.map(({ body }) => body.grant.grant_id))
        const seen = (await listed(hub)).map(({ grant_id }) => grant_id)
        expect([ids.size, new Set(seen)]).toEqual([120, ids])
        writePolicy(hub, { max_live_grants: 150 })
        const more = await many(100, () => mintAt(hallOfTest(hub)))
        expect(more.filter(({ status }) => status === 201)).toHaveLength(30)
        const refused = more.filter(({ status }) => status !== 201)
        expect(new Set(refused.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
          new Set([`403 ${DENIED}`]),
        )
        expect(await storedGrants(hub)).toBe(150)
        const last = more.find(({ status }) => status === 201)?.body.grant.grant_id
        const revoked = await many(20, () => revokeAt(hallOfTest(hub), last))
        expect(new Set(revoked.map(({ body }) => body.revoked_at)).size).toBe(1)
        const used = await many(120, (index) => invokeAt(hallOfTest(hub), minted[index]?.body.bearer))
        expect(tally(used).passed).toBe(120)
      },
      60_000,
    )
  }

  verifies('GATE-178', 'makes room only where a grant has expired', async () => {
    const clock: { now?: Date } = {}
    await using hub = await startGateHub('on', { clock })
    writePolicy(hub, { max_live_grants: 2 })
    const [short, long] = [await mint(hub, { ttl_seconds: 60 }), await mint(hub)]
    const full = await ask(hub, 'flow_external_grant_mint', MINT_INPUT)
    expect([full.status, full.code]).toEqual([403, DENIED])
    clock.now = new Date(Date.now() + 61_000)
    expect((await ask(hub, 'flow_external_grant_mint', MINT_INPUT)).status).toBe(201)
    expect((await invoke(hub, {}, long.bearer)).status).toBe(200)
    expect((await invoke(hub, {}, short.bearer)).code).toBe(DENIED)
    expect(await storedGrants(hub)).toBe(2)
    writePolicy(hub, { max_live_grants: 0 })
    expect((await ask(hub, 'flow_external_grant_mint', MINT_INPUT)).code).toBe(DENIED)
  })

  verifies(
    'GATE-179',
    'with 20,000 expired grants is answered from at once and cleaned behind the calls',
    async () => {
      const HOUR_MS = 3_600_000
      const clock: { now?: Date } = {}
      await using hub = await startGateHub('on', { clock })
      const old = await storeExpired(hub, 20_000, new Date(Date.now() - 2 * HOUR_MS))
      const fresh = await mint(hub, { ttl_seconds: 60 })
      clock.now = new Date(Date.now() + 61_000)
      // Starting, and the first calls, wait for no cleaning.
      const running = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
      const second = { ...hub, url: running.url, hub: running.hub }
      expect((await invoke(second, {}, old[7])).code).toBe('FLOW_EXTERNAL_GRANT_EXPIRED')
      const live = await mint(second)
      expect(await storedGrants(hub)).toBe(20_002)
      const state = { cleaned: false }
      const cleaning = Promise.all(flowChores.map(({ run }) => run(second.hub)))
      void cleaning.then(() => (state.cleaned = true))
      let between = 0
      while (!state.cleaned) {
        expect((await invoke(second, {}, live.bearer)).code).toBe(between < CAP ? undefined : DENIED)
        if (!state.cleaned) between++
      }
      await cleaning
      expect(between).toBeGreaterThan(2)
      expect(await storedGrants(hub)).toBe(2)
      expect((await invoke(hub, {}, fresh.bearer)).code).toBe('FLOW_EXTERNAL_GRANT_EXPIRED')
      expect((await invoke(hub, {}, old[7])).code).toBe(DENIED)
      await running.stop()
    },
    60_000,
  )
})

describe('a bearer', () => {
  verifies(['GATE-054', 'GATE-058'], 'is in no log and on no disk, but its hash is there once', async () => {
    await using hub = await startGateHub('on')
    const { bearer, grant } = await mint(hub)
    const malformed = `fgrnt_bearer_${'!'.repeat(20)}canary`
    await many(50, () => invoke(hub, {}, bearer))
    await invoke(hub, {}, malformed)
    await ask(
      hub,
      'flow_project',
      { flow_id: 'flow_gate', version: '1.2.0', harness: 'agent_bundle' },
      {
        presented: { external_bearer: bearer },
      },
    )
    turnGate(hub, '0')
    await invoke(hub, {}, bearer)
    turnGate(hub, '1')
    const words = [
      'flow',
      'tool',
      'invoke',
      'web_search',
      '--flow-id',
      'flow_gate',
      '--flow-version',
      '1.2.0',
    ]
    const token = hub.credentials.bearers.editor
    for (const held of [bearer, malformed]) {
      const env = { KNOWTATION_TOKEN: token, KNOWTATION_GRANT_BEARER: held }
      const { stderr, stdout } = await runInProcess([...words, '--json', '--url', hub.url], env)
      expect(stderr + stdout).not.toContain(held)
    }
    await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })
    await invoke(hub, {}, bearer)
    await hub.hub.refusals.flushAll()
    const disk = homeText(hub.home)
    for (const secret of [bearer, bearer.slice(13), malformed, 'fgrnt_bearer_']) {
      expect(hub.logged.join()).not.toContain(secret)
      expect(disk).not.toContain(secret)
    }
    const rows = await hub.hub.db.all(sql('SELECT grant_bearer_hash FROM flow_external_grants'))
    expect(rows).toEqual([{ grant_bearer_hash: hashSecret(bearer) }])
    expect(disk).toContain(hashSecret(bearer))
  })
})

describe('a hub that is killed', describeKilledHub)

describe('a grant that is in use', describeRevokeRace)

describe('a hub whose gate is off', () => {
  verifies('GATE-162', 'gives nothing, however many ask', async () => {
    await using hub = await startGateHub('off')
    const answers = await many(50, () => mintAt(hallOfTest(hub)))
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['FLOW_EXTERNAL_AGENT_DISABLED']))
    expect(await storedGrants(hub)).toBe(0)
  })
})

// What the tables of this tier prove, rule by rule.
test('the tables of this tier cite these rules', () => {
  expect(citedRules('killed-hub.ts', 'revoke-race.ts')).toEqual(['GATE-063'])
})
