const LINE_BREAK = /\r\n|[\r\n\u2028\u2029]/

/** Text that can neither open HTML nor close a comment. */
function escapeAngles(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Escaped text on one line, for headings. */
export function renderInline(text: string): string {
  return escapeAngles(text).replaceAll(/\s+/g, ' ').trim()
}

/** Escaped text as one quoted scalar: a JSON string is also a YAML string and cannot leave its line. */
export function renderQuoted(text: string): string {
  // Older YAML readers take these two for line breaks, and JSON leaves them as they are.
  return JSON.stringify(escapeAngles(text)).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

// In the two functions below user text never starts a line at column 0, so it cannot pass for a heading,
// a rule or front matter, and a code fence left open ends with its own list item.

/** A labelled list item; text of several lines follows below the label. */
export function renderField(label: string, text: string): string {
  const lines = escapedLines(text)
  if (lines.length === 1) return `- **${label}:** ${lines[0]}`.trimEnd()
  return [`- **${label}:**`, '', ...indented(lines, '  ')].join('\n')
}

/** A labelled list with an item per text; nothing at all for an empty list. */
export function renderList(label: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return []
  const items = texts.map((text) => {
    const [first, ...rest] = escapedLines(text)
    return [`  - ${first}`, ...indented(rest, '    ')].join('\n')
  })
  return [`- **${label}:**`, ...items]
}

function escapedLines(text: string): string[] {
  return escapeAngles(text).trim().split(LINE_BREAK)
}

function indented(lines: readonly string[], indent: string): string[] {
  return lines.map((line) => (line.trim() === '' ? '' : indent + line))
}
