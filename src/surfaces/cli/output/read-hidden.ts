const ENTER = new Set(['\r', '\n'])
const RUBOUT = new Set(['\u007f', '\b'])
const INTERRUPTED = 130

/** Asks at the terminal and shows nothing of what is typed. */
export async function readHidden(question: string): Promise<string> {
  const { stdin, stderr } = process
  // Before the question: whoever answers at once must not find the terminal still showing what is typed.
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stderr.write(question)
  let typed = ''
  try {
    for await (const part of stdin) {
      for (const sign of String(part)) {
        if (ENTER.has(sign) || sign === '\u0004') return typed
        if (sign === '\u0003') process.exit(INTERRUPTED)
        typed = RUBOUT.has(sign) ? [...typed].slice(0, -1).join('') : typed + sign
      }
    }
    return typed
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}
