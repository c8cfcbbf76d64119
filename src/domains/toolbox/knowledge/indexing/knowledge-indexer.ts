import { readFileSync, writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { realNow } from '../../../../platform/basics/clock.ts'
import type { IndexOutcome } from '../../../../platform/knowledge/index/index-job.ts'
import {
  ensureIndexFolder,
  type IndexPlace,
  indexPlaceOf,
  replaceText,
} from '../../../../platform/knowledge/index/index-place.ts'
import { runIndex } from '../../../../platform/knowledge/index/index-run.ts'
import { type ProcessLock, takeProcessLock } from '../../process-lock.ts'
import { INDEXER_ARGUMENT, type IndexerAnswer, type IndexerOrder } from './knowledge-order.ts'
import type { Progress } from './knowledge-state.ts'

const WAIT_PAUSE_MS = 100
const WRITE_EVERY_MS = 250
/** Lines in the log of what was left out. */
const SKIPPED_LINES_MAX = 10_000
/** Read and written as files: the streams of a process take longer to load than a run with nothing to do needs. */
const [INPUT, OUTPUT] = [0, 1]

/** Does what it is told on its input, once, unless another process is at it already. */
async function index(): Promise<IndexerAnswer> {
  const order = JSON.parse(readFileSync(INPUT, 'utf8')) as IndexerOrder
  const place = indexPlaceOf(order.job.project_root)
  ensureIndexFolder(place)
  const lock = await waitForLock(place.lock, order.wait_ms)
  if (lock === undefined) return { kind: 'busy' }
  try {
    return await carryOut(order, place)
  } finally {
    lock.release()
  }
}

async function carryOut(order: IndexerOrder, place: IndexPlace): Promise<IndexerAnswer> {
  if (order.export_to !== undefined || order.import_from !== undefined) return carryOver(order, place)
  return { kind: 'done', outcome: await runAndTell(order) }
}

async function carryOver(order: IndexerOrder, place: IndexPlace): Promise<IndexerAnswer> {
  const { job, export_to, import_from } = order
  const { BundleRefused, exportIndex, importIndex } = await import(
    '../../../../platform/knowledge/index/index-bundle.ts'
  )
  try {
    if (export_to !== undefined) return { kind: 'exported', ...exportIndex(job, place, export_to) }
    if (import_from !== undefined) importIndex(job, place, import_from)
    return { kind: 'done', outcome: await runAndTell(order) }
  } catch (error) {
    if (error instanceof BundleRefused) return { kind: 'refused', reason: error.message }
    throw error
  }
}

async function waitForLock(path: string, wait_ms: number): Promise<ProcessLock | undefined> {
  for (let waited_ms = 0; ; waited_ms += WAIT_PAUSE_MS) {
    const lock = takeProcessLock(path, realNow)
    if (lock || waited_ms >= wait_ms) return lock
    await pause(WAIT_PAUSE_MS)
  }
}

async function runAndTell({ job }: IndexerOrder): Promise<IndexOutcome> {
  const place = indexPlaceOf(job.project_root)
  const write = progressWriter(place.progress, realNow)
  const nothing = { mode: null, files_done: 0, files_total: null, seconds_left: null }
  const skipped: string[] = []
  try {
    const outcome = await runIndex(job, {
      now: realNow,
      onProgress: (progress) => write({ state: 'running', ...progress }),
      onSkipped: (path, reason) => {
        if (skipped.length < SKIPPED_LINES_MAX) skipped.push(`${JSON.stringify({ path, reason })}\n`)
      },
    })
    // Where nothing was told anew, what was told before is still so.
    const isTold = skipped.length > 0 || Object.keys(outcome.skipped).length === 0
    if (job.paths === undefined && isTold) replaceText(place.skipped, skipped.join(''))
    const { mode, files } = outcome
    write({
      state: 'done',
      mode,
      files_done: files,
      files_total: files,
      seconds_left: 0,
      outcome: { ...outcome, warnings: [...outcome.warnings] },
    })
    return outcome
  } catch (error) {
    write({ state: 'failed', ...nothing, error: (error as Error).message })
    throw error
  }
}

// Whoever only looks at this file does not start it.
if (process.argv[2] === INDEXER_ARGUMENT) {
  const answer: IndexerAnswer = await index().catch((error: Error) => ({
    kind: 'failed',
    reason: error.message,
  }))
  writeSync(OUTPUT, `${JSON.stringify(answer)}\n`)
  // Whoever does not listen sees it by how the process ends.
  if (answer.kind === 'failed') process.exitCode = 1
}

/** Writes progress now and then; every other state, and how many files there are, at once. */
function progressWriter(path: string, now: () => Date) {
  let written_ms = 0
  let written_total: number | null | undefined
  return (progress: Omit<Progress, 'updated_at'>) => {
    const at = now()
    const is_news = progress.state !== 'running' || progress.files_total !== written_total
    if (!is_news && at.getTime() - written_ms < WRITE_EVERY_MS) return
    written_ms = at.getTime()
    written_total = progress.files_total
    replaceText(path, `${JSON.stringify({ ...progress, updated_at: at.toISOString() })}\n`)
  }
}
