/** Characters of a text that are kept of one record. */
export const MAX_TEXT_CHARS = 200_000

const UNSEEN = ['script', 'style', 'head', 'template']
const BLOCK = /^\/?(?:p|div|br|li|ul|ol|tr|table|h[1-6]|blockquote|pre|section|article|hr)$/
const TAG_NAME = /^\/?[a-z][a-z0-9]{0,20}/
const UNREADABLE = /[^\P{Cc}\n\t]/gu
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  gt: '>',
  hellip: '…',
  lt: '<',
  mdash: '—',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
}

/** The readable text of HTML. It is for searching and reading: nothing of it is safe to show as HTML. */
export function renderPlainText(html: string): string {
  const lower = html.toLowerCase()
  let text = ''
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    const close = open < 0 ? -1 : html.indexOf('>', open)
    // Without an end there is no further tag, so each part of the text is looked at once.
    if (close < 0) break
    text += html.slice(at, open)
    const tag = TAG_NAME.exec(lower.slice(open + 1, Math.min(close, open + 24)))?.[0] ?? ''
    if (BLOCK.test(tag)) text += '\n'
    at = UNSEEN.includes(tag) ? endOf(lower, tag, close) : close + 1
  }
  return tidy(decodeEntities(text + html.slice(at)))
}

function endOf(lower: string, tag: string, from: number): number {
  const end = lower.indexOf(`</${tag}`, from)
  const close = end < 0 ? -1 : lower.indexOf('>', end)
  return close < 0 ? lower.length : close + 1
}

function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : ' '
  })
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[^\S\n]{1,1000}/g, ' ').trim())
  return lines
    .filter((line, place) => line !== '' || lines[place - 1] !== '')
    .join('\n')
    .trim()
}

/** A text cut to what one record may hold, and whether it was. */
export function cutText(text: string): { text: string; is_cut: boolean } {
  // Written as JSON each of these would be six characters long, and none of them is for reading.
  const clean = text.replaceAll('\r\n', '\n').replace(UNREADABLE, '').toWellFormed()
  if (clean.length <= MAX_TEXT_CHARS) return { text: clean, is_cut: false }
  return { text: clean.slice(0, MAX_TEXT_CHARS).toWellFormed(), is_cut: true }
}

/** One line of text, cut. */
export function cutLine(text: string, max_chars = 1_000): string {
  return text
    .replace(/[\p{Cc}\s]{1,1000}/gu, ' ')
    .trim()
    .slice(0, max_chars)
    .toWellFormed()
}

/** A time as it is kept; undefined for one that cannot be read. */
export function findTime(text: string | Date | undefined): string | null {
  const time = text === undefined ? undefined : new Date(text)
  return time === undefined || Number.isNaN(time.getTime()) ? null : time.toISOString()
}
