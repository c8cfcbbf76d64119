import { rmSync } from 'node:fs'
import { isKeptInFile } from '../stores/backend-settings.ts'
import { keepGlance } from '../walk/index-glance.ts'
import { IGNORE_FILE } from '../walk/index-ignore-files.ts'
import type { MetFile, SkipReason } from '../walk/index-stamp.ts'
import { type WalkFindings, walkPath, walkProject, walkRulesOf } from '../walk/index-walk.ts'
import {
  type IndexJob,
  type IndexOutcome,
  type IndexProgress,
  PATHS_MAX,
  type RunTools,
  secondsSince,
} from './index-job.ts'
import { IS_WHOLE, isDamage, MANIFEST_REVISION, type OpenIndex, openIndex } from './index-open.ts'
import { type IndexPlace, indexPlaceOf, removeIndexFiles } from './index-place.ts'
import { type IndexPlan, type Known, makeBatches, planRun } from './index-plan.ts'
import { readBatches } from './index-threads.ts'
import { openRunWriter, type RunWriter } from './index-writer.ts'
import { patchManifest, renderManifest, writeManifest } from './manifest.ts'

/** Compares the project with its index and does what there is to do. */
export async function updateIndex(job: IndexJob, tools: RunTools, started: Date): Promise<IndexOutcome> {
  const place = indexPlaceOf(job.project_root)
  try {
    return await updateOnce(job, place, tools, started)
  } catch (error) {
    if (!isDamage(error)) throw error
    removeIndexFiles(place)
    const outcome = await updateOnce(job, place, tools, started)
    return { ...outcome, warnings: ['The index was damaged and was made anew.', ...outcome.warnings] }
  }
}

async function updateOnce(
  job: IndexJob,
  place: IndexPlace,
  tools: RunTools,
  started: Date,
): Promise<IndexOutcome> {
  const index = await openIndex(job, place)
  const { outcome, found } = await update(job, place, index, tools, started).finally(index.close)
  // Only now do the files of the index look as the next run will see them.
  if (found) keepGlance(job, place, found, outcome, started.getTime())
  return outcome
}

async function update(job: IndexJob, place: IndexPlace, index: OpenIndex, tools: RunTools, started: Date) {
  // Until it is there again, the index counts as being built.
  if (index.mode === 'full') rmSync(place.manifest, { force: true, recursive: true })
  const found = isByPath(job, index) ? undefined : meetAll(job, index, tools)
  const scan = found ? await compareAll(job, index, found) : lookAtPaths(job, index)
  const plan = planRun(scan.found.files, scan.known, index.mode === 'delta')
  const writer = await carryOut(job, index, plan, scan, tools, started)
  const files = writeUp(place, index, scan, writer)
  for (const { path, reason } of skippedIn(plan, writer)) tools.onSkipped?.(path, reason)
  const { embedded, chunks, removed } = writer.counts
  const skipped = countReasons(skippedIn(plan, writer))
  const same = { files, skipped, capped: scan.found.capped }
  const seconds = secondsSince(started, tools)
  const { mode, warnings } = index
  const outcome: IndexOutcome = { mode, embedded, chunks, removed, ...same, warnings, seconds }
  return { outcome, found }
}

/** What was met, and what is known about just that. */
interface Scan {
  readonly found: WalkFindings
  readonly known: Known
  /** Whether all there is was looked at. */
  readonly is_whole: boolean
}

/** Single paths are enough where all else is known to be as it was. Rules for others change with a `.gitignore`. */
function isByPath({ paths }: IndexJob, { mode, manifest }: OpenIndex): boolean {
  if (paths === undefined || mode === 'full' || manifest === '') return false
  return paths.length <= PATHS_MAX && !paths.some((path) => path.endsWith(IGNORE_FILE))
}

function lookAtPaths(job: IndexJob, { ledger }: OpenIndex): Scan {
  const rules = walkRulesOf(job)
  const found: WalkFindings = { files: [], capped: false }
  const known = { files: new Map(), documents: new Map<string, string>() }
  for (const path of new Set(job.paths)) {
    const part = walkPath(rules, path)
    found.files.push(...part.files)
    found.capped ||= part.capped
    for (const file of ledger.listAt(path)) {
      known.files.set(file.path, file)
      if (file.sha256 !== undefined) known.documents.set(file.path, file.sha256)
    }
  }
  return { found, known, is_whole: false }
}

function meetAll(job: IndexJob, { mode }: OpenIndex, tools: RunTools): WalkFindings {
  if (mode === 'full') tools.onProgress?.({ mode, files_done: 0, files_total: null, seconds_left: null })
  return walkProject(walkRulesOf(job))
}

/** A finished index of a file of ours: what the ledger says of it is so. A server's content may go without us. */
function isTrusted(job: IndexJob, { ledger, mode }: OpenIndex): boolean {
  return isKeptInFile(job) && mode === 'delta' && ledger.readState(IS_WHOLE) === '1'
}

async function compareAll(job: IndexJob, index: OpenIndex, found: WalkFindings): Promise<Scan> {
  const files = index.ledger.list()
  const documents = isTrusted(job, index) ? documentsIn(files) : await index.store.listDocuments()
  return { found, known: { files, documents }, is_whole: true }
}

function documentsIn(files: Known['files']): Map<string, string> {
  const documents = new Map<string, string>()
  for (const { path, sha256 } of files.values()) if (sha256 !== undefined) documents.set(path, sha256)
  return documents
}

async function carryOut(
  job: IndexJob,
  index: OpenIndex,
  plan: IndexPlan,
  { known: { documents }, found }: Scan,
  tools: RunTools,
  started: Date,
): Promise<RunWriter> {
  const met = new Map(plan.todo.map((file): [string, MetFile] => [file.path, file]))
  const isIn = (path: string) => documents.has(path)
  const writer = openRunWriter({ ...index, isIn, met, looked_at_ms: started.getTime() })
  if (plan.gone.length + plan.todo.length > 0) index.ledger.writeState(IS_WHOLE, '0')
  await writer.remove(plan.gone)
  const tell = () => {
    const elapsed_ms = tools.now().getTime() - started.getTime()
    tools.onProgress?.(progressOf(index.mode, found.files.length, plan.todo.length, writer, elapsed_ms))
  }
  tell()
  await readBatches(job, makeBatches(plan.todo, documents), async (files) => {
    await writer.take(files)
    tell()
  })
  await writer.finish()
  return writer
}

function progressOf(
  mode: OpenIndex['mode'],
  files_total: number,
  todo: number,
  { counts }: RunWriter,
  elapsed_ms: number,
): IndexProgress {
  const left = todo - counts.taken
  const seconds_left = counts.taken === 0 ? null : Math.ceil((elapsed_ms / counts.taken / 1_000) * left)
  return { mode, files_total, files_done: files_total - left, seconds_left }
}

/** Writes the manifest as the index now is; answers how many files are in. */
function writeUp(
  { manifest }: IndexPlace,
  { ledger, manifest: before }: OpenIndex,
  { known, is_whole }: Scan,
  { changes }: RunWriter,
): number {
  const isPatched = before && (!is_whole || changes.size === 0)
  const text = isPatched ? patchManifest(before, changes) : renderWhole(known, changes)
  if (text !== before) ledger.writeState(MANIFEST_REVISION, writeManifest(manifest, text))
  if (ledger.readState(IS_WHOLE) !== '1') ledger.writeState(IS_WHOLE, '1')
  return countLines(text) - 2
}

function renderWhole({ documents }: Known, changes: RunWriter['changes']): string {
  const now = new Map(documents)
  for (const [path, sha256] of changes) {
    if (sha256 === undefined) now.delete(path)
    else now.set(path, sha256)
  }
  return renderManifest(now)
}

function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

function skippedIn({ skipped, still_skipped }: IndexPlan, writer: RunWriter) {
  const by_stamp = skipped.map(({ path, skip }) => ({ path, reason: skip as SkipReason }))
  const as_before = still_skipped.map(({ path, skipped: reason }) => ({ path, reason: reason as SkipReason }))
  return [...by_stamp, ...as_before, ...writer.skipped]
}

function countReasons(skipped: readonly { reason: SkipReason }[]): Partial<Record<SkipReason, number>> {
  const counts: Partial<Record<SkipReason, number>> = {}
  for (const { reason } of skipped) counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}
