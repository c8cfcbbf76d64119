import pg from 'pg'
import { type Database, type SqlValue, type Statement, StorageUnavailable, TextRefused } from './database.ts'
import { HOLD_LIMIT_MS, QUEUE_LIMIT, type RawTransaction, transactionScope } from './transaction-scope.ts'

const POOL_SIZE = 10
const CONNECT_TIMEOUT_MS = 5_000
/** How long a statement waits for a row or table that another transaction holds. */
const LOCK_TIMEOUT_MS = 10_000
/** No statement of ours takes so long: a server that has not answered by then is taken for gone. */
const ANSWER_LIMIT_MS = 120_000
/** Serialization failures and deadlocks are retried this often before the caller hears of them. */
const RETRY_LIMIT = 5

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
  let closing: Promise<void> | undefined
  return {
    kind: 'postgres',
    ...readerOn(pool, () => {
      scope.checkOutside()
      checkQueue(pool)
    }),
    async transaction(work) {
      scope.checkOutside()
      checkQueue(pool)
      return retried(() => inTransaction(pool, (client) => scope.run(transactionOn(client), work)))
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

function checkQueue(pool: pg.Pool): void {
  if (pool.waitingCount >= QUEUE_LIMIT) throw new StorageUnavailable('Too many calls are waiting.')
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
