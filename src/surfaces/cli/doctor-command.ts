import type { Extension } from './operation-command.ts'
import { printAnswer } from './output.ts'

/** `doctor`: fails when something is wrong, so that a script can ask it too. */
export const doctorExtension: Extension = {
  flags: [],
  async act({ operation, invocation, call }) {
    const answer = await call()
    const code = printAnswer(operation.name, answer, invocation)
    return code === 0 && !(JSON.parse(answer.text) as { healthy: boolean }).healthy ? 1 : code
  },
}
