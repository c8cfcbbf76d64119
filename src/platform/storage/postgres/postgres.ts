import pg from 'pg'
import { openSemaphore, type Semaphore } from '../../basics/semaphore.ts'
import { type Database, type SqlValue, type Statement, StorageUnavailable, TextRefused } from '../database.ts'
import {
  HOLD_LIMIT_MS,
  type LimitedRun,
  QUEUE_LIMIT,
  type RawTransaction,
  type Rest,
  runAfter,
  transactionScope,
} from '../transaction-scope.ts'

const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 5_000
/** How long a call waits for one of the connections, when very many come at once. */
const WAIT_LIMIT_MS = 60_000
/** How long a statement waits for a row or table that another transaction holds. */
const LOCK_TIMEOUT_MS = 10_000
/** No statement of ours takes so long: a server that has not answered by then is taken for gone. */
const ANSWER_LIMIT_MS = 120_000
/** Serialization failures and deadlocks are retried this often before the caller hears of them. */
const RETRY_LIMIT = 5

/** The server ends a transaction that is held open. */
const WITHOUT_LIMIT: LimitedRun = (act) => act()

type Client = pg.ClientBase | pg.Pool

// Counters and sequence numbers stay far below 2^53, so they may be plain numbers on both databases.
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

export interface PostgresOptions {
  /** How long the server may take to answer a statement. */
  answer_limit_ms?: number
}

/** Opens a PostgreSQL database by its `postgres://` address. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Database> {
  const pool = openPool(url, options.answer_limit_ms ?? ANSWER_LIMIT_MS)
  const named = statementNames()
  const asked = <Row>(client: Client, statement: Statement<Row>, values: SqlValue[]) =>
    guarded(() =>
      client.query<Row & pg.QueryResultRow>({ ...named(statement as Statement<unknown>), values }),
    )
  const scope = transactionScope()
  const readerOn = (client: Client, before: () => void) => ({
    async get<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      before()
      return (await asked(client, statement, values)).rows[0] as Row | undefined
    },
    async all<Row>(statement: Statement<Row>, ...values: SqlValue[]) {
      before()
      return (await asked(client, statement, values)).rows as Row[]
    },
  })
  const transactionOn = (client: Client): RawTransaction => ({
    ...readerOn(client, () => {}),
    run: async (statement, ...values) => (await asked(client, statement, values)).rowCount ?? 0,
    async runEach(statement, lists) {
      for (const values of lists) await asked(client, statement, [...values])
    },
  })
  const queue = openQueue()
  const reader = readerOn(pool, () => {})
  let closing: Promise<void> | undefined
  return {
    kind: 'postgres',
    waiting: queue.waiting,
    waited_ms: queue.waited_ms,
    async get(statement, ...values) {
      scope.checkOutside()
      return queue.run(() => reader.get(statement, ...values))
    },
    async all(statement, ...values) {
      scope.checkOutside()
      return queue.run(() => reader.all(statement, ...values))
    },
    async transaction(work) {
      scope.checkOutside()
      return retried(async () => {
        let after: Rest['after'] = []
        const take = (rest: Rest) => {
          after = rest.after
          return false
        }
        const result = await queue.run(() =>
          inTransaction(pool, (client) => scope.run(transactionOn(client), work, WITHOUT_LIMIT, take)),
        )
        runAfter(after)
        return result
      })
    },
    close: () => (closing ??= pool.end()),
  }
}

function openPool(url: string, answer_limit_ms: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: HOLD_LIMIT_MS,
    query_timeout: answer_limit_ms,
    keepAlive: true,
    types,
  })
  // A connection that breaks must not end the process; the next query opens another.
  pool.on('error', () => {})
  // The pool listens to idle connections only: one that breaks in the middle of a transaction is ours.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const tooMany = () => new StorageUnavailable('Too many calls are waiting.')

interface Queue extends Pick<Semaphore, 'waiting'> {
  waited_ms(): number
  run<Result>(act: () => Promise<Result>): Promise<Result>
}

/**
 * The line in front of the connections. The pool has one too, but there the time to wait and the time to connect are
 * one limit: short enough to notice a server that is gone, it would refuse whoever comes with many others.
 */
function openQueue(): Queue {
  const semaphore = openSemaphore(POOL_SIZE, { limit: QUEUE_LIMIT, full: tooMany })
  let inside = 0
  let waited_ms = 0
  return {
    waiting: semaphore.waiting,
    waited_ms: () => waited_ms,
    async run(act) {
      const asked = performance.now()
      const signal = ++inside > POOL_SIZE ? AbortSignal.timeout(WAIT_LIMIT_MS) : undefined
      try {
        return await semaphore.run(() => {
          waited_ms += performance.now() - asked
          return act()
        }, signal)
      } catch (error) {
        if (error instanceof Error && error === signal?.reason)
          throw new StorageUnavailable('The database is too busy.', { cause: error })
        throw error
      } finally {
        inside--
      }
    },
  }
}

async function inTransaction<Result>(
  pool: pg.Pool,
  act: (client: pg.ClientBase) => Promise<Result>,
): Promise<Result> {
  const client = await guarded(() => pool.connect())
  let broken: Error | undefined
  try {
    // By its name: a server may be set to another level, under which our locks would be conflicts.
    await guarded(() => client.query('BEGIN ISOLATION LEVEL READ COMMITTED'))
    const result = await act(client)
    await guarded(() => client.query('COMMIT'))
    return result
  } catch (error) {
    // Where nobody answers any more, the end of the connection is what undoes the transaction.
    if (isCutOff(error)) broken = error
    else await client.query('ROLLBACK').catch((failure: Error) => (broken = failure))
    throw error
  } finally {
    client.release(broken)
  }
}

/** Whether an error came from the connection and not from the server at its other end. */
function isCutOff(error: unknown): error is StorageUnavailable {
  if (!(error instanceof StorageUnavailable)) return false
  return error.cause instanceof Error && !(error.cause instanceof pg.DatabaseError)
}

/** Prepared statements are named by their order of first use; PostgreSQL keeps one plan per name. */
function statementNames() {
  const known = new Map<Statement<unknown>, { name: string; text: string }>()
  return (statement: Statement<unknown>) => {
    let found = known.get(statement)
    if (!found)
      known.set(statement, (found = { name: `k${known.size}`, text: withNumberedParameters(statement.text) }))
    return found
  }
}

/** Turns each `?` outside quotes into `$1`, `$2`, … */
function withNumberedParameters(text: string): string {
  let position = 0
  return text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (part) => (part === '?' ? `$${++position}` : part))
}

const CONFLICTS = new Set(['40001', '40P01'])

async function retried<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      if (!CONFLICTS.has(sqlState(error))) throw error
      if (attempt >= RETRY_LIMIT)
        throw new StorageUnavailable('Others keep changing the same.', { cause: error })
    }
  }
}

/** Connection trouble (08…), lack of resources (53…), cancelled or shut down (57…), I/O (58…), read-only, held or locked too long. */
const UNAVAILABLE = /^(08|53|57014|57P|58|25006|25P03|55P03)/

/** `character_not_in_repertoire`: a text that the database has no form for. */
const NO_SUCH_TEXT = '22021'

async function guarded<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    const state = sqlState(error)
    if (UNAVAILABLE.test(state) || (state === '' && error instanceof Error)) {
      throw new StorageUnavailable('The database cannot be used at the moment.', { cause: error })
    }
    if (state === NO_SUCH_TEXT) throw new TextRefused('A text cannot be stored.', { cause: error })
    throw error
  }
}

function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : ''
}
