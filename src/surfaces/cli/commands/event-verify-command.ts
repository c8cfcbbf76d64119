import type { OwnerEventVerifyOutput } from '../../../domains/control/spine/event-verify.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import type { Extension } from '../operation-command.ts'
import { printAnswer } from '../output/output.ts'

/** `owner event verify`: fails when an event is not as it was sealed, so that scripts notice. */
export const eventVerifyExtension: Extension = {
  flags: [],
  async act({ operation, invocation, call }) {
    const answer = await call()
    const code = await printAnswer(operation, answer, invocation)
    return answer.ok && !readAnswer<typeof OwnerEventVerifyOutput>(answer).sound ? 1 : code
  },
}
