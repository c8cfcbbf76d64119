import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { parseAuditKey } from '../src/platform/audit/audit-key.ts'
import { type AuditLog, openAuditLog } from '../src/platform/audit/audit-log.ts'
import { type AuditRecord, NO_REFERENCES, valuesOf } from '../src/platform/audit/audit-record.ts'
import { verifyChain } from '../src/platform/audit/verify-chain.ts'
import { openWitness } from '../src/platform/audit/witness.ts'
import { homeAt } from '../src/platform/basics/home.ts'
import { openDatabase } from '../src/platform/storage/open-database.ts'
import { temporaryFolder } from './hub-process.ts'
import { idleShare, median } from './machine.ts'
import { tellVerdict } from './verdict.ts'

const ROUNDS = 9
const AT_ONCE = 50
const SINGLES = 200
const GROUPS = 40
const SMALL = 1_000
const LARGE = 200_000

const RECORD: AuditRecord = {
  at: '2026-01-01T12:00:00.000Z',
  vault_id: 'default',
  surface: 'rest',
  caller_kind: 'token',
  caller_id: 'tok_0123456789abcdef',
  client: 'claude-code',
  operation: 'flow_get',
  target_kind: 'flow',
  target_id: 'flow_research_brief',
  outcome: 'allowed',
  code: null,
  duration_us: 1_234,
  policy_revision: '0123456789ab',
  repeats: 1,
  ...NO_REFERENCES,
}

/** Rows of the same values in a table of the same shape, by the bare driver: what the disk allows. */
function bareInserts(path: string): { single(): void; group(): void } {
  const db = new BetterSqlite(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  const values = [...valuesOf(RECORD), 'f'.repeat(64)]
  db.exec(`CREATE TABLE rows (seq INTEGER PRIMARY KEY, ${values.map((_, at) => `v${at}`).join(', ')})`)
  const insert = db.prepare(`INSERT INTO rows VALUES (?, ${values.map(() => '?').join(', ')})`)
  let seq = 0
  const single = () => void insert.run(++seq, ...values)
  return {
    single,
    group: db.transaction(() => {
      for (let row = 0; row < AT_ONCE; row++) single()
    }),
  }
}

async function microsEach(times: number, act: () => unknown): Promise<number> {
  const started = performance.now()
  for (let time = 0; time < times; time++) await act()
  return ((performance.now() - started) * 1_000) / times
}

const perSecond = (micros: number) => 1_000_000 / micros

const appendFirmly = (log: AuditLog) => db.transaction(async (tx) => log.leaveIn(tx, [RECORD], true))
const appendGroup = (log: AuditLog) => Promise.all(Array.from({ length: AT_ONCE }, () => log.append(RECORD)))

async function compareAppends(log: AuditLog, bare: ReturnType<typeof bareInserts>): Promise<void> {
  const times: Record<'bareSingle' | 'logSingle' | 'logFirm' | 'bareGroup' | 'logGroup', number[]> = {
    bareSingle: [],
    logSingle: [],
    logFirm: [],
    bareGroup: [],
    logGroup: [],
  }
  for (let round = 0; round < ROUNDS; round++) {
    times.bareSingle.push(await microsEach(SINGLES, bare.single))
    times.logSingle.push(await microsEach(SINGLES, () => log.append(RECORD)))
    times.logFirm.push(await microsEach(SINGLES, () => appendFirmly(log)))
    times.bareGroup.push((await microsEach(GROUPS, bare.group)) / AT_ONCE)
    times.logGroup.push((await microsEach(GROUPS, () => appendGroup(log))) / AT_ONCE)
  }
  const { bareSingle, logSingle, logFirm, bareGroup, logGroup } = times
  console.log(
    `  one at a time: bare ${perSecond(median(bareSingle)).toFixed(0)}/s, audit log ${perSecond(median(logSingle)).toFixed(0)}/s`,
  )
  console.log(`  one act at a time, its witness synced too: ${perSecond(median(logFirm)).toFixed(0)}/s`)
  console.log(
    `  ${AT_ONCE} at once: bare ${perSecond(median(bareGroup)).toFixed(0)}/s, audit log ${perSecond(median(logGroup)).toFixed(0)}/s`,
  )
  const name = 'audit appends against bare durable inserts'
  const single = perSecond(median(logSingle)) / perSecond(median(bareSingle))
  tellVerdict({ name: `${name}, one at a time`, measured: single, bar: '≥ 0.5', unit: '×' })
  const group = perSecond(median(logGroup)) / perSecond(median(bareGroup))
  tellVerdict({ name: `${name}, ${AT_ONCE} at once`, measured: group, bar: '≥ 0.3', unit: '×' })
}

const home = temporaryFolder()
const db = await openDatabase(homeAt(home.folder, {}), {}, new Date())
try {
  const key = parseAuditKey('0'.repeat(64), 'the benchmark')
  const at = RECORD.at
  const witness = openWitness(join(home.folder, 'audit-witness'), key, { seq: 0, hash: '', at })
  const log = await openAuditLog(db, key, {
    note: (end, firmly) => witness.note({ ...end, at: new Date().toISOString() }, firmly),
  })
  console.log(`Audit log: chained, sealed, on the disk before it is told, against bare inserts (WAL, FULL)`)
  console.log(`  idle before ${((await idleShare()) * 100).toFixed(0)} %`)
  const fill = async (records: number) => {
    const { last_seq } = await verifyChain(db, key)
    for (let seq = last_seq; seq < records; seq += AT_ONCE) await appendGroup(log)
  }
  const look = async () => {
    const rounds: { append: number[]; verify: number[] } = { append: [], verify: [] }
    for (let round = 0; round < ROUNDS; round++) {
      rounds.append.push((await microsEach(GROUPS / 2, () => appendGroup(log))) / AT_ONCE)
      const started = performance.now()
      const report = await verifyChain(db, key)
      if (!report.intact) throw new Error(`The chain is not intact: ${report.fault}`)
      rounds.verify.push(((performance.now() - started) * 1_000) / report.records)
    }
    return { append: median(rounds.append), verify: median(rounds.verify) }
  }
  await fill(SMALL)
  await look()
  const small = await look()
  await compareAppends(log, bareInserts(join(home.folder, 'bare.db')))
  await fill(LARGE)
  const large = await look()
  console.log(
    `  verify: ${perSecond(small.verify).toFixed(0)} records/s when small, ${perSecond(large.verify).toFixed(0)} records/s at ${LARGE}`,
  )
  console.log(
    `  append: ${small.append.toFixed(1)} µs each when small, ${large.append.toFixed(1)} µs at ${LARGE}`,
  )
  const growth = large.append / small.append
  tellVerdict({
    name: `audit append at ${LARGE} records against ${SMALL}, time`,
    measured: growth,
    bar: '≤ 1.5',
    unit: '×',
  })
  const walk = large.verify / small.verify
  tellVerdict({
    name: `audit verify per record at ${LARGE} against ${SMALL}`,
    measured: walk,
    bar: '≤ 1.5',
    unit: '×',
  })
} finally {
  await db.close()
  home.remove()
}
