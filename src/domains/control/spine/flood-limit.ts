/** So many equal refusals are told singly within the time; the audit log counts the rest. */
const SINGLES = 10
const WINDOW_MS = 10_000
/** More kinds of refusal at once than these are forgotten, oldest first. */
const KINDS_LIMIT = 1_000

interface Kind {
  from_ms: number
  written: number
  left_out: number
}

/** Whether an event is told, and how many equal ones were left out before it. */
export interface FloodVerdict {
  readonly is_told: boolean
  readonly left_out: number
}

/**
 * Keeps whoever is refused again and again from filling the record, and from pushing older audit records out
 * of theirs. Each refusal is counted in the audit log in any case.
 */
export function floodLimit(): (kind: string, now: Date) => FloodVerdict {
  const kinds = new Map<string, Kind>()
  return (kind, now) => {
    const at_ms = now.getTime()
    const known = kinds.get(kind)
    if (known && Math.abs(at_ms - known.from_ms) < WINDOW_MS) {
      if (known.written < SINGLES) {
        known.written++
        return { is_told: true, left_out: 0 }
      }
      known.left_out++
      return { is_told: false, left_out: 0 }
    }
    kinds.delete(kind)
    const [oldest] = kinds.keys()
    if (kinds.size >= KINDS_LIMIT && oldest !== undefined) kinds.delete(oldest)
    kinds.set(kind, { from_ms: at_ms, written: 1, left_out: 0 })
    return { is_told: true, left_out: known?.left_out ?? 0 }
  }
}
