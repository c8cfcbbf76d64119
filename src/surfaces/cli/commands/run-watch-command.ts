import type { z } from 'zod'
import { describeCount, describeProgress, type ShownRun } from '../../../domains/control/runs/present-runs.ts'
import type { OwnerRunWatchOutput } from '../../../domains/control/runs/run-reads.ts'
import { printableLine } from '../../../platform/basics/printable.ts'
import { readAnswer } from '../hub/parse-answer.ts'
import type { Extension } from '../operation-command.ts'
import { printAnswer, printRefusal } from '../output/output.ts'

/** Between two looks; the hub answers earlier when something happens. */
const WAIT_SECONDS = 20
const WAIT_SECONDS_AT_TERMINAL = 2
/** Longer than any run may take. */
const LOOK_LIMIT = 100_000
const CLEAR_LINE = '\r\x1b[2K'
const ENDED = ['succeeded', 'failed', 'cancelled']

interface Told {
  reason?: string
  progress?: ShownRun['progress']
  fault?: { code: string }
}

type Event = z.output<typeof OwnerRunWatchOutput>['data'][number]

/**
 * `owner run watch`: tells what happens until the run has ended, and fails when it did not succeed. With `--wait` it
 * goes on for so long at most; with `--json` besides, it is the one answer of the route.
 */
export const runWatchExtension: Extension = {
  flags: [],
  tellsProgress: true,
  async act({ operation, invocation, input, call }) {
    const { io, globals } = invocation
    const longest_s = io.isErrorTerminal ? WAIT_SECONDS_AT_TERMINAL : WAIT_SECONDS
    const until_ms = performance.now() + Number(input.wait_seconds ?? Number.POSITIVE_INFINITY) * 1_000
    let after = Number(input.after ?? 0)
    for (let looks = 0; looks < LOOK_LIMIT; looks++) {
      const left_s = Math.ceil(Math.max(0, until_ms - performance.now()) / 1_000)
      const answer = await call({
        wait_seconds: Math.min(longest_s, left_s),
        ...asked(input, globals),
        after,
      })
      if (io.isErrorTerminal) io.stderr.write(CLEAR_LINE)
      if (!answer.ok) return printRefusal(answer, invocation)
      const { run, data, next_after } = readAnswer<typeof OwnerRunWatchOutput>(answer)
      for (const event of globals.json ? [] : data) io.stdout.write(`${printableLine(lineOf(event))}\n`)
      after = next_after
      const isOver = performance.now() >= until_ms || (globals.json && input.wait_seconds !== undefined)
      if (ENDED.includes(run.status) || isOver) {
        const code = await printAnswer(operation, answer, invocation)
        return run.status === 'failed' || run.status === 'cancelled' ? 1 : code
      }
      if (io.isErrorTerminal) io.stderr.write(printableLine(describeProgress(run)))
    }
    return 1
  },
}

function asked({ wait_seconds, ...input }: Record<string, unknown>, { json }: { json: boolean }) {
  return json && wait_seconds !== undefined ? { ...input, wait_seconds } : input
}

function lineOf({ at, type, data }: Event): string {
  const { progress, fault, reason } = data as Told
  const told = [progress && describeCount(progress), fault?.code, reason].filter((one) => one !== undefined)
  return told.length === 0 ? `${at}  ${type}` : `${at}  ${type}: ${told.join(', ')}`
}
