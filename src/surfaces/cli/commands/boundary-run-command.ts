import type { z } from 'zod'
import type { ExecutionAnswer } from '../../../domains/boundary/executions/execution-answer.ts'
import { printableLine } from '../../../platform/basics/printable.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import type { Extension } from '../operation-command.ts'
import { printAnswer, printRefusal } from '../output/output.ts'

/** Between two looks at an execution that runs. */
const LOOK_SECONDS = 20
const LOOK_SECONDS_AT_TERMINAL = 2
/** Longer than any engine may take, its turn in a queue included. */
const LOOK_LIMIT = 100_000
const CLEAR_LINE = '\r\x1b[2K'

type Execution = z.output<typeof ExecutionAnswer>['execution']

/** What can be done about an execution that ended with one of these. */
const NEXT_STEPS: Readonly<Record<string, string>> = {
  COHERENCE_BLOCKED: 'Compose the input anew, with a higher attempt, from a snapshot that is coherent.',
  MODEL_OUTPUT_INVALID:
    'Mend the engine (`knowtation boundary schema output` prints what it may answer), then run a higher attempt.',
  VALIDATION_ERROR: 'Give the engine an input that it takes, with a higher attempt or a new executionId.',
  LEDGER_WRITE_FAILED:
    '`knowtation boundary dead-letter replay` writes the kept answer when the ledger can be.',
}
const NEXT_ATTEMPT = 'Submit it with a higher attempt when what is named is mended.'
const NEXT_EXECUTION = 'A cancelled execution stays cancelled: submit it under a new executionId.'

/** `boundary run`: stays until the execution has ended, unless --wait says how long; fails when it did not succeed. */
export const boundaryRunExtension: Extension = {
  flags: [],
  async act({ operation, invocation, input, call }) {
    const { io } = invocation
    const wait_seconds = io.isErrorTerminal ? LOOK_SECONDS_AT_TERMINAL : LOOK_SECONDS
    let answer = await call({ wait_seconds, ...input })
    for (let looks = 1; looks < LOOK_LIMIT && answer.ok && input.wait_seconds === undefined; looks++) {
      const { execution } = readAnswer<typeof ExecutionAnswer>(answer)
      if (execution.state !== 'planned' && execution.state !== 'running') break
      if (io.isErrorTerminal) io.stderr.write(`${CLEAR_LINE}${printableLine(describe(execution))}`)
      // The same submission again changes nothing, and goes on with the execution if its hub has stopped.
      answer = await call({ ...input, wait_seconds })
    }
    if (io.isErrorTerminal) io.stderr.write(CLEAR_LINE)
    if (!answer.ok) return printRefusal(answer, invocation)
    const code = await printAnswer(operation, answer, invocation)
    const { execution } = readAnswer<typeof ExecutionAnswer>(answer)
    if (execution.state !== 'failed' && execution.state !== 'cancelled') return code
    if (!invocation.globals.json) io.stderr.write(`Hint: ${adviseOn(execution)}\n`)
    return 1
  },
}

function adviseOn({ state, outcome }: Execution): string {
  if (state === 'cancelled') return NEXT_EXECUTION
  return NEXT_STEPS[outcome?.error?.code ?? ''] ?? NEXT_ATTEMPT
}

function describe({ state, progress }: Execution): string {
  if (!progress) return `${state} …`
  return `${state}, ${Math.round(progress.share * 100)} % ${progress.note ?? ''} …`
}
