import { type SqlValue, type Statement, sql, type Transaction } from '../../../platform/storage/database.ts'

/** Rows that one statement takes: halves of each other, so that any number takes few and few are prepared. */
const SIZES = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1] as const

export type BatchedChange = (tx: Transaction, rows: readonly (readonly SqlValue[])[]) => Promise<void>

/** Makes a change that takes many rows at once, of a statement with `@rows` where the rows stand. */
export function batchedRows(text: string, columns: number): BatchedChange {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`
  const statements = SIZES.map((size) => sql(text.replace('@rows', repeated(row, size))))
  return async (tx, rows) => {
    let at = 0
    for (const [index, size] of SIZES.entries()) {
      const statement = statements[index] as Statement<never>
      for (; rows.length - at >= size; at += size)
        await tx.run(statement, ...rows.slice(at, at + size).flat())
    }
  }
}

export type BatchedRead<Row> = (
  tx: Transaction,
  before: readonly SqlValue[],
  keys: readonly string[],
) => Promise<Row[]>

/** Makes a read for many keys at once, of a statement with `@keys` as its last parameters: rows of one value. */
export function batchedKeys<Row>(text: string): BatchedRead<Row> {
  const statements = SIZES.map((size) => sql<Row>(text.replace('@keys', repeated('(?)', size))))
  return async (tx, before, keys) => {
    const found: Row[] = []
    for (let at = 0; at < keys.length; at += SIZES[0]) {
      const part = keys.slice(at, at + SIZES[0])
      const index = SIZES.findLastIndex((size) => size >= part.length)
      const size = SIZES[index] as number
      // A key may be asked for twice: so any number fits one of few statements.
      const filled = [...part, ...Array.from({ length: size - part.length }, () => part[0] as string)]
      for (const row of await tx.all(statements[index] as Statement<Row>, ...before, ...filled))
        found.push(row)
    }
    return found
  }
}

function repeated(part: string, times: number): string {
  return Array.from({ length: times }, () => part).join(', ')
}
