import { StoredJson } from '../../operations/define-operation.ts'

const KEPT_LIMIT = 256
/** A longer text is put together each time: a few hundred of them would take too much memory. */
const TEXT_LIMIT_CHARS = 65_536

/**
 * A bounded cache: for a stored text, the last answer that was put together around it. Joining a long text anew for
 * each call costs more than the rest of a read, and most calls that follow each other ask for the same.
 */
export function keepAnswers(): (stored: string, rest: string, render: () => string) => StoredJson {
  const kept = new Map<string, { rest: string; answer: StoredJson }>()
  return (stored, rest, render) => {
    const known = kept.get(stored)
    if (known?.rest === rest) return known.answer
    const answer = new StoredJson(render())
    if (stored.length > TEXT_LIMIT_CHARS) return answer
    if (kept.size >= KEPT_LIMIT) kept.clear()
    kept.set(stored, { rest, answer })
    return answer
  }
}
