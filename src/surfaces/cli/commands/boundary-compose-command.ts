import type { BoundaryComposeOutput } from '../../../domains/boundary/executions/boundary-compose.ts'
import { findFlag } from '../command.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import type { Extension } from '../operation-command.ts'
import { writeFileAtomically } from '../output/atomic-file.ts'
import { printForPerson, printRefusal } from '../output/output.ts'

/** `boundary compose`: the input is for programs, so it is printed as the JSON that `boundary run` takes. */
export const boundaryComposeExtension: Extension = {
  flags: [{ name: 'out', value: 'PATH', description: 'Write the AgentInput to this file' }],
  async act({ invocation, call }) {
    const answer = await call()
    if (!answer.ok) return printRefusal(answer, invocation)
    const { input } = readAnswer<typeof BoundaryComposeOutput>(answer)
    const path = findFlag(invocation, 'out')
    if (invocation.globals.json) invocation.io.stdout.write(`${answer.text}\n`)
    else if (path === undefined) invocation.io.stdout.write(`${JSON.stringify(input, null, 2)}\n`)
    if (path === undefined) return 0
    writeFileAtomically(path, `${JSON.stringify(input, null, 2)}\n`)
    printForPerson(invocation, `Wrote ${path}.`)
    return 0
  },
}
