import { type Redact, redactMembers } from '../basics/redact-name.ts'
import { MAX_JSON_DEPTH } from '../basics/strict-json.ts'

/** Redacts every text of a JSON-like value; throws for one nested deeper than may be sent on. */
export function redactTree(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value === 'bigint') return redact(String(value))
  if (typeof value === 'number') return redactNumber(value, redact)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_JSON_DEPTH) throw new RangeError('nested too deep')
  if (Array.isArray(value)) return value.map((item) => redactTree(item, redact, depth + 1))
  return redactMembers(value, redact, (held, name) => redactMember(name, held, redact, depth + 1))
}

function redactNumber(value: number, redact: Redact): number | string {
  const text = String(value)
  const shown = redact(text)
  return shown === text ? value : shown
}

/** A text under a name is judged as if both stood on one line: the name may be what tells that it is secret. */
function redactMember(name: string, held: unknown, redact: Redact, depth: number): unknown {
  if (typeof held !== 'string') return redactTree(held, redact, depth)
  const alone = redact(held)
  if (alone !== held || held.includes('\n') || held.length > MAX_NAMED_CHARS) return alone
  const before = `${name.replace(/[^\w.$-]/g, '_')}="`
  const shown = redact(`${before}${held}"`)
  return shown.startsWith(before) && shown.endsWith('"') ? shown.slice(before.length, -1) : alone
}

const MAX_NAMED_CHARS = 4_096
