import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../../test/control/run-source.ts'
import { DATABASES, makeTestHome, type TestHome } from '../../../../test/harness/test-hub.ts'
import { type Hub, openHub } from '../../../operations/hub.ts'
import type { Page } from '../connectors/connector.ts'
import { listRecords, listRemovals, listStreams } from './record-reads.ts'
import { applyPage, ConnectionInactive, eraseRecords, findCheckpoint } from './record-store.ts'

const STREAMS = ['items', 'others'] as const
const AT = '2026-11-01T00:00:00.000Z'

const key = fc.constantFrom('a', 'b', 'ä', 'c d', '%', "'", 'long'.repeat(50))
const page = fc.record({
  stream: fc.constantFrom(...STREAMS),
  upserts: fc.array(fc.record({ key, data: fc.record({ n: fc.nat(3) }) }), { maxLength: 12 }),
  removals: fc.array(key, { maxLength: 4 }),
  checkpoint: fc.nat(),
  bytes: fc.constant(1),
})

let home: TestHome
let hub: Hub

const apply = (connection_id: string, one: Page) =>
  hub.db.transaction((tx) => applyPage(tx, connection_id, one, AT))

describe.each(DATABASES)('records on %s', (database) => {
  beforeAll(async () => {
    home = await makeTestHome({ database })
    hub = await openHub(home.options)
  })
  afterAll(async () => {
    await hub.close()
    await home[Symbol.asyncDispose]()
  })

  test('whatever pages come, what is stored is what a plain map of them holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 8 }), async (pages) => {
        const connection_id = await connect(hub, 'http://127.0.0.1:9')
        const model = new Map(STREAMS.map((stream) => [stream as string, new Map<string, unknown>()]))
        let last_seq = 0
        for (const one of pages) {
          const known = model.get(one.stream) as Map<string, unknown>
          const before = new Map(known)
          for (const { key: name, data } of one.upserts) known.set(name, data)
          const kept = new Set(one.upserts.map(({ key: name }) => name))
          for (const name of one.removals) if (!kept.has(name)) known.delete(name)
          const effect = await apply(connection_id, one)
          expect(effect.before_seq).toBe(last_seq)
          last_seq = effect.last_seq
          expect(effect.created).toBe([...known.keys()].filter((name) => !before.has(name)).length)
          expect(effect.removed).toBe([...before.keys()].filter((name) => !known.has(name)).length)
          expect(effect.updated).toBe(
            [...known].filter(
              ([name, data]) => before.has(name) && JSON.stringify(before.get(name)) !== JSON.stringify(data),
            ).length,
          )
        }
        expect(await findCheckpoint(hub.db, connection_id)).toBe(pages.at(-1)?.checkpoint)
        const counts = new Map(
          (await listStreams(hub.db, connection_id)).map(({ stream, record_count }) => [
            stream,
            record_count,
          ]),
        )
        for (const stream of STREAMS) {
          const wanted = { connection_id, stream, after: 0, limit: 500 }
          const { records } = await listRecords(hub.db, wanted)
          const stored = new Map(records.map((row) => [row.record_key, JSON.parse(row.data_json)]))
          expect(stored).toEqual(model.get(stream))
          expect(counts.get(stream) ?? 0).toBe(stored.size)
          const gone = await listRemovals(hub.db, wanted)
          const seqs = [...records, ...gone].map(({ seq }) => seq)
          expect(new Set(seqs).size).toBe(seqs.length)
        }
        const erased = await hub.db.transaction((tx) => eraseRecords(tx, connection_id))
        const total = STREAMS.reduce((sum, stream) => sum + (model.get(stream)?.size ?? 0), 0)
        expect(erased).toEqual({ deleted_record_count: total, deleted_stream_count: counts.size })
        expect(await findCheckpoint(hub.db, connection_id)).toBe(null)
      }),
      { numRuns: database === 'sqlite' ? 100 : 40 },
    )
  }, 120_000)

  test('any number of records goes in, and comes out again page by page, each once', async () => {
    for (const count of [1, 3, 31, 513, 1_500]) {
      const connection_id = await connect(hub, 'http://127.0.0.1:9')
      const upserts = Array.from({ length: count }, (_, at) => ({ key: `k${at}`, data: { at } }))
      await apply(connection_id, { stream: 'items', upserts, checkpoint: 1, bytes: 1 })
      const keys: string[] = []
      for (let after: number | undefined = 0; after !== undefined; ) {
        const found = await listRecords(hub.db, { connection_id, stream: 'items', after, limit: 100 })
        keys.push(...found.records.map(({ record_key }) => record_key))
        after = found.next
      }
      expect(keys).toEqual(upserts.map(({ key: name }) => name))
      const again = await apply(connection_id, { stream: 'items', upserts, checkpoint: 2, bytes: 1 })
      expect(again).toMatchObject({ created: 0, updated: 0, before_seq: count, last_seq: count })
    }
  })

  test('a page of large records is cut where it would be too much, and goes on from there', async () => {
    const connection_id = await connect(hub, 'http://127.0.0.1:9')
    const text = 'x'.repeat(900_000)
    for (let at = 0; at < 3; at++) {
      const upserts = [1, 2, 3].map((n) => ({ key: `k${at}-${n}`, data: { text } }))
      await apply(connection_id, { stream: 'items', upserts, checkpoint: at, bytes: 1 })
    }
    const sizes: number[] = []
    for (let after: number | undefined = 0; after !== undefined; ) {
      const found = await listRecords(hub.db, { connection_id, stream: 'items', after, limit: 100 })
      sizes.push(found.records.length)
      after = found.next
    }
    expect(sizes).toEqual([4, 4, 1])
  })

  test('what is not there, or not active, takes no page', async () => {
    const one: Page = { stream: 'items', upserts: [{ key: 'a', data: {} }], checkpoint: 1, bytes: 1 }
    await expect(apply('conn_none', one)).rejects.toBeInstanceOf(ConnectionInactive)
    expect(await findCheckpoint(hub.db, 'conn_none')).toBe(null)
  })
})
