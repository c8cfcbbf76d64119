import type { Statement } from './database.ts'

/** Counts the changes of each table, so that what was read of one counts for as long as nobody has changed it. */
export interface Editions {
  of(table: string): number
  /** To be called with each statement of ours that may change something, before it runs. */
  noteChange(statement: Statement<unknown>): void
  /** To be called when others may have changed anything. */
  noteForeign(): void
}

/** No table has triggers or changes along with another, so such a statement changes the one that it names. */
const CHANGE_OF_ONE = /^(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)\b/

export function tableEditions(): Editions {
  const tables = new Map<Statement<unknown>, string | undefined>()
  const own = new Map<string, number>()
  let all = 0
  const tableOf = (statement: Statement<unknown>) => {
    if (!tables.has(statement)) tables.set(statement, CHANGE_OF_ONE.exec(statement.text)?.[1])
    return tables.get(statement)
  }
  return {
    of: (table) => all + (own.get(table) ?? 0),
    noteChange(statement) {
      const table = tableOf(statement)
      if (table === undefined) all++
      else own.set(table, (own.get(table) ?? 0) + 1)
    },
    noteForeign: () => void all++,
  }
}
