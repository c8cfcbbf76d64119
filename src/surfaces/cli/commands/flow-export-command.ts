import { findFlag } from '../command.ts'
import type { Extension } from '../operation-command.ts'
import { writeFileAtomically } from '../output/atomic-file.ts'
import { printForPerson, printRefusal } from '../output/output.ts'

/** `flow export`: the bundle is for programs, so it is JSON with and without --json. */
export const flowExportExtension: Extension = {
  flags: [{ name: 'out', value: 'PATH', description: 'Write the bundle to this file' }],
  async act({ invocation, call }) {
    const answer = await call()
    if (!answer.ok) return printRefusal(answer, invocation)
    const path = findFlag(invocation, 'out')
    if (path === undefined || invocation.globals.json) invocation.io.stdout.write(`${answer.text}\n`)
    if (path === undefined) return 0
    writeFileAtomically(path, `${answer.text}\n`)
    printForPerson(invocation, `Wrote ${path}.`)
    return 0
  },
}
