import { expect, onTestFinished, test } from 'vitest'
import { DATABASES, makeTestHome } from '../../../test/harness/test-hub.ts'
import type { Database } from '../storage/database.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { ApprovalMode, ApprovalReach, AskedCall } from './approval.ts'
import {
  askOwner,
  claimExecution,
  decideApproval,
  endOverdue,
  endSuperseded,
  finishExecution,
  LEASE_MS,
  markTold,
  purgeApprovals,
  renewExecution,
} from './approval-moves.ts'
import { countWaiting, findApproval, findLiveApproval, measureWaiting } from './approval-reads.ts'
import { findPermit, keepPermits, purgePermits } from './permits.ts'

const BEGUN = Date.parse('2026-11-02T10:00:00.000Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WAITS = 15 * MINUTE
const at = (ms: number) => new Date(BEGUN + ms)

async function open(database: (typeof DATABASES)[number]): Promise<Database> {
  const made = await makeTestHome({ database })
  const db = await openDatabase(made.home, made.options.env, at(0))
  onTestFinished(async () => {
    await db.close()
    await made[Symbol.asyncDispose]()
  })
  return db
}

const callOf = (digest: string, more: Partial<AskedCall> = {}): AskedCall => ({
  vault_id: 'default',
  grant_id: 'grant_1',
  flow_id: 'flow_one',
  flow_version: '1.0.0',
  tool_id: 'tool.one',
  policy_revision: 'rev-1',
  mode: 'each_call',
  digest,
  grant_ends_at: at(DAY).toISOString(),
  shape: 'shape-1',
  ...more,
})

const WHO = { caller_kind: 'token', caller_id: 'tok_1', client: 'curl', arguments_bytes: 10 } as const

/** One database, with requests that are called by their digest. */
function movesOn(db: Database) {
  const run = <Result>(act: Parameters<typeof db.transaction<Result>>[0]) => db.transaction(act)
  const find = async (name: string) => {
    const found = await findApproval(db, `appr_${name}`)
    if (!found) throw new Error(`There is no ${name}.`)
    return found
  }
  const ask = (name: string, more: Partial<AskedCall> = {}) => {
    const one = { ...callOf(name, more), ...WHO, approval_id: `appr_${name}`, arguments_sealed: 'sealed' }
    return run((tx) => askOwner(tx, one, at(0)))
  }
  const decide = (name: string, decision: 'approve' | 'deny', ms: number, digest = name) => {
    const word = { decision, decided_by: 'owner', decided_for: 'call', reason: null, digest } as const
    const one = { ...word, approval_id: `appr_${name}`, expires_at: at(WAITS).toISOString() }
    return run((tx) => decideApproval(tx, one, at(ms)))
  }
  const claim = async (name: string, ms: number, digest = name) => {
    const one = { ...(await find(name)), digest }
    return run((tx) => claimExecution(tx, one, at(ms)))
  }
  const end = (ms: number) => run((tx) => endOverdue(tx, at(ms)))
  const finish = (name: string, fence: number, state: 'executed' | 'failed' | 'unknown', ms: number) => {
    const one = { approval_id: `appr_${name}`, fence, state, result_code: null, result_sealed: 'answer' }
    return run((tx) => finishExecution(tx, one, at(ms)))
  }
  const stateOf = async (name: string) => (await find(name)).state
  return { db, run, find, ask, decide, claim, end, finish, stateOf }
}

test.each(DATABASES)(
  'on %s a word counts until just before a quarter of an hour is over',
  async (database) => {
    const { ask, decide, stateOf, find } = movesOn(await open(database))
    await ask('late')
    expect(await decide('late', 'approve', WAITS)).toBe(false)
    await ask('just')
    expect(await decide('just', 'approve', WAITS - 1, 'another call')).toBe(false)
    expect(await decide('just', 'approve', WAITS - 1)).toBe(true)
    expect(await decide('just', 'deny', WAITS - 1)).toBe(false)
    expect([await stateOf('late'), await stateOf('just')]).toEqual(['waiting', 'approved'])
    expect(await find('just')).toMatchObject({
      arguments_sealed: null,
      decided_by: 'owner',
      decided_for: 'call',
    })
    expect(await ask('just')).toBe(false)
  },
)

test.each(DATABASES)(
  'on %s what was approved begins once, within ten minutes, as it was approved',
  async (database) => {
    const { ask, decide, claim, stateOf } = movesOn(await open(database))
    for (const name of ['late', 'just', 'no', 'waits']) await ask(name)
    await decide('late', 'approve', 0)
    await decide('just', 'approve', 0)
    await decide('no', 'deny', 0)
    expect(await claim('late', 10 * MINUTE)).toBeUndefined()
    expect(await claim('just', 10 * MINUTE - 1, 'another call')).toBeUndefined()
    expect(await claim('just', 10 * MINUTE - 1)).toBe(1)
    expect(await claim('just', 10 * MINUTE - 1)).toBeUndefined()
    expect(await claim('no', 1)).toBeUndefined()
    expect(await claim('waits', 1)).toBeUndefined()
    expect(await stateOf('just')).toBe('executing')
  },
)

test.each(DATABASES)('on %s what is over by time ends at that moment, and not before', async (database) => {
  const { ask, decide, claim, end, stateOf, find } = movesOn(await open(database))
  for (const name of ['waits', 'approved', 'denied', 'runs']) await ask(name)
  await decide('approved', 'approve', 10 * MINUTE)
  await decide('denied', 'deny', 0)
  await decide('runs', 'approve', 0)
  await claim('runs', 0)
  expect(await end(LEASE_MS - 1)).toBe(false)
  expect(await end(LEASE_MS)).toBe(true)
  expect(await stateOf('runs')).toBe('unknown')
  expect(await end(WAITS - 1)).toBe(false)
  expect(await end(WAITS)).toBe(true)
  expect([await stateOf('waits'), await stateOf('approved')]).toEqual(['expired', 'approved'])
  expect((await find('waits')).arguments_sealed).toBeNull()
  expect(await end(20 * MINUTE - 1)).toBe(false)
  expect(await end(20 * MINUTE)).toBe(true)
  expect([await stateOf('approved'), await stateOf('denied')]).toEqual(['expired', 'denied'])
})

test.each(DATABASES)('on %s an execution is its holder’s alone, and ends once', async (database) => {
  const { run, ask, decide, claim, end, finish, stateOf, find } = movesOn(await open(database))
  for (const name of ['one', 'slow']) await ask(name)
  for (const name of ['one', 'slow']) await decide(name, 'approve', 0)
  for (const name of ['one', 'slow']) await claim(name, 0)
  const renew = (fence: number) => run((tx) => renewExecution(tx, 'appr_one', fence, at(LEASE_MS - 1)))
  expect([await renew(0), await renew(2), await renew(1)]).toEqual([false, false, true])
  await end(LEASE_MS)
  expect([await stateOf('one'), await stateOf('slow')]).toEqual(['executing', 'unknown'])
  await finish('one', 2, 'executed', LEASE_MS)
  expect(await stateOf('one')).toBe('executing')
  await finish('one', 1, 'executed', LEASE_MS)
  await finish('one', 1, 'failed', LEASE_MS)
  expect(await find('one')).toMatchObject({ state: 'executed', result_sealed: 'answer', lease_until: null })
  expect(await renew(1)).toBe(false)
  // Whoever comes back knows how it ended.
  await finish('slow', 1, 'failed', LEASE_MS)
  expect(await stateOf('slow')).toBe('failed')
})

test.each(DATABASES)('on %s the same call belongs to what ended for its time alone', async (database) => {
  const { db, ask, decide, claim, end, finish } = movesOn(await open(database))
  const ATTACHES = { executed: 2 * MINUTE, failed: 30_000, unknown: 10 * MINUTE } as const
  const isLive = async (name: string) => (await findLiveApproval(db, name)) !== undefined
  for (const [state, attaches] of Object.entries(ATTACHES)) {
    await ask(state)
    await decide(state, 'approve', 0)
    await finish(state, (await claim(state, 0)) ?? 0, state as keyof typeof ATTACHES, 0)
    await end(attaches - 1)
    expect([state, await isLive(state)]).toEqual([state, true])
    await end(attaches)
    expect([state, await isLive(state)]).toEqual([state, false])
    expect(await findApproval(db, `appr_${state}`)).toMatchObject({ state, result_sealed: null })
  }
  await ask('denied')
  await decide('denied', 'deny', 1)
  await ask('expired')
  await end(WAITS - 1)
  expect([await isLive('denied'), await isLive('expired')]).toEqual([true, true])
  await end(WAITS)
  expect([await isLive('denied'), await isLive('expired')]).toEqual([false, true])
  await end(WAITS + MINUTE - 1)
  expect(await isLive('expired')).toBe(true)
  await end(WAITS + MINUTE)
  expect(await isLive('expired')).toBe(false)
})

test.each(DATABASES)(
  'on %s another policy ends what was asked under this one, and nothing else',
  async (database) => {
    const { run, ask, decide, claim, stateOf } = movesOn(await open(database))
    const others = {
      vault: { vault_id: 'other' },
      grant: { grant_id: 'grant_2' },
      tool: { tool_id: 'tool.two' },
    }
    for (const [name, more] of Object.entries(others)) await ask(name, more)
    for (const name of ['waits', 'approved', 'runs', 'denied']) await ask(name)
    await ask('newer', { policy_revision: 'rev-2' })
    await decide('approved', 'approve', 0)
    await decide('denied', 'deny', 0)
    await decide('runs', 'approve', 0)
    await claim('runs', 0)
    const superseding = callOf('x', { policy_revision: 'rev-2' })
    expect(await run((tx) => endSuperseded(tx, superseding, at(1)))).toBe(true)
    const states = ['waits', 'approved', 'runs', 'denied', 'newer', 'vault', 'grant', 'tool'].map(stateOf)
    expect(await Promise.all(states)).toEqual([
      'expired',
      'expired',
      'executing',
      'denied',
      'waiting',
      'waiting',
      'waiting',
      'waiting',
    ])
    expect(await run((tx) => endSuperseded(tx, superseding, at(1)))).toBe(false)
  },
)

test.each(DATABASES)('on %s what waits is counted by vault and grant, and by time', async (database) => {
  const { db, ask, decide } = movesOn(await open(database))
  await ask('one')
  await ask('two')
  await ask('done')
  await decide('done', 'deny', 0)
  await ask('of another grant', { grant_id: 'grant_2' })
  await ask('of another vault', { vault_id: 'other' })
  expect(await countWaiting(db, 'default', 'grant_1')).toEqual({ of_grant: 2, of_vault: 3, bytes: 30 })
  expect(await countWaiting(db, 'default', 'grant_9')).toEqual({ of_grant: 0, of_vault: 3, bytes: 30 })
  const oldest = at(0).toISOString()
  expect(await measureWaiting(db, at(WAITS - 1))).toEqual({ waiting: 4, oldest })
  expect(await measureWaiting(db, at(WAITS))).toEqual({ waiting: 0, oldest: null })
})

test.each(DATABASES)(
  'on %s each thing is told once, and what was told is forgotten in its time',
  async (database) => {
    const { db, run, ask, end } = movesOn(await open(database))
    const tell = (name: string, told: number) =>
      run((tx) => markTold(tx, { approval_id: `appr_${name}`, told }))
    for (const name of ['told', 'half', 'live']) await ask(name)
    expect([await tell('told', 1), await tell('told', 0), await tell('told', 0)]).toEqual([
      false,
      true,
      false,
    ])
    expect([await tell('told', 1), await tell('half', 0)]).toEqual([true, true])
    const isKept = async (name: string) => (await findApproval(db, `appr_${name}`)) !== undefined
    await end(WAITS)
    await run((tx) => purgeApprovals(tx, at(31 * DAY)))
    expect([await isKept('told'), await isKept('half')]).toEqual([true, true])
    await end(WAITS + MINUTE)
    await run((tx) => purgeApprovals(tx, at(30 * DAY)))
    expect(await isKept('told')).toBe(true)
    await run((tx) => purgeApprovals(tx, at(30 * DAY + 1)))
    expect([await isKept('told'), await isKept('half')]).toEqual([false, true])
  },
)

test.each(DATABASES)('on %s a yes reaches as far as it was said to', async (database) => {
  const { db, run, ask, find } = movesOn(await open(database))
  const keep = async (name: string, mode: ApprovalMode, reach: ApprovalReach) => {
    await ask(name, { mode, tool_id: name })
    const approval = await find(name)
    await run((tx) => keepPermits(tx, approval, { reach, now: at(0) }))
  }
  await keep('once', 'each_call', 'call')
  await keep('shaped', 'first_call', 'call')
  await keep('grant', 'each_call', 'grant')
  const isFree = async (more: Partial<AskedCall>, ms: number) =>
    (await findPermit(db, callOf('later', more), at(ms))) !== undefined
  expect(await isFree({ tool_id: 'once' }, 0)).toBe(false)
  expect(await isFree({ tool_id: 'shaped' }, 0)).toBe(false)
  expect(await isFree({ tool_id: 'shaped', mode: 'first_call', shape: 'other' }, 0)).toBe(false)
  expect(await isFree({ tool_id: 'shaped', mode: 'first_call' }, DAY - 1)).toBe(true)
  expect(await isFree({ tool_id: 'shaped', mode: 'first_call' }, DAY)).toBe(false)
  expect(await isFree({ tool_id: 'grant' }, HOUR - 1)).toBe(true)
  expect(await isFree({ tool_id: 'grant' }, HOUR)).toBe(false)
  for (const other of [{ vault_id: 'other' }, { grant_id: 'grant_2' }, { policy_revision: 'rev-2' }])
    expect(await isFree({ tool_id: 'grant', ...other }, 0)).toBe(false)
  await run((tx) => purgePermits(tx, at(HOUR)))
  expect(await isFree({ tool_id: 'grant' }, HOUR - 1)).toBe(true)
  await run((tx) => purgePermits(tx, at(HOUR + 1)))
  expect(await isFree({ tool_id: 'grant' }, HOUR - 1)).toBe(false)
})
