import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runChores } from '../../src/domains/control/runs/run-chores.ts'
import { listRunEvents } from '../../src/domains/control/runs/run-events.ts'
import { findLiveRun, findRun, startRun } from '../../src/domains/control/runs/run-store.ts'
import { runnerOf } from '../../src/domains/control/runs/runner.ts'
import { putSchedule } from '../../src/domains/control/schedules/schedule-store.ts'
import { lockAdd } from '../../src/domains/toolbox/watch/lock-add.ts'
import { lockRelease } from '../../src/domains/toolbox/watch/lock-release.ts'
import { ownerSessionCaller } from '../../src/platform/identity/caller.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { ask } from '../toolbox/watch-hub.fixture.ts'
import { type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { connect, installConnector, paged, type RunSource, startSource } from './run-source.ts'

const PATIENCE = { timeout: 30_000, interval: 50 }
const never = () => new Promise<never>(() => {})

describe.each(DATABASES)('while everything is locked, on %s', (database) => {
  let hub: OwnedHub
  let source: RunSource
  beforeAll(async () => {
    source = await startSource()
    hub = await startOwnedHub({ database })
    installConnector(hub.home)
  })
  afterAll(async () => {
    await hub.close()
    await source[Symbol.asyncDispose]()
  })

  const lock = () => ask(hub.hub, lockAdd, { kind: 'all' })
  /** Letting it go on takes the owner, who has a password here. */
  const release = async () => {
    const caller = ownerSessionCaller('oses_0000000000000000', 'test')
    expect(await ask(hub.hub, lockRelease, { kind: 'all' }, { caller })).toHaveProperty('lock')
  }
  const askedBy = (connection_id: string) =>
    source.asked.filter((asked) => asked.connection_id === connection_id)
  const start = async (connection_id: string) => {
    const wanted = { connection_id, cause: 'owner', requested_by: 'test' } as const
    const started = await hub.hub.db.transaction((tx) => startRun(tx, hub.hub, wanted))
    return (started as { run_id: string }).run_id
  }
  const reaches = (run_id: string, state: string) =>
    vi.waitFor(async () => {
      const run = await findRun(hub.hub.db, run_id)
      expect(run?.state).toBe(state)
      return run
    }, PATIENCE)

  test('a run is broken off, and goes on where it was when the lock has gone', async () => {
    const some = paged(4, 10)
    source.answer = (asked) => (Number(asked.from ?? 0) >= 2 ? never() : some(asked))
    const connection_id = await connect(hub.hub, source.url)
    const run_id = await start(connection_id)
    await vi.waitFor(() => expect(askedBy(connection_id)).toHaveLength(3), PATIENCE)
    await lock()
    const waiting = await reaches(run_id, 'queued')
    expect(waiting).toMatchObject({ owner: null, attempt: 0, fault_code: null })
    const events = await listRunEvents(hub.hub.db, { run_id, after: 0, limit: 100 })
    expect(events.at(-1)).toMatchObject({ type: 'run.retried', data: { reason: 'everything_locked' } })
    source.answer = some
    await release()
    await reaches(run_id, 'succeeded')
    expect(askedBy(connection_id).map(({ from }) => from)).toEqual([null, 1, 2, 2, 3, 4])
  })

  test('no run begins, and no schedule is fired, until the lock has gone', async () => {
    source.answer = () => 'end'
    const [asked, scheduled] = [await connect(hub.hub, source.url), await connect(hub.hub, source.url)]
    await lock()
    const run_id = await start(asked)
    const past = new Date(hub.hub.system.now().getTime() - 60_000)
    const timing = { interval_seconds: 60, cron: null, timezone: 'UTC' } as const
    await hub.hub.db.transaction((tx) => putSchedule(tx, scheduled, timing, past))
    for (const { run } of runChores) await run(hub.hub)
    await runnerOf(hub.hub).look()
    expect((await findRun(hub.hub.db, run_id))?.state).toBe('queued')
    expect(await findLiveRun(hub.hub.db, scheduled)).toBeUndefined()
    expect([askedBy(asked), askedBy(scheduled)]).toEqual([[], []])
    await release()
    await reaches(run_id, 'succeeded')
    await vi.waitFor(() => expect(askedBy(scheduled)).not.toEqual([]), PATIENCE)
  })
})
