const BARE_FEED = /(?<!\r)\n/
const EVERY_BARE_FEED = /(?<!\r)\n/g

export type LineEnding = '\r\n' | '\n'

/** How the lines of a text end: with CRLF only where all of them do. */
export function endingOf(text: string): LineEnding {
  return text.includes('\n') && !BARE_FEED.test(text) ? '\r\n' : '\n'
}

/** Gives what is put into a text the line ending of that text; only CRLF asks for a change. */
export function withEnding(content: string, ending: LineEnding): string {
  return ending === '\r\n' ? content.replaceAll(EVERY_BARE_FEED, '\r\n') : content
}

/** Whether an index lies between the two characters of a CRLF. */
export function splitsEnding(text: string, index: number): boolean {
  return text[index] === '\n' && text[index - 1] === '\r'
}
