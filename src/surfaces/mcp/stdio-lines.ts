import type { Readable } from 'node:stream'

/** The same bound the HTTP host puts on a body. */
export const MAX_LINE_CHARS = 1_048_576
/** Of a longer message so much is kept, to find out which call is to be refused. */
const MAX_KEPT_CHARS = 8 * MAX_LINE_CHARS

/** A line of a session; of one that is too long, as much as was kept. */
export interface SessionLine {
  readonly text: string
  readonly is_too_long: boolean
}

/**
 * One line per message, and together those that were read at once. One over the limit is marked, and the next begins
 * after its end all the same.
 */
export async function* readSession(input: Readable): AsyncGenerator<readonly SessionLine[]> {
  input.setEncoding('utf8')
  let rest = ''
  let has_lost = false
  for await (const chunk of input) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) {
      const is_first_lost = has_lost
      has_lost = false
      yield lines.map((text, at) => toSessionLine(text, is_first_lost && at === 0))
    }
    if (rest.length > MAX_KEPT_CHARS) [rest, has_lost] = ['', true]
  }
  yield [toSessionLine(rest, has_lost)]
}

/** The lines of a file. One over the limit ends the reading: nobody is there to be told of it alone. */
export async function* readLines(input: Readable): AsyncGenerator<string> {
  for await (const lines of readSession(input))
    for (const { text, is_too_long } of lines) {
      if (is_too_long) throw new Error(`A message is longer than ${MAX_LINE_CHARS} characters`)
      yield text
    }
}

function toSessionLine(text: string, has_lost: boolean): SessionLine {
  const is_lost = has_lost || text.length > MAX_KEPT_CHARS
  return { text: is_lost ? '' : text, is_too_long: is_lost || text.length > MAX_LINE_CHARS }
}
