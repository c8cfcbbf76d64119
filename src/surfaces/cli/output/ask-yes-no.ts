import { createInterface } from 'node:readline/promises'
import type { Invocation } from '../command.ts'

/** Asks a person at the terminal; where there is none the answer is no. */
export async function askYesNo({ io }: Invocation, question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !io.isErrorTerminal) return false
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await lines.question(question)).trim())
  } finally {
    lines.close()
  }
}
