import {
  type Database,
  type Reader,
  type SqlValue,
  type Statement,
  sql,
  type Transaction,
} from '../storage/database.ts'
import { isHolderGone } from './holder-name.ts'
import { LEASE_MS, type LeasePlace, type LeaseTime, leaseTime } from './lease-clock.ts'

/** A lease that everybody may take over at once. */
export const LET_GO = '0'
const HELD_LIMIT = 20_000
const HOLDERS_LIMIT = 100

/** What names one row of a table of work. */
export type WorkKey<Name extends string = string> = Readonly<Record<Name, string>>

/** What a worker holds. The fence differs with each claim: who holds an older one can write nothing. */
export type WorkClaim<Name extends string = string> = WorkKey<Name> & { readonly fence: string | number }

/** Which columns of a domain's table say who works on a row and until when. */
export interface WorkColumns<Name extends string> {
  readonly table: string
  readonly key: readonly Name[]
  /** The column of the fence. */
  readonly fence: string
  /** Whether the fence is a random text; otherwise it is a number that grows. */
  readonly isFenceDrawn?: boolean
  readonly lease_ms?: number
  /** Which rows may be claimed, in SQL. */
  readonly open: string
  /** Which claimed rows are still to be worked on, in SQL: a row that no longer is stops its worker. */
  readonly wanted: string
}

/** The statements about leases on one table. All of them are the same for all tables and both databases. */
export interface WorkTable<Name extends string> {
  readonly lease_ms: number
  /** Names a row in this process. */
  nameOf(key: WorkKey<Name>): string
  /** Takes a row that nobody holds, or whose worker went silent, and locks it until the transaction ends. */
  claim(
    tx: Transaction,
    place: LeasePlace,
    key: WorkKey<Name>,
    owner: string,
  ): Promise<WorkClaim<Name> | undefined>
  /** What a claim made together with its row writes into it. */
  firstLease(
    tx: Transaction,
    place: LeasePlace,
    owner: string,
  ): Promise<{ owner: string; fence: string | number; lease_until: string }>
  /** Rows whose worker went silent or let go, longest ago first. */
  listAbandoned(db: Reader, time: LeaseTime, limit: number): Promise<WorkKey<Name>[]>
  /** Ends the leases of holders that were processes of this machine and are no more, so that nobody waits for them. */
  endGone(db: Database, now: string): Promise<void>
  listHeld(db: Reader, owner: string): Promise<WorkClaim<Name>[]>
  /** Renews all that a worker holds, and answers it. */
  renewAll(tx: Transaction, owner: string, until: string): Promise<WorkClaim<Name>[]>
  /** Renews single claims, and answers those that still count. */
  renewEach(tx: Transaction, claims: readonly WorkClaim<Name>[], until: string): Promise<WorkClaim<Name>[]>
  /** Lets the next worker take a row at once; nothing where the claim no longer counts. */
  release(tx: Transaction, claim: WorkClaim<Name>): Promise<void>
}

/** Makes a domain's table one whose rows are leased. The domain says what the work is, this who works on it. */
export function defineWork<Name extends string>(columns: WorkColumns<Name>): WorkTable<Name> {
  const { key, lease_ms = LEASE_MS, isFenceDrawn = false } = columns
  const statements = statementsOf(columns)
  const valuesOf = (row: WorkKey<Name>) => key.map((name) => row[name])
  const fenceOf = ({ system }: LeasePlace): SqlValue[] => (isFenceDrawn ? [system.random(12)] : [])
  return {
    lease_ms,
    nameOf: (row) => valuesOf(row).join(' '),
    async claim(tx, place, row, owner) {
      const { now, far, until } = await leaseTime(tx, place, lease_ms)
      const values = [owner, until, ...fenceOf(place), ...valuesOf(row), now, far]
      const taken = await tx.get(statements.claim, ...values)
      return taken && { ...row, fence: taken.fence }
    },
    async firstLease(tx, place, owner) {
      const { until } = await leaseTime(tx, place, lease_ms)
      return { owner, fence: (fenceOf(place)[0] as string | undefined) ?? 1, lease_until: until }
    },
    listAbandoned: (db, { now, far }, limit) =>
      db.all(statements.abandoned as Statement<WorkKey<Name>>, now, far, limit),
    async endGone(db, now) {
      const holders = await db.all(statements.holders, now, HOLDERS_LIMIT)
      const gone = holders.filter(({ owner }) => isHolderGone(owner))
      if (gone.length === 0) return
      await db.transaction(async (tx) => {
        for (const { owner } of gone) await tx.run(statements.end, owner)
      })
    },
    listHeld: (db, owner) => db.all(statements.held as Statement<WorkClaim<Name>>, owner, HELD_LIMIT),
    renewAll: (tx, owner, until) => tx.all(statements.renewAll as Statement<WorkClaim<Name>>, until, owner),
    async renewEach(tx, claims, until) {
      const kept: WorkClaim<Name>[] = []
      for (const claim of claims)
        if ((await tx.run(statements.renewOne, until, ...valuesOf(claim), claim.fence)) === 1)
          kept.push(claim)
      return kept
    },
    release: async (tx, claim) => void (await tx.run(statements.release, ...valuesOf(claim), claim.fence)),
  }
}

function statementsOf<Name extends string>(columns: WorkColumns<Name>) {
  const { table, key, fence, isFenceDrawn, open, wanted } = columns
  const names = key.join(', ')
  const row = key.map((name) => `${name} = ?`).join(' AND ')
  const next = isFenceDrawn ? '?' : `${fence} + 1`
  const claimed = `${names}, ${fence} AS fence`
  const mine = `WHERE ${row} AND ${fence} = ? AND owner IS NOT NULL AND ${wanted}`
  return {
    claim: sql<{ fence: string | number }>(
      `UPDATE ${table} SET owner = ?, lease_until = ?, ${fence} = ${next} WHERE ${row} AND ${open}
         AND (lease_until IS NULL OR lease_until < ? OR lease_until > ?) RETURNING ${fence} AS fence`,
    ),
    abandoned: sql(
      `SELECT ${names} FROM ${table} WHERE ${open} AND (lease_until < ? OR lease_until > ?)
       ORDER BY lease_until LIMIT ?`,
    ),
    holders: sql<{ owner: string }>(
      `SELECT DISTINCT owner FROM ${table} WHERE ${wanted} AND owner IS NOT NULL AND lease_until >= ? LIMIT ?`,
    ),
    end: sql(`UPDATE ${table} SET lease_until = '${LET_GO}' WHERE owner = ? AND ${wanted}`),
    held: sql(`SELECT ${claimed} FROM ${table} WHERE owner = ? AND ${wanted} LIMIT ?`),
    renewAll: sql(`UPDATE ${table} SET lease_until = ? WHERE owner = ? AND ${wanted} RETURNING ${claimed}`),
    renewOne: sql(`UPDATE ${table} SET lease_until = ? ${mine}`),
    release: sql(`UPDATE ${table} SET owner = NULL, lease_until = '${LET_GO}' ${mine}`),
  }
}
