import { describe, expect, test } from 'vitest'
import { endWithAnswer } from '../../src/domains/boundary/executions/end-execution.ts'
import { runnerOf } from '../../src/domains/boundary/executions/execution-runner.ts'
import type { Claim } from '../../src/domains/boundary/executions/execution-work.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type RunningHub, startHub } from '../../src/surfaces/http/start-hub.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { type BoundaryHub, entryCount, inputOf, startBoundaryHub } from './boundary-hub.ts'
import { goodAnswer } from './probe-engine.ts'
import { FIRST, LATER, SUBMITTERS, submit, tally, times } from './submitters.ts'

describe.each(DATABASES)('one execution, many submitters, on %s', (database) => {
  verifies('BNDY-004', 'is run once and written once, at one hub', async () => {
    await using hub = await startBoundaryHub({ database })
    const input = inputOf()
    const bearer = hub.credentials.bearers.editor
    const answers = await Promise.all(
      Array.from({ length: SUBMITTERS }, () => submit(hub.url, bearer, input)),
    )
    expect(tally(answers)).toEqual(tally([FIRST, ...times(SUBMITTERS - 1, LATER)]))
    expect([hub.probe.calls.length, await entryCount(hub)]).toEqual([1, 4])
  })

  verifies('BNDY-004', 'is run once and written once, at three hubs on one store', async () => {
    await using hub = await startBoundaryHub({ database })
    const others = await Promise.all(
      [0, 1].map(() => startHub({ ...hub.options, host: '127.0.0.1', port: 0 })),
    )
    const urls = [hub.url, ...others.map(({ url }: RunningHub) => url)]
    const bearer = hub.credentials.bearers.editor
    for (let round = 0; round < 5; round++) {
      const input = inputOf()
      const [calls, count] = [hub.probe.calls.length, await entryCount(hub)]
      const answers = await Promise.all(
        Array.from({ length: SUBMITTERS }, (_, at) => submit(urls[at % 3] as string, bearer, input)),
      )
      expect(tally(answers)).toEqual(tally([FIRST, ...times(SUBMITTERS - 1, LATER)]))
      expect([hub.probe.calls.length - calls, (await entryCount(hub)) - count]).toEqual([1, 2])
    }
    await Promise.all(others.map((other) => other.stop()))
  })

  test('with different payloads: one wins, the others hear of a conflict', async () => {
    await using hub = await startBoundaryHub({ database })
    const input = inputOf()
    const answers = await Promise.all(
      Array.from({ length: SUBMITTERS }, (_, at) =>
        submit(hub.url, hub.credentials.bearers.editor, { ...input, constraints: { at } }),
      ),
    )
    const conflict = { status: 409, code: 'IDEMPOTENCY_CONFLICT' }
    expect(tally(answers)).toEqual(tally([FIRST, ...times(SUBMITTERS - 1, conflict)]))
    expect([hub.probe.calls.length, await entryCount(hub)]).toEqual([1, 4])
  })

  test('many executions at once: none lost, none doubled, one sound chain', async () => {
    await using hub = await startBoundaryHub({ database })
    const inputs = Array.from({ length: 60 }, () => inputOf())
    const bearer = hub.credentials.bearers.editor
    const answers = await Promise.all([...inputs, ...inputs].map((input) => submit(hub.url, bearer, input)))
    expect(answers.filter(({ state }) => state === 'succeeded')).toHaveLength(120)
    expect(answers.filter(({ idempotent }) => idempotent)).toHaveLength(60)
    expect([hub.probe.calls.length, await entryCount(hub)]).toEqual([60, 2 + 120])
    const events = await hub.hub.db.all(sql<{ event_key: string }>(EVENT_KEYS))
    expect(new Set(events.map(({ event_key }) => event_key)).size).toBe(60)
  })
})

const EVENT_KEYS = 'SELECT event_key FROM ledger_entries WHERE event_key IS NOT NULL'

describe('a hub that stops in the middle of an execution', () => {
  test('lets go of it, and the next one goes on at once', async () => {
    const hub = await startBoundaryHub()
    const other = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
    const input = inputOf()
    const bearer = hub.credentials.bearers.editor
    let calls = 0
    const reached = new Promise<void>((called) => {
      hub.probe.answer = (given) => {
        if (++calls > 1) return goodAnswer(given)
        called()
        return new Promise(() => {})
      }
    })
    await submit(other.url, bearer, input, 0)
    await reached
    await other.stop()
    expect(await submit(hub.url, bearer, input)).toEqual(LATER)
    expect(await entryCount(hub as BoundaryHub)).toBe(4)
    await hub.close()
  })

  test('and comes back too late writes nothing: only the newest claim can end an execution', async () => {
    await using hub = await startBoundaryHub()
    hub.probe.answer = () => new Promise(() => {})
    const input = inputOf()
    await submit(hub.url, hub.credentials.bearers.editor, input, 0)
    const read = sql<Claim>('SELECT vault_id, run_id, claim AS fence FROM boundary_executions')
    const old = (await hub.hub.db.get(read)) as Claim
    while (hub.probe.calls.length === 0) await new Promise((go) => setTimeout(go, 20))
    hub.probe.answer = goodAnswer
    await hub.hub.db.transaction((tx) => tx.run(sql(`UPDATE boundary_executions SET lease_until = '0'`)))
    await runnerOf(hub.hub).take(old)
    const late = { output: goodAnswer(input) as never, duration_ms: 1 }
    expect(await endWithAnswer(hub.hub, old, late)).toBe(false)
    expect(await submit(hub.url, hub.credentials.bearers.editor, input)).toEqual(LATER)
    expect(await endWithAnswer(hub.hub, old, late)).toBe(false)
    expect([hub.probe.calls.length, await entryCount(hub)]).toEqual([2, 4])
  })

  test('again and again is given up at last', async () => {
    await using hub = await startBoundaryHub()
    hub.probe.answer = () => new Promise(() => {})
    const input = inputOf()
    const bearer = hub.credentials.bearers.editor
    await submit(hub.url, bearer, input, 0)
    const state = sql<{ state: string; run_id: string }>('SELECT state, run_id FROM boundary_executions')
    for (let losses = 0; losses < 3; losses++) {
      await hub.hub.db.transaction((tx) => tx.run(sql(`UPDATE boundary_executions SET lease_until = '0'`)))
      const run_id = (await hub.hub.db.get(state))?.run_id ?? ''
      await runnerOf(hub.hub).take({ vault_id: 'default', run_id })
    }
    expect(await submit(hub.url, bearer, input)).toEqual({ ...LATER, state: 'failed' })
    expect(await entryCount(hub)).toBe(2)
  })
})
