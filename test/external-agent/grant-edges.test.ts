import { describe, expect, test } from 'vitest'
import { flowChores } from '../../src/domains/flows/index.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type Clock, DATABASES, startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import {
  ALLOWED_TOOLS,
  ask,
  listed,
  MINT_INPUT,
  mint,
  policyWith,
  startGateHub,
  USE,
  writePolicy,
} from './gate-hub.ts'
import { storedGrants, storeExpired } from './grant-crowd.ts'
import { toolFlow } from './tool-servers.ts'

const DENIED = 'FLOW_EXTERNAL_GRANT_DENIED'
const START = Date.parse('2026-11-15T08:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1_000)

const codeOfMint = async (hub: TestHub, how: Parameters<typeof ask>[3] = {}, input: object = MINT_INPUT) =>
  (await ask(hub, 'flow_external_grant_mint', input, how)).code

describe.each(DATABASES)('the table of grants on %s', (database) => {
  verifies('GATE-178', 'gives no place to a grant that still lives, not at its last moment', async () => {
    const clock: Clock = { now: at(0) }
    await using hub = await startGateHub('on', { database, clock })
    writePolicy(hub, { max_live_grants: 1 })
    const { presented } = await mint(hub, { ttl_seconds: 60 })
    clock.now = at(60)
    expect(await codeOfMint(hub)).toBe(DENIED)
    expect((await ask(hub, 'flow_external_tool_invoke', USE, { presented })).status).toBe(200)
    clock.now = new Date(at(60).getTime() + 1)
    expect(await codeOfMint(hub)).toBeUndefined()
    expect(await storedGrants(hub)).toBe(1)
  })

  test('gives the place of a revoked grant to another, once', async () => {
    const clock: Clock = { now: at(0) }
    await using hub = await startGateHub('on', { database, clock })
    writePolicy(hub, { max_live_grants: 2 })
    const { grant } = await mint(hub, { ttl_seconds: 60 })
    await mint(hub, { ttl_seconds: 600 })
    expect(await codeOfMint(hub)).toBe(DENIED)
    for (let time = 0; time < 3; time++)
      await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })
    expect(await codeOfMint(hub, {}, { ...MINT_INPUT, ttl_seconds: 600 })).toBeUndefined()
    expect(await codeOfMint(hub)).toBe(DENIED)
    // The revoked one goes at last, and gives no second place.
    clock.now = at(61)
    expect(await codeOfMint(hub)).toBe(DENIED)
  })

  test('keeps a grant that was refused as expired so when the clock is set back, until it is revoked', async () => {
    const clock: Clock = { now: at(0) }
    await using hub = await startGateHub('on', { database, clock })
    writePolicy(hub, { max_live_grants: 1 })
    const { grant, presented } = await mint(hub, { ttl_seconds: 60 })
    const codeOf = async () => (await ask(hub, 'flow_external_tool_invoke', USE, { presented })).code
    expect(await codeOf()).toBeUndefined()
    clock.now = at(61)
    expect(await codeOf()).toBe('FLOW_EXTERNAL_GRANT_EXPIRED')
    for (const seconds of [60, 30, 0, -1]) {
      clock.now = at(seconds)
      expect([seconds, await codeOf()]).toEqual([seconds, 'FLOW_EXTERNAL_GRANT_EXPIRED'])
    }
    // Its holder and its owner see it as before: expired, and revoked by nobody.
    const { grant_id } = grant
    expect((await listed(hub)).find((one) => one.grant_id === grant_id)).toMatchObject({ revoked_at: null })
    // It lives no more, so its place is free, once.
    expect(await codeOfMint(hub)).toBeUndefined()
    expect(await codeOfMint(hub)).toBe(DENIED)
    await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })
    expect(await codeOf()).toBe('FLOW_EXTERNAL_GRANT_REVOKED')
    expect(await codeOfMint(hub)).toBe(DENIED)
  })

  verifies('GATE-178', 'takes none at all where it may hold none, from the first on', async () => {
    await using hub = await startGateHub('on', { database })
    writePolicy(hub, { max_live_grants: 0 })
    expect(await codeOfMint(hub)).toBe(DENIED)
    expect(await storedGrants(hub)).toBe(0)
  })

  verifies('GATE-178', 'of one vault is neither filled nor cleared by another', async () => {
    const clock: Clock = { now: at(0) }
    await using hub = await startGateHub('on', { database, clock })
    const there = { as: 'hub', vault: 'team1' } as const
    const pin = { flow_id: 'flow_team', flow_version: '1.0.0', requested_tools: ['web_search'] }
    await storeFlows(hub.hub, 'team1', [toolFlow('flow_team', ['web_search'])])
    hub.write(hub.home.vaultPolicy('team1'), policyWith({ max_live_grants: 1 }))
    writePolicy(hub, { max_live_grants: 1 })
    const theirs = await mint(hub, { ...pin, ttl_seconds: 60 }, there)
    await mint(hub, { ttl_seconds: 60 })
    clock.now = at(61)
    // Both have expired, and only the one whose place is needed goes.
    expect(await codeOfMint(hub)).toBeUndefined()
    const use = { tool_id: 'web_search', flow_id: pin.flow_id, flow_version: pin.flow_version }
    const told = await ask(hub, 'flow_external_tool_invoke', use, { ...there, presented: theirs.presented })
    expect(told.code).toBe('FLOW_EXTERNAL_GRANT_EXPIRED')
    expect(await codeOfMint(hub)).toBe(DENIED)
    expect(await codeOfMint(hub, there, pin)).toBeUndefined()
    expect(await codeOfMint(hub, there, pin)).toBe(DENIED)
  })

  test('is listed newest first, by its ids where the moments are the same, and no more than asked for', async () => {
    const clock: Clock = { now: at(0) }
    await using hub = await startGateHub('on', { database, clock })
    const first = (await mint(hub)).grant.grant_id
    clock.now = at(1)
    const later: string[] = []
    for (let done = 0; done < 6; done++) later.push((await mint(hub)).grant.grant_id)
    const order = [...later.toSorted().toReversed(), first]
    const ids = async (input: object = {}) => (await listed(hub, input)).map(({ grant_id }) => grant_id)
    expect(await ids()).toEqual(order)
    expect(await ids({ flow_id: 'flow_gate', limit: 3 })).toEqual(order.slice(0, 3))
    expect(await ids({ limit: 1 })).toEqual(order.slice(0, 1))
  })
})

test('a revoked grant goes like any other, also from a vault that has no live one', async () => {
  const clock: Clock = { now: at(0) }
  await using hub = await startGateHub('on', { clock })
  const { grant } = await mint(hub, { ttl_seconds: 60 })
  await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })
  clock.now = at(3_662)
  for (const { run } of flowChores) await run(hub.hub)
  expect(await listed(hub)).toEqual([])
})

verifies('GATE-179', 'an expired grant is known for an hour, and no longer', async () => {
  const clock: Clock = { now: at(0) }
  await using hub = await startGateHub('on', { clock })
  const { presented } = await mint(hub, { ttl_seconds: 60 })
  const codeAt = async (now: Date) => {
    clock.now = now
    for (const { run } of flowChores) await run(hub.hub)
    return (await ask(hub, 'flow_external_tool_invoke', USE, { presented })).code
  }
  expect(await codeAt(at(3_660))).toBe('FLOW_EXTERNAL_GRANT_EXPIRED')
  expect(await codeAt(new Date(at(3_660).getTime() + 1))).toBe(DENIED)
})

verifies(
  'GATE-033',
  'whose scope cannot be told neither lists, ends, fetches with nor uses a grant',
  async () => {
    await using hub = await startGateHub('on')
    const { grant, presented } = await mint(hub)
    const scope_overrides = { [hub.credentials.token_ids.editor]: { ambiguous: true } }
    hub.write(hub.home.vaultMembers('default'), { scope_overrides })
    const fetch = { flow_id: 'flow_gate', version: '1.2.0', harness: 'agent_bundle' }
    for (const [name, input] of [
      ['flow_external_grant_list', {}],
      ['flow_external_grant_revoke', { grant_id: grant.grant_id }],
      ['flow_external_tool_invoke', USE],
      ['flow_project', fetch],
    ] as const) {
      const told = await ask(hub, name, input, { presented })
      expect([name, told.status, told.code]).toEqual([name, 400, 'FLOW_SCOPE_AMBIGUOUS'])
    }
    expect((await listed(hub, {}, { as: 'admin' }))[0]).toEqual(grant)
  },
)

test('a list of grants has a thousand of them unless fewer are asked for, and never more', async () => {
  await using hub = await startGateHub('on')
  await storeExpired(hub, 1_001, new Date())
  expect([await listed(hub), await listed(hub, { limit: 1_000 })].map(({ length }) => length)).toEqual([
    1_000, 1_000,
  ])
  for (const limit of [0, 1_001]) {
    const told = await ask(hub, 'flow_external_grant_list', { limit })
    expect([limit, told.status, told.code]).toEqual([limit, 400, 'BAD_REQUEST'])
  }
})

test('the starter flows can be named by the very first mint in a vault', async () => {
  await using hub = await startTestHub({ policy: policyWith({ enabled: true }) })
  const starter = { ...MINT_INPUT, flow_id: 'flow_research_brief', flow_version: '0.1.0' }
  // It declares no external tool, which only shows once the flow is there.
  expect(await codeOfMint(hub, {}, starter)).toBe('FLOW_EXTERNAL_TOOL_UNKNOWN')
})

test('the record names the flow, the grant or the tool that a call was about', async () => {
  await using hub = await startGateHub('on')
  const { grant, presented } = await mint(hub)
  const { grant_id } = grant
  const fetch = { flow_id: 'flow_gate', version: '1.2.0', harness: 'agent_bundle' }
  await ask(hub, 'flow_project', fetch, { presented })
  await ask(hub, 'flow_external_tool_invoke', USE, { presented })
  await ask(hub, 'flow_external_grant_revoke', { grant_id })
  await ask(hub, 'flow_external_tool_invoke', USE, { presented })
  // Nobody listed this name, so it is the caller's own text and is not written down.
  await ask(hub, 'flow_external_tool_invoke', { ...USE, tool_id: 'unlisted_name' }, { presented })
  await hub.hub.refusals.flushAll()
  const records = (await auditRecords(hub)).filter(({ operation }) => operation.startsWith('flow_'))
  const told = records.map((one) => [one.operation, one.target_kind, one.target_id, one.outcome, one.code])
  const revoked = 'FLOW_EXTERNAL_GRANT_REVOKED'
  expect(told).toEqual([
    ['flow_external_grant_mint', 'flow', 'flow_gate', 'allowed', null],
    ['flow_project', 'flow', 'flow_gate', 'allowed', null],
    ['flow_external_tool_invoke', 'external_tool', 'web_search', 'allowed', null],
    ['flow_external_grant_revoke', 'grant', grant_id, 'allowed', null],
    ['flow_external_tool_invoke', 'external_tool', 'web_search', 'denied', revoked],
    ['flow_external_tool_invoke', null, null, 'denied', revoked],
  ])
  expect(JSON.stringify(records)).not.toContain('unlisted_name')
})

verifies('GATE-028', 'neither scope nor vault of an invoke come from its body', async () => {
  await using hub = await startGateHub('on')
  const { presented, grant } = await mint(hub)
  const claims = { scope: 'org', vault_id: 'other' }
  const told = await ask(hub, 'flow_external_tool_invoke', { ...USE, ...claims }, { presented })
  expect([told.status, told.body.grant_id]).toEqual([200, grant.grant_id])
  expect((await ask(hub, 'flow_external_tool_invoke', { ...USE, ...claims })).code).toBe(DENIED)
})

verifies('GATE-080', 'a fetch that holds up a bearer is held to the gate, whatever it fetches', async () => {
  await using hub = await startGateHub('on')
  const { presented } = await mint(hub)
  hub.options.env.FLOW_EXTERNAL_AGENT_ENABLED = '0'
  const fetch = { flow_id: 'flow_gate', version: '1.2.0', harness: 'cursor_rule' }
  expect((await ask(hub, 'flow_project', fetch)).status).toBe(200)
  expect((await ask(hub, 'flow_project', fetch, { presented })).code).toBe('FLOW_EXTERNAL_AGENT_DISABLED')
})

verifies('GATE-100', 'a version that was withdrawn takes its own grants with it, and no others', async () => {
  await using hub = await startGateHub('on')
  const next = { ...USE, flow_version: '1.3.0' }
  const [old, newer] = [await mint(hub), await mint(hub, { flow_version: '1.3.0' })]
  const withdraw = sql('DELETE FROM flow_versions WHERE flow_id = ? AND version = ?')
  await hub.hub.db.transaction((tx) => tx.run(withdraw, 'flow_gate', '1.2.0'))
  expect((await ask(hub, 'flow_external_tool_invoke', USE, old)).code).toBe(DENIED)
  expect((await ask(hub, 'flow_external_tool_invoke', next, newer)).status).toBe(200)
})

verifies('GATE-065', 'a lock on everything keeps nobody but the owner from ending a grant', async () => {
  await using hub = await startGateHub('on')
  const { grant } = await mint(hub)
  const { grant_id } = grant
  await ask(hub, 'lock_add', { kind: 'all' }, { as: 'owner' })
  for (const name of ['flow_external_grant_list', 'flow_external_grant_revoke']) {
    const input = name.endsWith('revoke') ? { grant_id } : {}
    expect([name, (await ask(hub, name, input)).code]).toEqual([name, 'LOCKED'])
  }
  expect((await listed(hub, {}, { as: 'owner' })).map((one) => one.revoked_at)).toEqual([null])
  const ended = await ask(hub, 'flow_external_grant_revoke', { grant_id }, { as: 'owner' })
  expect([ended.status, ended.body.revoked_at === null]).toEqual([200, false])
})

verifies('GATE-128', 'a bundle that was fetched before is stale from the next version on', async () => {
  await using hub = await startGateHub('on')
  const fetch = { flow_id: 'flow_growing', version: '1.0.0', harness: 'agent_bundle' }
  const staleness = async (as: 'editor' | 'admin' = 'editor') =>
    (await ask(hub, 'flow_project', fetch, { as })).body.staleness
  await storeFlows(hub.hub, 'default', [toolFlow('flow_growing', ['web_search'])])
  expect(await staleness()).toEqual({ stale: false, projection_version: '1.0.0', latest_version: '1.0.0' })
  const { flow, steps } = toolFlow('flow_growing', ['web_search'])
  await storeFlows(hub.hub, 'default', [{ flow: { ...flow, version: '1.1.0' }, steps }])
  const later = { stale: true, projection_version: '1.0.0', latest_version: '1.1.0' }
  expect(await staleness()).toEqual(later)
  // A version that the caller cannot see is none, and is not given away by its number.
  await storeFlows(hub.hub, 'default', [{ flow: { ...flow, version: '2.0.0', scope: 'org' }, steps }])
  expect(await staleness()).toEqual(later)
  expect(await staleness('admin')).toEqual({ ...later, latest_version: '2.0.0' })
})

test('the same flow in two vaults is told to be in its own, and each fetch at its own moment', async () => {
  const clock: Clock = { now: at(0) }
  await using hub = await startGateHub('on', { clock })
  const there = { as: 'hub', vault: 'team1' } as const
  hub.write(hub.home.vaultPolicy('team1'), policyWith({ allowed_tools: ALLOWED_TOOLS }))
  const fetch = { flow_id: 'flow_twin', harness: 'agent_bundle' }
  for (const vault of ['default', 'team1'])
    await storeFlows(hub.hub, vault, [toolFlow('flow_twin', ['web_search'])])
  const [own, other] = [await ask(hub, 'flow_project', fetch), await ask(hub, 'flow_project', fetch, there)]
  expect([own.body.vault_id, other.body.vault_id]).toEqual(['default', 'team1'])
  expect(other.body.projection).toEqual(own.body.projection)
  clock.now = at(7)
  const later = (await ask(hub, 'flow_project', fetch)).body
  const { generator } = own.body
  expect(later).toEqual({ ...own.body, generator: { ...generator, generated_at: at(7).toISOString() } })
  const read = { flow_id: 'flow_twin' }
  const got = [await ask(hub, 'flow_get', read), await ask(hub, 'flow_get', read, there)]
  expect(got.map(({ body }) => body.vault_id)).toEqual(['default', 'team1'])
})
