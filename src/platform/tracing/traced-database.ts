import type { Database, Statement } from '../storage/database.ts'
import type { SpanAttributes, Tracing } from './tracing.ts'

/** Gives a function the span under way now: the store may run it when another one is. */
export type Keep = <Given extends unknown[], Result>(
  act: (...given: Given) => Result,
) => (...given: Given) => Result

const OPERATION = /\b(SELECT|INSERT|UPDATE|DELETE)\b/i
const TABLE = /\b(?:FROM|INTO|UPDATE)\s+(\w+)/i

/** What a statement does, to which table: `SELECT flows`. Its values are not in its text, and its text is not told. */
function summaryOf({ text }: Statement<unknown>): { operation: string; table: string | undefined } {
  return { operation: OPERATION.exec(text)?.[1]?.toUpperCase() ?? 'QUERY', table: TABLE.exec(text)?.[1] }
}

/**
 * A database whose reads and transactions are spans. A transaction is one: its statements wait for nothing but each other.
 * A read of SQLite is a call within the process that waits for nothing, and no span: there would be more of them than of calls.
 */
export function tracedDatabase(db: Database, span: Tracing['span'], keep: Keep): Database {
  const system = db.kind === 'postgres' ? 'postgresql' : 'sqlite'
  const starts = new WeakMap<Statement<unknown>, { name: string; attributes: SpanAttributes }>()
  const startOf = (statement: Statement<unknown>) => {
    let start = starts.get(statement)
    if (!start) {
      const { operation, table } = summaryOf(statement)
      const name = table ? `${operation} ${table}` : operation
      const attributes = {
        'db.system.name': system,
        'db.operation.name': operation,
        'db.query.summary': name,
      }
      starts.set(statement, (start = { name, attributes: { ...attributes, 'db.collection.name': table } }))
    }
    return { ...start, kind: 'client' } as const
  }
  const commit = {
    name: 'TRANSACTION',
    kind: 'client',
    attributes: { 'db.system.name': system, 'db.operation.name': 'TRANSACTION' },
  } as const
  const transaction: Database['transaction'] = (work) => span(commit, () => db.transaction(keep(work)))
  if (db.kind === 'sqlite') return { ...db, transaction }
  return {
    ...db,
    transaction,
    get: (statement, ...values) => span(startOf(statement), () => db.get(statement, ...values)),
    all: (statement, ...values) => span(startOf(statement), () => db.all(statement, ...values)),
  }
}
