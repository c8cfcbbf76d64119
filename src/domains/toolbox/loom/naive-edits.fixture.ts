import type { Edit, Span } from './edit.ts'

/** What edits make of a text, worked out in the plainest way; or the code of the fault. */
export function editNaively(text: string, edits: readonly Edit[]): { text: string } | { code: string } {
  const found = edits.map(({ spec }) => occurrences(text, spec))
  for (const [place, spans] of found.entries()) {
    if (spans.length !== edits[place]?.count) return { code: 'PatchError' }
    if (spans.some(({ start, end }) => inCrlf(text, start) || inCrlf(text, end)))
      return { code: 'ValidationError' }
  }
  if (sharesLine(text, found)) return { code: 'ValidationError' }
  return { text: rewrite(text, edits, found) }
}

function occurrences(text: string, spec: string): Span[] {
  const spans: Span[] = []
  for (let start = 0; start + spec.length <= text.length; start += 1)
    if (text.slice(start, start + spec.length) === spec && start >= (spans.at(-1)?.end ?? 0))
      spans.push({ start, end: start + spec.length })
  return spans
}

function inCrlf(text: string, index: number): boolean {
  return index > 0 && text.slice(index - 1, index + 1) === '\r\n'
}

function sharesLine(text: string, found: readonly Span[][]): boolean {
  const owners = new Map<number, number>()
  let line = 0
  for (let index = 0; index < text.length; index += 1) {
    for (const [edit, spans] of found.entries()) {
      if (!spans.some(({ start, end }) => start <= index && index < end)) continue
      if (owners.has(line) && owners.get(line) !== edit) return true
      owners.set(line, edit)
    }
    if (text[index] === '\n') line += 1
  }
  return false
}

/** From the last match to the first, so that earlier indexes stay right. */
function rewrite(text: string, edits: readonly Edit[], found: readonly Span[][]): string {
  const feeds = [...text].filter((letter) => letter === '\n').length
  const all_crlf = feeds > 0 && text.split('\r\n').length - 1 === feeds
  const ending = all_crlf ? '\r\n' : '\n'
  const changes = found.flatMap((spans, edit) => spans.map((span) => ({ ...span, edit })))
  changes.sort((a, b) => b.start - a.start)
  let result = text
  for (const { start, end, edit } of changes) {
    const { operation, content = '' } = edits[edit] as Edit
    const put = all_crlf ? content.split('\r\n').join('\n').split('\n').join('\r\n') : content
    const spec = text.slice(start, end)
    const made = {
      replace: put,
      delete: '',
      append_after: spec + ending + put,
      prepend_before: put + ending + spec,
    }[operation]
    result = result.slice(0, start) + made + result.slice(end)
  }
  return result
}
