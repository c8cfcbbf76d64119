/** Where the lines of a text begin, to tell lines from indexes. Lines count from 1. */
export interface Lines {
  readonly count: number
  numberAt(index: number): number
  /** Where a line begins; one past the last line is the end of the text. */
  startOf(line: number): number
}

/** Goes through a text once. Where it has no line feed at all, its lines end with carriage returns. */
export function linesOf(text: string): Lines {
  const starts = [0]
  const end = text.includes('\n') ? '\n' : '\r'
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 1)) starts.push(at + 1)
  return {
    count: starts.length,
    numberAt: (index) => countUpTo(starts, index),
    startOf: (line) => starts[line - 1] ?? text.length,
  }
}

/** How many of the numbers, which ascend, are not above a limit. */
function countUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

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
