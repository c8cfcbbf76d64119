import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { type AuditStore, auditStore } from '../../../test/store/audit-store.ts'
import { StorageDamaged, sql } from '../storage/database.ts'
import { type ChainedRecord, chainHash, GENESIS_HASH } from './audit-record.ts'
import { pruneAudit } from './checkpoint.ts'
import { verifyChain } from './verify-chain.ts'

const NOW = new Date('2026-11-02T00:00:00.000Z')
const KEEP_20 = { max_age_days: 365, max_records: 20 }

const COLUMNS = {
  at: '2026-11-01T12:00:00.001Z',
  vault_id: 'other',
  surface: 'mcp',
  caller_kind: 'hub',
  caller_id: 'tok_2',
  client: 'claude',
  operation: 'flow_list',
  target_kind: null,
  target_id: null,
  outcome: 'denied',
  code: 'FORBIDDEN',
  duration_us: 121,
  policy_revision: 'x',
  repeats: 2,
  grant_id: 'grant_1',
  flow_id: 'flow_1',
  flow_version: '1.0.0',
  seat_id: 'seat_1',
  request_id: 'req_1',
  hash: GENESIS_HASH,
} as const

type Column = [string, string | number | null]
interface Log {
  store: AuditStore
  from: number
  to: number
}

async function faultOf({ db, key }: AuditStore): Promise<string | null> {
  return (await verifyChain(db, key)).fault
}

/** A log of 30 records, and one of which the older 30 of 50 were pruned: both end with sound records. */
async function bothLogs(): Promise<Log[]> {
  const plain = await auditStore(30)
  const pruned = await auditStore(50)
  await pruneAudit(pruned.db, pruned.log, KEEP_20, { now: NOW, ran_ms: 0 })
  return [
    { store: plain, from: 1, to: 30 },
    { store: pruned, from: 31, to: 50 },
  ]
}

/** What somebody does who knows how records are hashed: changes one, and makes its own hash fit. */
async function rewrite({ db, tamper }: AuditStore, seq: number): Promise<void> {
  const read = sql<ChainedRecord>('SELECT * FROM audit_records WHERE seq = ?')
  const [before, record] = [await db.get(read, seq - 1), await db.get(read, seq)] as ChainedRecord[]
  const changed = { ...(record as ChainedRecord), caller_id: 'someone' }
  const hash = chainHash(seq, before?.hash ?? '', changed)
  await tamper('UPDATE audit_records SET caller_id = ?, hash = ? WHERE seq = ?', changed.caller_id, hash, seq)
}

test('a sound chain is reported whole, empty, grown and pruned', async () => {
  const store = await auditStore()
  expect(await verifyChain(store.db, store.key)).toMatchObject({ intact: true, records: 0, last_seq: 0 })
  for (const { store: full, from, to } of await bothLogs()) {
    const report = await verifyChain(full.db, full.key)
    expect(report).toEqual({
      intact: true,
      records: to - from + 1,
      first_seq: from,
      last_seq: to,
      checkpoints: from === 1 ? 0 : 1,
      pruned:
        from === 1
          ? null
          : { records: from - 1, last_records: from - 1, last_at: NOW.toISOString(), last_rule: 'count' },
      fault: null,
    })
  }
})

test('a change of any column of any record is found, and undone it is sound again', async () => {
  const logs = await bothLogs()
  const columns: Column[] = Object.entries(COLUMNS)
  const cases = fc.record({
    log: fc.constantFrom(...logs),
    column: fc.constantFrom(...columns),
    place: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })
  const examples = logs.flatMap((log) =>
    columns.map((column): [{ log: Log; column: Column; place: number }] => [{ log, column, place: 0.5 }]),
  )
  await fc.assert(
    fc.asyncProperty(cases, async ({ log, column: [column, value], place }) => {
      const seq = log.from + Math.floor(place * (log.to - log.from + 1))
      const before = await log.store.db.get(
        sql<Record<string, string | number | null>>(`SELECT ${column} FROM audit_records WHERE seq = ?`),
        seq,
      )
      await log.store.tamper(`UPDATE audit_records SET ${column} = ? WHERE seq = ?`, value, seq)
      expect(await faultOf(log.store)).toMatch(new RegExp(`Record ${seq} was changed`))
      await log.store.tamper(
        `UPDATE audit_records SET ${column} = ? WHERE seq = ?`,
        before?.[column] ?? null,
        seq,
      )
      expect(await faultOf(log.store)).toBeNull()
    }),
    { numRuns: 100, examples },
  )
})

const COPIED = `at, vault_id, surface, caller_kind, caller_id, client, operation, target_kind, target_id, outcome, code,
  duration_us, policy_revision, repeats, hash`

describe('each of these is found, in a plain and in a pruned log', () => {
  const attacks: Record<string, (store: AuditStore, from: number, to: number) => Promise<unknown>> = {
    'a missing record': ({ tamper }, from) => tamper('DELETE FROM audit_records WHERE seq = ?', from + 7),
    'a missing first record': ({ tamper }, from) => tamper('DELETE FROM audit_records WHERE seq = ?', from),
    'a missing last record': ({ tamper }, _, to) => tamper('DELETE FROM audit_records WHERE seq = ?', to),
    'no records at all': ({ tamper }) => tamper('DELETE FROM audit_records'),
    'two records swapped': async ({ tamper }, from) => {
      await tamper('UPDATE audit_records SET seq = -1 WHERE seq = ?', from + 3)
      await tamper('UPDATE audit_records SET seq = ? WHERE seq = ?', from + 3, from + 4)
      await tamper('UPDATE audit_records SET seq = ? WHERE seq = -1', from + 4)
    },
    'a record twice': ({ tamper }, from, to) =>
      tamper(
        `INSERT INTO audit_records (seq, ${COPIED}) SELECT ?, ${COPIED} FROM audit_records WHERE seq = ?`,
        to + 1,
        from,
      ),
    'a record in the place of another': async ({ tamper }, from) => {
      await tamper('DELETE FROM audit_records WHERE seq = ?', from + 5)
      await tamper(
        `INSERT INTO audit_records (seq, ${COPIED}) SELECT ?, ${COPIED} FROM audit_records WHERE seq = ?`,
        from + 5,
        from + 6,
      )
    },
    'a record rewritten with its own hash': (store, from) => rewrite(store, from + 5),
    'the last record rewritten with its own hash': (store, _, to) => rewrite(store, to),
    'the tail cut off and the head moved back': async ({ db, tamper }, _, to) => {
      const kept = await db.get(sql<{ hash: string }>('SELECT hash FROM audit_records WHERE seq = ?'), to - 5)
      await tamper('DELETE FROM audit_records WHERE seq > ?', to - 5)
      await tamper('UPDATE audit_head SET seq = ?, hash = ?', to - 5, kept?.hash ?? '')
    },
    'a changed seal': ({ tamper }) => tamper('UPDATE audit_head SET mac = ?', GENESIS_HASH),
    'no head': ({ tamper }) => tamper('DELETE FROM audit_head'),
    'a head that names another checkpoint': ({ tamper }) =>
      tamper('UPDATE audit_head SET checkpoint_seq = checkpoint_seq + 1'),
    "a checkpoint's other rule": ({ tamper }, from) =>
      from === 1
        ? tamper('DELETE FROM audit_head')
        : tamper(`UPDATE audit_checkpoints SET rule = 'age' WHERE seq = ?`, from - 1),
    'an invented checkpoint': ({ tamper }, from) =>
      tamper(
        'INSERT INTO audit_checkpoints (seq, at, hash, previous_seq, signature) VALUES (?, ?, ?, ?, ?)',
        from + 2,
        'now',
        GENESIS_HASH,
        from - 1,
        'AAAA',
      ),
  }
  for (const [name, attack] of Object.entries(attacks)) {
    test(name, async () => {
      for (const { store, from, to } of await bothLogs()) {
        await attack(store, from, to)
        expect(await faultOf(store)).not.toBeNull()
      }
    })
  }
})

async function prunedThrice(): Promise<AuditStore> {
  const store = await auditStore(40)
  for (const max_records of [30, 20, 10])
    await pruneAudit(store.db, store.log, { max_age_days: 365, max_records }, { now: NOW, ran_ms: 0 })
  expect(await faultOf(store)).toBeNull()
  return store
}

describe('checkpoints', () => {
  const attacks: Record<string, string> = {
    'one deleted, and the next made to follow the one before':
      'DELETE FROM audit_checkpoints WHERE seq = 20; UPDATE audit_checkpoints SET previous_seq = 10 WHERE seq = 30',
    'the first deleted': 'DELETE FROM audit_checkpoints WHERE seq = 10',
    'one in the middle deleted': 'DELETE FROM audit_checkpoints WHERE seq = 20',
    'the newest deleted': 'DELETE FROM audit_checkpoints WHERE seq = 30',
    'all deleted': 'DELETE FROM audit_checkpoints',
    'a time edited': "UPDATE audit_checkpoints SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 10",
    'a hash edited': `UPDATE audit_checkpoints SET hash = '${GENESIS_HASH}' WHERE seq = 20`,
    'a place edited': 'UPDATE audit_checkpoints SET seq = 11 WHERE seq = 10',
    'a signature edited': "UPDATE audit_checkpoints SET signature = '' WHERE seq = 30",
  }
  for (const [name, attack] of Object.entries(attacks)) {
    test(name, async () => {
      const store = await prunedThrice()
      for (const act of attack.split('; ')) await store.tamper(act)
      expect(await faultOf(store)).not.toBeNull()
    })
  }

  test('a pruned record put back is found', async () => {
    const store = await auditStore(40)
    const columns = Object.keys(auditRecord()).join(', ')
    await store.tamper(`CREATE TABLE stolen AS SELECT * FROM audit_records WHERE seq = 5`)
    await pruneAudit(store.db, store.log, KEEP_20, { now: NOW, ran_ms: 0 })
    await store.tamper(
      `INSERT INTO audit_records (seq, ${columns}, hash) SELECT seq, ${columns}, hash FROM stolen`,
    )
    expect(await faultOf(store)).toBe('Record 5 was put back after pruning.')
  })
})

test('a pruning that was undone is found, though every record is as it was written', async () => {
  const store = await auditStore(40)
  await store.tamper('CREATE TABLE stolen AS SELECT * FROM audit_records WHERE seq <= 20')
  await pruneAudit(store.db, store.log, KEEP_20, { now: NOW, ran_ms: 0 })
  await store.tamper('DELETE FROM audit_checkpoints')
  await store.tamper('INSERT INTO audit_records SELECT * FROM stolen')
  expect(await faultOf(store)).toBe('The newest checkpoint is not the one the head names.')
})

test('a head changed without the key is never built upon, so the change stays visible', async () => {
  const store = await auditStore(10)
  const kept = await store.db.get(sql<{ hash: string }>('SELECT hash FROM audit_records WHERE seq = 5'))
  await store.tamper('DELETE FROM audit_records WHERE seq > 5')
  await store.tamper('UPDATE audit_head SET seq = 5, hash = ?', kept?.hash ?? '')
  await expect(store.log.append(auditRecord())).rejects.toBeInstanceOf(StorageDamaged)
  await expect(
    pruneAudit(store.db, store.log, { max_age_days: 365, max_records: 1 }, { now: NOW, ran_ms: 0 }),
  ).rejects.toThrow()
  expect(await faultOf(store)).toBe('The head of the chain was changed.')
})
