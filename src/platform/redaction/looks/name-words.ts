const BEYOND_ASCII = /[\u0080-\uffff]/

/** The words of a name in lower case; humps and whatever is no letter or digit part them. */
export function wordsOfName(name: string): string[] {
  const plain = BEYOND_ASCII.test(name) ? withoutAccents(name) : name
  // A name is walked by hand: values are read as names too, and patterns would cost more than all else.
  const words: string[] = []
  let start = 0
  let before = NONE
  for (let at = 0; at <= plain.length; at++) {
    const kind = kindOf(plain.charCodeAt(at))
    if (kind === NONE || startsWord(before, kind, plain, at)) {
      if (at > start) words.push(plain.slice(start, at).toLowerCase())
      start = kind === NONE ? at + 1 : at
    }
    before = kind
  }
  return words
}

const [NONE, LOWER, UPPER, DIGIT] = [0, 1, 2, 3]

function kindOf(code: number): number {
  if (code >= 97) return code <= 122 ? LOWER : NONE
  if (code >= 65) return code <= 90 ? UPPER : NONE
  return code >= 48 && code <= 57 ? DIGIT : NONE
}

/** A capital after anything else, and the last of several before a small letter: `HTTPServer`. */
function startsWord(before: number, kind: number, name: string, at: number): boolean {
  if (kind !== UPPER || before === NONE) return false
  return before !== UPPER || kindOf(name.charCodeAt(at + 1)) === LOWER
}

function withoutAccents(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '')
}
