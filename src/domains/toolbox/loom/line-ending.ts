const BARE_FEED = /(?<!\r)\n/
const EVERY_BARE_FEED = /(?<!\r)\n/g
const EVERY_FEED = /\r?\n/g

export type LineEnding = '\r\n' | '\n' | '\r'

/** How the lines of a text end: with CRLF, or with CR alone, only where all of them do. */
export function endingOf(text: string): LineEnding {
  if (!text.includes('\n')) return text.includes('\r') ? '\r' : '\n'
  return BARE_FEED.test(text) ? '\n' : '\r\n'
}

/** Gives what is put into a text the line ending of that text; a text of plain line feeds asks for no change. */
export function withEnding(content: string, ending: LineEnding): string {
  if (ending === '\n') return content
  return content.replaceAll(ending === '\r' ? EVERY_FEED : EVERY_BARE_FEED, ending)
}

/** Whether an index lies between the two characters of a CRLF. */
export function splitsEnding(text: string, index: number): boolean {
  return text[index] === '\n' && text[index - 1] === '\r'
}
