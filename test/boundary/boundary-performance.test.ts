import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AgentInput, checkExchange } from '../../src/boundary/index.ts'
import { appendEntries, type NewEntry } from '../../src/domains/boundary/ledger/append-entries.ts'
import { findEntry } from '../../src/domains/boundary/ledger/ledger-store.ts'
import { walkLineage } from '../../src/domains/boundary/ledger/walk-lineage.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { inputOf } from './boundary-hub.ts'
import { artifactOf, goodAnswer } from './probe-engine.ts'

/**
 * Growth is what these tests assert, as a ratio of two times taken in one run; a busy machine slows both.
 * Absolute figures are the benchmarks' business.
 */
const CHAIN = { vault_id: 'default', tenant_id: 't-001' }
const BATCH = 500

/** How long each act takes at best: what else a machine is busy with only adds. They take turns, to be met alike. */
async function bestTimes(turns: number, ...acts: (() => unknown)[]): Promise<number[]> {
  const taken: number[][] = acts.map(() => [])
  for (let turn = 0; turn < turns; turn++) {
    for (const [at, act] of acts.entries()) {
      const started = performance.now()
      await act()
      taken[at]?.push(performance.now() - started)
    }
  }
  return taken.map((one) => Math.min(...one))
}

function entry(id: string, depends_on: string[]): NewEntry {
  const origin = { module: 'host', source: 'crm', type: 'signal', state: 'recorded' }
  return { id, robot_id: null, ...origin, payload: { id }, depends_on, execution_id: null, event_key: null }
}

/** Ten entries on each level, each made from two of the level before. */
function sourcesOf(at: number): string[] {
  return at < 10
    ? []
    : [at - 10, at - 10 - (at % 7)].filter((source) => source >= 0).map((source) => `e${source}`)
}

/** Fills a ledger, many entries to a transaction. */
async function fill({ hub }: TestHub, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) =>
      entry(`e${from + at}`, sourcesOf(from + at)),
    )
    await hub.db.transaction((tx) => appendEntries(tx, hub, CHAIN, batch, new Date()))
  }
}

/** Walks from an entry a few levels far. */
function walking({ hub }: TestHub, id: string, direction: 'up' | 'down'): () => Promise<void> {
  return async () => {
    const start = await findEntry(hub.db, 'default', id)
    if (!start) throw new Error('There is no such entry.')
    const bounds = { vault_id: 'default', direction, max_depth: 8, max_nodes: 60 }
    expect((await walkLineage(hub.db, start, bounds)).nodes.length).toBeGreaterThan(8)
  }
}

describe('a ledger that grows', () => {
  let small: TestHub
  let large: TestHub
  beforeAll(async () => {
    small = await startTestHub()
    large = await startTestHub()
    await fill(small, 200)
    await fill(large, 20_000)
  }, 60_000)
  afterAll(async () => {
    await small.close()
    await large.close()
  })

  test('takes entries as fast a hundred times larger', async () => {
    let next = 0
    const append =
      ({ hub }: TestHub) =>
      () => {
        const added = Array.from({ length: 20 }, () => entry(`n${next++}`, ['e1', 'e2']))
        return hub.db.transaction((tx) => appendEntries(tx, hub, CHAIN, added, new Date()))
      }
    const [few, many] = await bestTimes(40, append(small), append(large))
    expect((many as number) / (few as number)).toBeLessThan(3)
  })

  test('is walked as fast a hundred times larger, both ways', async () => {
    for (const [direction, id] of [
      ['up', 'e150'],
      ['down', 'e50'],
    ] as const) {
      const [few, many] = await bestTimes(20, walking(small, id, direction), walking(large, id, direction))
      expect((many as number) / (few as number)).toBeLessThan(3)
    }
  })
})

describe('a check of an exchange', () => {
  test('takes eight times as long for eight times as much, not sixty-four', async () => {
    const [few, many] = await bestTimes(25, checking(exchangeOf(250)), checking(exchangeOf(2_000)))
    expect((many as number) / (few as number)).toBeLessThan(24)
    const [narrow, wide] = await bestTimes(25, checking(listOf(1_000)), checking(listOf(8_000)))
    expect((wide as number) / (narrow as number)).toBeLessThan(24)
  })
})

type Exchange = readonly [AgentInput, object]

function checking([input, output]: Exchange): () => void {
  return () => {
    for (let times = 0; times < 5; times++) expect(checkExchange(input, output).ok).toBe(true)
  }
}

/** An exchange of so many artifacts and so many allowed entries. */
function exchangeOf(size: number): Exchange {
  const dependsOnLedgerIds = Array.from({ length: size }, (_, at) => `led-${at}`)
  const input = inputOf({ allowedLineage: { dependsOnLedgerIds } })
  const artifacts = dependsOnLedgerIds.map((id) => ({ ...artifactOf(input), dependsOnLedgerIds: [id] }))
  return [input, { ...goodAnswer(input), artifacts }]
}

/** An exchange with a list of so many small objects in it. */
function listOf(size: number): Exchange {
  const input = inputOf()
  return [
    input,
    { ...goodAnswer(input), diagnostics: { list: Array.from({ length: size }, () => ({ a: 1 })) } },
  ]
}
