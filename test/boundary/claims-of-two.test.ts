import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runnerOf } from '../../src/domains/boundary/executions/execution-runner.ts'
import { type ExecutionRow, insertExecution } from '../../src/domains/boundary/executions/execution-store.ts'
import {
  beginRunning,
  type Claim,
  executionWork,
  letGoOfAll,
  writeProgress,
} from '../../src/domains/boundary/executions/execution-work.ts'
import { sql, type Transaction } from '../../src/platform/storage/database.ts'
import { holderName } from '../../src/platform/work/holder-name.ts'
import { isLeaseOver, leaseTime } from '../../src/platform/work/lease-clock.ts'
import { type Clock, DATABASES } from '../harness/test-hub.ts'
import { ask, type BoundaryHub, inputOf, startBoundaryHub } from './boundary-hub.ts'
import { goodAnswer } from './probe-engine.ts'

const NOW = new Date('2026-11-02T10:00:00.000Z')
const after = (ms: number) => new Date(NOW.getTime() + ms).toISOString()
const readAll = sql<ExecutionRow>('SELECT * FROM boundary_executions')

const claimOf = ({ vault_id, run_id }: ExecutionRow, fence: string): Claim => ({ vault_id, run_id, fence })
const TIME = { now: NOW.toISOString(), until: after(10_000), far: after(3_600_000) }

/** The name of a process that held leases and has ended. */
function holderOfEnded(): string {
  const path = new URL('../../src/platform/work/holder-name.ts', import.meta.url).href
  const program = `import { holderName } from '${path}'; console.log(holderName('ab12'))`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  }).trim()
}

describe.each(DATABASES)('an execution that two hubs want, on %s', (database) => {
  const clock: Clock = { now: NOW }
  let hub: BoundaryHub
  let sound: ExecutionRow
  let made = 0

  beforeAll(async () => {
    hub = await startBoundaryHub({ database, clock })
    hub.probe.answer = () => new Promise(() => {})
    const input = inputOf({ snapshotAt: NOW.toISOString() })
    const told = await ask(hub, 'boundary_run', { engine: 'probe', input, wait_seconds: 0 })
    const { run_id } = told.body.execution
    sound = (await hub.hub.db.all(readAll)).find((row) => row.run_id === run_id) as ExecutionRow
    await ask(hub, 'boundary_cancel', { run_id })
  })
  beforeEach(() =>
    hub.hub.db.transaction((tx) => tx.run(sql(`DELETE FROM boundary_executions`))).then(() => {}),
  )
  afterAll(() => hub.close())

  const write = <Result>(work: (tx: Transaction) => Promise<Result>) => hub.hub.db.transaction(work)

  /** An execution that the hub `hub_b` has taken over from the hub `hub_a`. */
  async function execution(changes: Partial<ExecutionRow> = {}): Promise<ExecutionRow> {
    const run_id = `brun_${hash('sha256', String(++made)).slice(0, 32)}`
    const row: ExecutionRow = {
      ...sound,
      run_id,
      execution_id: `exec-of-two-${made}`,
      state: 'running',
      owner: 'hub_b',
      claim: 'new',
      lease_until: after(10_000),
      runs: 2,
      ...changes,
    }
    await write((tx) => insertExecution(tx, row))
    return row
  }

  const find = async ({ vault_id, run_id }: Pick<ExecutionRow, 'vault_id' | 'run_id'>) =>
    (await hub.hub.db.all(readAll)).find((row) => row.run_id === run_id && row.vault_id === vault_id)

  test('by the old claim nothing begins, nothing is let go and no progress is told', async () => {
    for (const state of ['planned', 'running'] as const) {
      const row = await execution({ state })
      const old = claimOf(row, 'old')
      expect(await write((tx) => beginRunning(tx, old, after(1)))).toBe(false)
      await write((tx) => executionWork.release(tx, old))
      await write((tx) => writeProgress(tx, old, '{"share":1}', after(1)))
      expect(await find(row)).toEqual(row)
    }
  })

  test('by the newest claim all of that is done, to its execution in its vault alone', async () => {
    const row = await execution({ state: 'planned' })
    const others = [
      await execution({ state: 'planned' }),
      await execution({ state: 'planned', run_id: row.run_id, vault_id: 'other' }),
    ]
    const newest = claimOf(row, 'new')
    await write((tx) => writeProgress(tx, newest, '{"share":1}', after(1)))
    expect(await find(row)).toEqual(row)
    expect(await write((tx) => beginRunning(tx, newest, after(1)))).toBe(true)
    await write((tx) => writeProgress(tx, newest, '{"share":1}', after(2)))
    await write((tx) => executionWork.release(tx, newest))
    expect(await find(row)).toEqual({
      ...row,
      state: 'running',
      progress_json: '{"share":1}',
      updated_at: after(2),
      owner: null,
      lease_until: '0',
    })
    for (const other of others) expect(await find(other)).toEqual(other)
  })

  test('one whose hub was killed on this machine is taken over before its lease is over, and no other', async () => {
    const dead = holderOfEnded()
    const { now } = await leaseTime(hub.hub.db, hub.hub)
    const lease_until = new Date(Date.parse(now) + 600_000).toISOString()
    const row = await execution({ owner: dead, engine: 'gone', lease_until })
    const others = [
      await execution({ owner: holderName('ab12'), lease_until }),
      await execution({ owner: dead.replace(/^hub_[0-9a-f]{16}/, `hub_${'0'.repeat(16)}`), lease_until }),
      await execution({ owner: 'hub_b', lease_until }),
      await execution({ owner: dead, state: 'cancelled', lease_until }),
    ]
    const before = hub.hub.takeovers.execution
    await runnerOf(hub.hub).look()
    expect(await find(row)).toMatchObject({ state: 'failed', owner: null, runs: 3 })
    for (const other of others) expect(await find(other)).toEqual(other)
    expect(hub.hub.takeovers.execution).toBe(before + 1)
  })

  test('the hub that lost it neither renews it nor lets it go, and counts it no more', async () => {
    const row = await execution()
    await write((tx) => executionWork.renewAll(tx, 'hub_a', after(99_000)))
    await write((tx) => letGoOfAll(tx, 'hub_a'))
    expect([await find(row), await executionWork.listHeld(hub.hub.db, 'hub_a')]).toEqual([row, []])
    expect(await executionWork.listHeld(hub.hub.db, 'hub_b')).toEqual([claimOf(row, 'new')])
    await write((tx) => executionWork.renewAll(tx, 'hub_b', after(20_000)))
    expect(await find(row)).toEqual({ ...row, lease_until: after(20_000) })
    // Let go twice it is one run less, not two.
    for (const _ of [1, 2]) await write((tx) => letGoOfAll(tx, 'hub_b'))
    expect(await find(row)).toEqual({ ...row, lease_until: '0', runs: 1 })
  })

  test.each(['succeeded', 'failed', 'cancelled'] as const)(
    'one that has %s is nobody’s any more',
    async (state) => {
      const row = await execution({ state, lease_until: after(-1) })
      const claim = claimOf(row, 'new')
      expect(await write((tx) => beginRunning(tx, claim, after(1)))).toBe(false)
      await write((tx) => executionWork.release(tx, claim))
      await write((tx) => writeProgress(tx, claim, '{}', after(1)))
      await write((tx) => executionWork.renewAll(tx, 'hub_b', after(5)))
      expect(await write((tx) => executionWork.claim(tx, hub.hub, claim, 'hub_c'))).toBeUndefined()
      await write((tx) => letGoOfAll(tx, 'hub_b'))
      expect(await find(row)).toEqual(row)
      expect(await executionWork.listHeld(hub.hub.db, 'hub_b')).toEqual([])
      expect(await executionWork.listAbandoned(hub.hub.db, TIME, 10)).toEqual([])
    },
  )

  test.each([
    [1, false],
    [0, false],
    [-1, true],
    // What no hub can have written by a clock that was right.
    [3_600_001, true],
    [3_600_000, false],
  ])('a claim whose end is %i ms away: free %s', async (ms, isFree) => {
    const row = await execution({ lease_until: after(ms) })
    expect(isLeaseOver(row.lease_until, TIME)).toBe(isFree)
    expect((await executionWork.listAbandoned(hub.hub.db, TIME, 10)).length).toBe(isFree ? 1 : 0)
  })

  test.each([
    [60_000, false],
    [-60_000, true],
    [7_200_000, true],
  ])('a claim whose end is %i ms away by the clock of its store: taken over %s', async (ms, isTaken) => {
    const { now } = await leaseTime(hub.hub.db, hub.hub)
    const lease_until = new Date(Date.parse(now) + ms).toISOString()
    const row = await execution({ lease_until, engine: 'gone' })
    await runnerOf(hub.hub).take(row)
    const found = await find(row)
    if (isTaken) expect(found).toMatchObject({ state: 'failed', owner: null, claim: null, runs: 3 })
    else expect(found).toEqual(row)
  })

  test.each([
    [2, 'succeeded', 1],
    [3, 'failed', 0],
  ])('one that was run %i times has %s after the next take-over', async (runs, state, called) => {
    hub.probe.answer = goodAnswer
    const row = await execution({ runs, lease_until: '0', input_json: sound.input_json })
    const calls = hub.probe.calls.length
    await runnerOf(hub.hub).look()
    const told = await ask(hub, 'boundary_show', { run_id: row.run_id, wait_seconds: 20 })
    expect(hub.probe.calls.length - calls).toBe(called)
    const { outcome } = told.body.execution
    expect([told.body.execution.state, outcome.error?.code]).toEqual([
      state,
      state === 'failed' ? 'ENGINE_INTERRUPTED' : undefined,
    ])
  })
})
