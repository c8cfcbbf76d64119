import type { Change } from './mutants.ts'

const STATEMENT = /^['"`]\s*(SELECT|UPDATE|DELETE)\b/
/** A condition on one column. Values keep their number, so that a statement still runs. */
const CONDITION = /\b([a-z_]+) (=|<|<=|>|>=|<>) (\?|'[^'\n]*'|\d+)/g
const WIDER: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }

/** What can be changed in an SQL statement: each condition may stop counting, each edge may move. */
export function sqlMutants(literal: string): Change[] {
  if (!STATEMENT.test(literal)) return []
  const where = literal.indexOf('WHERE')
  if (where < 0) return []
  return [...literal.matchAll(CONDITION)].flatMap(
    ({ index, 0: whole, 1: column, 2: operator = '', 3: value }) => {
      if (index < where) return []
      const place = { start: index, end: index + whole.length }
      const loose = { ...place, text: `(${whole} OR 1 = 1)`, kind: 'loosened SQL' }
      const moved = WIDER[operator]
      const edge = { ...place, text: `${column} ${moved} ${value}`, kind: 'moved edge in SQL' }
      return moved === undefined ? [loose] : [loose, edge]
    },
  )
}
