import { AsyncLocalStorage } from 'node:async_hooks'
import { type SqlValue, type Statement, StorageUnavailable, type Tail, type Transaction } from './database.ts'

/** How long a transaction may be kept open by work that waits for something else. */
export const HOLD_LIMIT_MS = 10_000
/** More transactions than this never wait at once; the next one is refused instead. */
export const QUEUE_LIMIT = 20_000

/** Runs something, giving up on it after a while. */
export type LimitedRun = <Result>(act: () => Promise<Result>) => Promise<Result>

/** Statements as a driver runs them: at once, or in time. */
export interface RawTransaction {
  get<Row>(statement: Statement<Row>, ...values: SqlValue[]): Row | undefined | Promise<Row | undefined>
  all<Row>(statement: Statement<Row>, ...values: SqlValue[]): Row[] | Promise<Row[]>
  run(statement: Statement<never>, ...values: SqlValue[]): number | Promise<number>
  runEach(statement: Statement<never>, lists: readonly (readonly SqlValue[])[]): void | Promise<void>
}

/** What is left to be written at the end of a commit. */
export type Tails = Map<Tail<unknown>, unknown[]>

interface Scope {
  open: boolean
  failure: { error: unknown } | undefined
  tails: Tails
  after: (() => void)[]
}

/** What a transaction leaves to be done at its end, and after it. */
export type Rest = Pick<Scope, 'tails' | 'after'>

/**
 * Keeps the work of a transaction to its rules, the same on both databases: after a statement failed
 * nothing more runs and nothing is kept, an ended transaction cannot be used, and work that asks its own
 * database for a transaction or a read beside it is told so instead of waiting for itself for ever.
 */
export function transactionScope() {
  const inside = new AsyncLocalStorage<Scope>()

  return {
    /** Throws when called from within a transaction's own work. */
    checkOutside(): void {
      if (inside.getStore()?.open) {
        throw new Error('Inside a transaction, use the transaction: its own database would wait for it.')
      }
    },
    /** Runs the work and answers its result, or throws the first failure even if the work swallowed it. */
    async run<Result>(
      raw: RawTransaction,
      work: (tx: Transaction) => Promise<Result>,
      limited: LimitedRun,
      /** Takes over what is left to be done; answers whether that is to be written at the end of others. */
      leave: (rest: Rest) => boolean,
    ): Promise<Result> {
      const scope: Scope = { open: true, failure: undefined, tails: new Map(), after: [] }
      const tx = scoped(raw, scope)
      try {
        const result = await limited(() => inside.run(scope, work, tx))
        if (scope.failure) throw scope.failure.error
        if (!leave(scope)) await writeTails(tx, scope.tails)
        return result
      } finally {
        scope.open = false
      }
    },
  }
}

/** Does what was left for after the commit. Nobody may take for done what could not be noted. */
export function runAfter(acts: readonly (() => void)[]): void {
  try {
    for (const act of acts) act()
  } catch (cause) {
    throw new StorageUnavailable('What was committed could not be noted beside the database.', { cause })
  }
}

/** Writes what was left to be written. */
export async function writeTails(tx: Transaction, tails: Tails): Promise<void> {
  for (const [tail, items] of tails) await tail.write(tx, items)
}

/** Puts what is left of one work to what is left of others. */
export function joinTails(tails: Tails, more: Tails): void {
  for (const [tail, items] of more) addTo(tails, tail, items)
}

function addTo(tails: Tails, tail: Tail<unknown>, items: readonly unknown[]): void {
  const known = tails.get(tail)
  if (known) known.push(...items)
  else tails.set(tail, [...items])
}

export type TransactionScope = ReturnType<typeof transactionScope>

function scoped(raw: RawTransaction, scope: Scope): Transaction {
  const failed = (error: unknown): never => {
    scope.failure ??= { error }
    throw error
  }
  const attempt = async <Result>(act: () => Result | Promise<Result>): Promise<Result> => {
    if (!scope.open) throw new Error('The transaction has already ended.')
    if (scope.failure) throw scope.failure.error
    try {
      const result = act()
      // A driver that answers at once is not made to wait for itself: every turn of waiting costs.
      return result instanceof Promise ? await result : result
    } catch (error) {
      return failed(error)
    }
  }
  return {
    get: <Row>(statement: Statement<Row>, ...values: SqlValue[]) =>
      attempt(() => raw.get(statement, ...values)),
    all: <Row>(statement: Statement<Row>, ...values: SqlValue[]) =>
      attempt(() => raw.all(statement, ...values)),
    run: (statement, ...values) => attempt(() => raw.run(statement, ...values)),
    runEach: (statement, lists) => attempt(() => raw.runEach(statement, lists)),
    afterCommit: (act) => void scope.after.push(act),
    atEnd: (tail, items) => addTo(scope.tails, tail as Tail<unknown>, items),
  }
}
