import type { Readable } from 'node:stream'

/** The same bound the HTTP host puts on a body. */
const MAX_LINE_CHARS = 1_048_576

/** One line per message. A line over the limit ends the reading: what follows it has no known start. */
export async function* readLines(input: Readable): AsyncGenerator<string> {
  input.setEncoding('utf8')
  let rest = ''
  for await (const chunk of input) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of [...lines, rest]) checkLength(line)
    yield* lines
  }
  yield rest
}

function checkLength(line: string): void {
  if (line.length > MAX_LINE_CHARS) throw new Error(`A message is longer than ${MAX_LINE_CHARS} characters`)
}
