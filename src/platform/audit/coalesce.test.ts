import { expect, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { auditStore } from '../../../test/store/audit-store.ts'
import { sql } from '../storage/database.ts'
import type { AuditRecord } from './audit-record.ts'
import { coalesceRefusals } from './coalesce.ts'
import { verifyChain } from './verify-chain.ts'

const START = Date.parse('2026-11-01T00:00:00.000Z')
const at = (ms: number) => new Date(START + ms)
const refusal = (ms: number, about: Partial<AuditRecord> = {}) =>
  auditRecord({ at: at(ms).toISOString(), outcome: 'denied', code: 'FORBIDDEN', ...about })

/** Keeps what is appended, and fails while told to. */
function sink() {
  const written: AuditRecord[] = []
  const state = { failing: false }
  const refusals = coalesceRefusals(async (record) => {
    await Promise.resolve()
    if (state.failing) throw new Error('disk full')
    written.push(record)
  })
  const told = () => written.reduce((sum, record) => sum + record.repeats, 0)
  return { written, state, refusals, told }
}

test('a flood of 100,000 leaves few records whose counts are exact', async () => {
  const { db, log, key } = await auditStore()
  const refusals = coalesceRefusals((record) => log.append(record))
  for (let n = 0; n < 100_000; n++) {
    await refusals.append(refusal(n))
    if (n % 5_000 === 0) await refusals.flushDue(at(n))
  }
  await refusals.flushAll()
  const sums = sql<{ count: number; told: number }>(
    'SELECT COUNT(*) AS count, SUM(repeats) AS told FROM audit_records',
  )
  const found = await db.get(sums)
  expect(found?.told).toBe(100_000)
  // Ten singly, then one for each window of ten seconds.
  expect(found?.count).toBeLessThanOrEqual(10 + 11)
  expect(await verifyChain(db, key)).toMatchObject({ intact: true })
})

test('different callers, operations and codes are told apart', async () => {
  const { written, refusals } = sink()
  const kinds = [
    { caller_id: 'a' },
    { caller_id: 'b' },
    { operation: 'flow_list' },
    { code: 'RATE_LIMITED' },
    { vault_id: 'other' },
    { surface: 'mcp' },
  ]
  for (let n = 0; n < 50; n++) for (const kind of kinds) await refusals.append(refusal(n, kind))
  await refusals.flushAll()
  for (const kind of kinds) {
    const [field, value] = Object.entries(kind)[0] as [keyof AuditRecord, string]
    const own = written.filter((record) => record[field] === value)
    expect(own).toHaveLength(11)
    expect(own.reduce((sum, record) => sum + record.repeats, 0)).toBe(50)
  }
})

test('few refusals are all written at once, with their targets', async () => {
  const { written, refusals } = sink()
  for (let n = 0; n < 10; n++) await refusals.append(refusal(n, { target_id: `flow_${n}` }))
  expect(written.map((record) => record.target_id)).toEqual(Array.from({ length: 10 }, (_, n) => `flow_${n}`))
})

test('a count names the target only while all its calls had the same one', async () => {
  const { written, refusals } = sink()
  for (let n = 0; n < 15; n++) await refusals.append(refusal(n))
  await refusals.flushAll()
  expect(written.at(-1)).toMatchObject({ repeats: 5, target_id: 'flow_1' })
  for (let n = 0; n < 15; n++) await refusals.append(refusal(60_000 + n, { target_id: `flow_${n}` }))
  await refusals.flushAll()
  expect(written.at(-1)).toMatchObject({ repeats: 5, target_id: null, target_kind: null })
})

test('a window is written when it is over, not before, and after a quiet one calls are single again', async () => {
  const { written, refusals } = sink()
  for (let n = 0; n < 20; n++) await refusals.append(refusal(n))
  await refusals.flushDue(at(9_999))
  expect(written).toHaveLength(10)
  await refusals.flushDue(at(10_000))
  expect(written.at(-1)).toMatchObject({ repeats: 10 })
  await refusals.append(refusal(10_500))
  expect(written).toHaveLength(11)
  await refusals.flushDue(at(20_000))
  await refusals.flushDue(at(30_000))
  await refusals.append(refusal(30_500))
  expect(written.map((record) => record.repeats).slice(-2)).toEqual([1, 1])
  expect(written).toHaveLength(13)
})

test('refusals that end in another order than they began are counted in one window', async () => {
  const { written, refusals } = sink()
  for (let n = 0; n < 1_000; n++) await refusals.append(refusal(5_000 - n))
  expect(written).toHaveLength(10)
  await refusals.flushDue(at(15_000))
  expect(written.map(({ repeats }) => repeats)).toEqual([...Array(10).fill(1), 990])
})

test('a clock that is set back does not keep a count from being written', async () => {
  const { written, refusals } = sink()
  for (let n = 0; n < 20; n++) await refusals.append(refusal(n))
  await refusals.flushDue(at(-3_600_000))
  expect(written.at(-1)).toMatchObject({ repeats: 10 })
})

test('what could not be written is kept and told at the next flush, to the last one', async () => {
  const { state, refusals, told } = sink()
  for (let n = 0; n < 5; n++) await refusals.append(refusal(n))
  state.failing = true
  const tried = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) => refusals.append(refusal(10 + n))),
  )
  expect(tried.filter((result) => result.status === 'rejected')).toHaveLength(5)
  await expect(refusals.flushDue(at(20_000))).rejects.toThrow('disk full')
  await expect(refusals.append(refusal(40_000))).rejects.toThrow('disk full')
  await expect(refusals.flushAll()).rejects.toThrow('disk full')
  expect(told()).toBe(5)
  state.failing = false
  await refusals.flushDue(at(60_000))
  await refusals.flushAll()
  expect(told()).toBe(5 + 50 + 1)
  await refusals.flushAll()
  expect(told()).toBe(56)
})

test('too many kinds share counts that claim no caller, and none is lost', async () => {
  const { written, refusals, told } = sink()
  for (let round = 0; round < 12; round++)
    for (let caller = 0; caller < 2_000; caller++)
      await refusals.append(refusal(round, { caller_id: `c${caller}`, vault_id: `v${caller % 7}` }))
  await refusals.flushAll()
  expect(told()).toBe(24_000)
  const shared = written.filter((record) => record.caller_id === '*')
  expect(shared).toHaveLength(1)
  expect(shared[0]).toMatchObject({ vault_id: '*', caller_kind: 'token', repeats: 12_000 - 10 })
  expect(written.length).toBeLessThanOrEqual(1_000 * 11 + 11)
})

/** What a stranger can vary: the way in, the program it says it is, the route, and so the code. */
const strange = (n: number): Partial<AuditRecord> => ({
  caller_kind: 'anonymous',
  caller_id: '-',
  vault_id: '-',
  client: `client_${n % 13}`,
  surface: n % 2 ? 'rest' : 'mcp',
  operation: `operation_${n % 143}`,
  code: `CODE_${n % 11}`,
  target_id: null,
  target_kind: null,
})

test('strangers get a small budget of records, whatever they vary and however long they go on', async () => {
  const { written, refusals, told } = sink()
  for (let n = 0; n < 9_072; n++) await refusals.append(refusal(n, strange(n)))
  await refusals.flushDue(at(20_000))
  expect(written.length).toBeLessThanOrEqual(20)
  const hours = 24
  for (let minute = 1; minute <= hours * 60; minute++) {
    for (let n = 0; n < 50; n++) await refusals.append(refusal(minute * 60_000, strange(minute + n)))
    await refusals.flushDue(at(minute * 60_000))
  }
  expect(written.length).toBeLessThanOrEqual(20 + hours * 12)
  await refusals.flushAll()
  expect(told()).toBe(9_072 + hours * 60 * 50)
  expect(written.filter((record) => record.operation === '*').length).toBeGreaterThan(0)
})

test('strangers use up nothing of what callers with a credential get', async () => {
  const { written, refusals } = sink()
  for (let n = 0; n < 5_000; n++) await refusals.append(refusal(n, strange(n)))
  const before = written.length
  for (let n = 0; n < 10; n++) await refusals.append(refusal(5_000 + n))
  expect(written.slice(before).map(({ caller_id }) => caller_id)).toEqual(Array(10).fill('tok_1'))
})

test('few refusals of strangers are written at once, and again after a quiet time', async () => {
  const { written, refusals } = sink()
  for (let n = 0; n < 20; n++) await refusals.append(refusal(n, strange(0)))
  expect(written).toHaveLength(20)
  for (let n = 0; n < 5; n++) await refusals.append(refusal(86_400_000 + n, strange(n)))
  expect(written.slice(20).map(({ repeats }) => repeats)).toEqual([1, 1, 1, 1, 1])
})

const asked = (ms: number, operation = 'ask') =>
  refusal(ms, { ...strange(0), outcome: 'allowed', code: null, operation })

test('what strangers ask for has a budget of its own, and nothing of it is lost', async () => {
  const { written, refusals, told } = sink()
  const hours = 24
  for (let minute = 0; minute < hours * 60; minute++) {
    for (let n = 0; n < 80; n++) {
      const record = asked(minute * 60_000 + n)
      if (refusals.hasRoom(new Date(record.at))) written.push(record)
      else refusals.count(record)
    }
    await refusals.flushDue(at(minute * 60_000 + 30_000))
  }
  expect(written.length).toBeGreaterThan(100)
  expect(written.length).toBeLessThanOrEqual(100 + hours * 60)
  await refusals.flushAll()
  expect(told()).toBe(hours * 60 * 80)
  expect(written.every(({ outcome, operation }) => outcome === 'allowed' && operation === 'ask')).toBe(true)
  for (let n = 0; n < 20; n++) await refusals.append(refusal(hours * 3_600_000 + n, strange(n)))
  expect(written.slice(-20).map(({ outcome }) => outcome)).toEqual(Array(20).fill('denied'))
})

test('what strangers ask for is told apart by what it is, whatever else they were refused', async () => {
  const { written, refusals } = sink()
  for (let n = 0; n < 100; n++) await refusals.append(refusal(n, { ...strange(n), code: `CODE_${n}` }))
  for (const operation of ['register', 'ask', 'ask', 'register', 'register'])
    refusals.count(asked(200, operation))
  await refusals.flushAll()
  const told = written.filter(({ outcome }) => outcome === 'allowed')
  expect(told.map(({ operation, repeats }) => [operation, repeats])).toEqual([
    ['register', 3],
    ['ask', 2],
  ])
})

test('a quiet year, or a clock that goes back and forth, saves strangers no records', async () => {
  const { written, refusals } = sink()
  const year = 365 * 86_400_000
  await refusals.append(refusal(0, strange(0)))
  for (let n = 0; n < 100; n++) await refusals.append(refusal(year + n, strange(n)))
  expect(written).toHaveLength(1 + 20)
  for (const turn of [1, 2, 3])
    for (const time of [turn, year + turn]) await refusals.append(refusal(time, strange(turn)))
  expect(written.length).toBeLessThanOrEqual(1 + 20 + 20)
  const before = written.length
  // Set back for good, the clock of then counts.
  for (let minute = 1; minute <= 30; minute++) {
    await refusals.append(refusal(minute * 60_000, strange(minute)))
    await refusals.flushDue(at(minute * 60_000 + 20_000))
  }
  expect(written.length - before).toBeGreaterThan(2)
  expect(written.length - before).toBeLessThanOrEqual(7)
})
