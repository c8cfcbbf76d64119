import type { Extension } from './operation-command.ts'
import { printAnswer } from './output.ts'

/** `owner event verify`: fails when an event is not as it was sealed, so that scripts notice. */
export const eventVerifyExtension: Extension = {
  flags: [],
  async act({ operation, invocation, call }) {
    const answer = await call()
    const code = printAnswer(operation.name, answer, invocation)
    return answer.ok && !(JSON.parse(answer.text) as { sound: boolean }).sound ? 1 : code
  },
}
