import type { Database, Transaction } from '../../src/platform/storage/database.ts'
import { StorageUnavailable } from '../../src/platform/storage/database.ts'

/** A fixed sequence of numbers from 0 to 1, so that a failing run can be made again. */
export function seededChance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * A database of which one transaction in five fails: before it begins, at one of its statements, or after
 * it was committed, as when the connection breaks before the answer comes.
 */
export function faultyDatabase(db: Database, chance: () => number, rate = 0.2): Database {
  return {
    ...db,
    async transaction(work) {
      if (chance() >= rate) return db.transaction(work)
      const kind = Math.floor(chance() * 3)
      if (kind === 0) fail()
      if (kind === 1) return db.transaction((tx) => work(failingAt(tx, Math.floor(chance() * 4))))
      await db.transaction(work)
      return fail()
    },
  }
}

function fail(): never {
  throw new StorageUnavailable('injected')
}

function failingAt(tx: Transaction, statement: number): Transaction {
  let left = statement
  return counting(tx, () => {
    if (left-- === 0) fail()
  })
}

function counting(tx: Transaction, count: () => void): Transaction {
  return {
    async get(asked, ...values) {
      count()
      return tx.get(asked, ...values)
    },
    async all(asked, ...values) {
      count()
      return tx.all(asked, ...values)
    },
    async run(asked, ...values) {
      count()
      return tx.run(asked, ...values)
    },
    async runEach(asked, lists) {
      count()
      return tx.runEach(asked, lists)
    },
    afterCommit: (act) => tx.afterCommit(act),
    atEnd: (tail, items) =>
      tx.atEnd({ write: (end, all: typeof items) => tail.write(counting(end, count), all) }, items),
  }
}
