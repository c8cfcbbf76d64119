import { printable } from '../../../platform/basics/printable.ts'
import { findFlag, type Invocation } from '../command.ts'
import type { CallAnswer } from '../hub/connection.ts'
import type { Extension } from '../operation-command.ts'
import { writeFileAtomically } from '../output/atomic-file.ts'
import { printForPerson, printRefusal } from '../output/output.ts'

const OUT = { name: 'out', value: 'PATH', description: 'Write it to this file' } as const

/** `flow export`: the bundle is for programs, so it is JSON with and without --json. */
export const flowExportExtension: Extension = {
  flags: [OUT],
  act: async ({ invocation, call }) => printBundle(await call(), invocation),
}

/** `flow read`: a text that a person writes, as the bundle that programs take. */
export const flowReadExtension: Extension = {
  flags: [{ name: 'from', value: 'FILE|-', description: 'Read the text of this file' }, OUT],
  async act({ invocation, input, call }) {
    const from = findFlag(invocation, 'from')
    const { readText } = await import('./policy-commands.ts')
    const given = from === undefined ? {} : { text: await readText(from, invocation) }
    return printBundle(await call({ ...input, ...given }), invocation)
  },
}

function printBundle(answer: CallAnswer, invocation: Invocation): number {
  if (!answer.ok) return printRefusal(answer, invocation)
  const path = findFlag(invocation, 'out')
  if (path === undefined || invocation.globals.json) invocation.io.stdout.write(`${answer.text}\n`)
  if (path !== undefined) writeOut(path, `${answer.text}\n`, invocation)
  return 0
}

/** `flow text`: a pipe and a file get the exact bytes; a terminal must not be driven by them. */
export const flowTextExtension: Extension = {
  flags: [OUT],
  async act({ invocation, call }) {
    const answer = await call()
    if (!answer.ok) return printRefusal(answer, invocation)
    const { io, globals } = invocation
    const { text } = JSON.parse(answer.text) as { text: string }
    const path = findFlag(invocation, 'out')
    if (path !== undefined) writeOut(path, text, invocation)
    if (globals.json) io.stdout.write(`${answer.text}\n`)
    else if (path === undefined) io.stdout.write(io.isTerminal ? `${printable(text).trimEnd()}\n` : text)
    return 0
  },
}

function writeOut(path: string, text: string, invocation: Invocation): void {
  writeFileAtomically(path, text)
  printForPerson(invocation, `Wrote ${path}.`)
}
