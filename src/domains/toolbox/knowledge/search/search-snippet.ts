const LINES_MAX = 24
const CHARS_MAX = 1_200

/** As much of a found piece as helps to judge it: the part that has the most of the query's words, with its lines. */
export function snippetOf(text: string, start_line: number, query: string) {
  const lines = text.split('\n')
  const from = lines.length <= LINES_MAX && text.length <= CHARS_MAX ? 0 : bestStart(lines, wordsOf(query))
  const shown = fitting(lines, from)
  const is_whole = from === 0 && shown.length === lines.length
  const cut = shown.join('\n').slice(0, CHARS_MAX)
  return {
    start_line: start_line + from,
    end_line: start_line + from + Math.max(1, shown.length) - 1,
    snippet: is_whole && cut.length === text.length ? text : cut,
  }
}

/** At least one line, and as many as there is room for. */
function fitting(lines: readonly string[], from: number): string[] {
  const shown: string[] = []
  let chars = 0
  for (const line of lines.slice(from, from + LINES_MAX)) {
    chars += line.length + 1
    if (shown.length > 0 && chars > CHARS_MAX) break
    shown.push(line)
  }
  return shown
}

/** The first line of the window in which the most different words stand. */
function bestStart(lines: readonly string[], words: readonly string[]): number {
  const found = lines.map((line) => {
    const lower = line.toLowerCase()
    return words.filter((word) => lower.includes(word))
  })
  let best = { at: 0, count: -1 }
  for (let at = 0; at + 1 <= lines.length; at += 1) {
    if (at > 0 && found[at]?.length === 0) continue
    const count = new Set(found.slice(at, at + LINES_MAX).flat()).size
    if (count > best.count) best = { at, count }
  }
  return Math.max(0, Math.min(best.at, lines.length - 1))
}

function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_]{2,64}/gu) ?? []
  return [...new Set(words)].slice(0, 32)
}
