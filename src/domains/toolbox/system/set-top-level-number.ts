/**
 * Sets one number at the top of a JSON object and leaves every other byte as it is: what the owner wrote,
 * known to us or not, keeps its order, its spelling and its form. The text must be valid JSON.
 */
export function setTopLevelNumber(text: string, key: string, value: number): string {
  const open = text.indexOf('{') + 1
  for (let at = open; ; ) {
    at = skipSpace(text, at)
    if (text[at] !== '"') return insertFirst(text, open, key, value)
    const name = endOfString(text, at)
    const start = skipSpace(text, skipSpace(text, name) + 1)
    const end = endOfValue(text, start)
    if (JSON.parse(text.slice(at, name)) === key) return `${text.slice(0, start)}${value}${text.slice(end)}`
    at = skipSpace(text, end) + 1
  }
}

function insertFirst(text: string, open: number, key: string, value: number): string {
  const first = skipSpace(text, open)
  const space = text.slice(open, first)
  const name = JSON.stringify(key)
  if (text[first] === '}') return `${text.slice(0, open)}${name}: ${value}${text.slice(first)}`
  const member = space === '' ? `${name}:${value}` : `${name}: ${value}`
  return `${text.slice(0, first)}${member},${space}${text.slice(first)}`
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (' \t\n\r'.includes(text[at] ?? '-')) at++
  return at
}

/** Just behind the closing quote of the string that begins here. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** Just behind the value that begins here. */
function endOfValue(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const sign = text[at] as string
    if (sign === '"') at = endOfString(text, at) - 1
    else if ('{['.includes(sign)) depth++
    else if (depth === 0 && ',}]'.includes(sign)) return at - trailingSpace(text, from, at)
    else if ('}]'.includes(sign)) depth--
  }
  return text.length
}

function trailingSpace(text: string, from: number, end: number): number {
  const value = text.slice(from, end)
  return value.length - value.trimEnd().length
}
