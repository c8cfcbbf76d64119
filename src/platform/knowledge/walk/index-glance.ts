import { lstatSync, readFileSync, rmSync } from 'node:fs'
import type { IndexJob, IndexOutcome } from '../index/index-job.ts'
import { type IndexPlace, replaceText } from '../index/index-place.ts'
import { INDEX_FORM, STATIC_EMBEDDER } from '../knowledge.ts'
import { isKeptInFile } from '../stores/backend-settings.ts'
import { isSettled, PASSING } from './index-stamp.ts'
import { meetFiles, type WalkFindings, type WalkRules } from './index-walk.ts'

/** What a run tells that does not change while no file does. */
type Unchanged = Pick<IndexOutcome, 'files' | 'skipped' | 'capped'>

/** What a whole run met and told, and how it left the index behind. */
export interface Glance extends Unchanged {
  readonly made_with: string
  /** Stamps of the index's own files. */
  readonly left: string
  /** All files and their stamps, as they are recorded: equal bytes are equal files. */
  readonly met: Buffer
}

const NUMBERS_OF_A_STAMP = 4
const FILES_AT_ONCE = 256

/** What the last whole run left, where a run like it could be spared: nobody has touched the index since. */
export function findGlance(job: IndexJob, place: IndexPlace): Glance | undefined {
  if (job.paths !== undefined || job.rebuild || !isKeptInFile(job)) return undefined
  try {
    const glance = parseGlance(readFileSync(place.glance))
    return glance.made_with === madeWith(job) && glance.left === stampsOf(place) ? glance : undefined
  } catch {
    // Nothing is lost with it: a run that looks at everything comes to the same.
    return undefined
  }
}

/** Whether there are just those files with just those stamps. */
export function isAsBefore({ met, capped: was_capped }: Glance, rules: WalkRules): boolean {
  let [is_same, at] = [true, 0]
  const record = openRecord((bytes) => {
    is_same &&=
      at + bytes.length <= met.length && met.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0
    at += bytes.length
  })
  const capped = meetFiles(rules, (path, stat, skip) =>
    record.add(path, stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino, skip),
  )
  record.end()
  return is_same && at === met.length && capped === was_capped
}

/** Keeps what a run has met, unless something has to be looked into again whatever its stamp says. */
export function keepGlance(
  job: IndexJob,
  place: IndexPlace,
  found: WalkFindings,
  { files, skipped, capped }: Unchanged,
  looked_at_ms: number,
): void {
  const isFinal =
    isKeptInFile(job) &&
    Object.keys(skipped).every((reason) => !PASSING.has(reason as keyof Unchanged['skipped'])) &&
    found.files.every(({ stamp }) => isSettled(stamp, looked_at_ms))
  if (!isFinal) return rmSync(place.glance, { force: true, recursive: true })
  const told = { made_with: madeWith(job), left: stampsOf(place), files, skipped, capped }
  replaceText(place.glance, Buffer.concat([Buffer.from(`${JSON.stringify(told)}\n`), recordOf(found)]))
}

/** A line of what was told, and what was met. */
function parseGlance(bytes: Buffer): Glance {
  const end = bytes.indexOf('\n')
  return { ...JSON.parse(bytes.toString('utf8', 0, end)), met: bytes.subarray(end + 1) }
}

function madeWith({ backends, redact_patterns }: IndexJob): string {
  return JSON.stringify([INDEX_FORM, STATIC_EMBEDDER, backends?.embedder, digestPatterns(redact_patterns)])
}

/** A pattern may be a secret itself, and is written down nowhere. Most have none, and need nothing loaded for it. */
function digestPatterns(patterns: readonly string[]): string {
  if (patterns.length === 0) return ''
  return process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify(patterns))
}

function stampsOf({ manifest, index }: IndexPlace): string {
  return [manifest, index, `${index}-wal`].map(lookOf).join(' ')
}

/** A reader leaves an empty log behind, which says no more than none. */
function lookOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.size === 0) return '-'
  return `${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.ino}`
}

function recordOf({ files }: WalkFindings): Buffer {
  const parts: Buffer[] = []
  const record = openRecord((bytes) => parts.push(Buffer.from(bytes)))
  for (const { path, stamp, skip } of files)
    record.add(path, stamp.size, stamp.mtime_ms, stamp.ctime_ms, stamp.ino, skip)
  record.end()
  return Buffer.concat(parts)
}

/**
 * Records files, some at once: how many, their stamps, and a line for each name, in which no newline can be. Numbers go
 * in as they are in memory, and nothing is made shorter: to compare it all costs less than to digest it.
 */
function openRecord(take: (bytes: Uint8Array) => void) {
  const numbers = new Float64Array(1 + FILES_AT_ONCE * NUMBERS_OF_A_STAMP)
  let names: string[] = []
  let filled = 1
  const flush = () => {
    numbers[0] = names.length
    take(new Uint8Array(numbers.buffer, 0, filled * numbers.BYTES_PER_ELEMENT))
    take(Buffer.from(`${names.join('\n')}\n`))
    names = []
    filled = 1
  }
  return {
    add(path: string, size: number, mtime_ms: number, ctime_ms: number, ino: number, skip?: string): void {
      names.push(skip === undefined ? path : `${path}\0${skip}`)
      numbers[filled++] = size
      numbers[filled++] = mtime_ms
      numbers[filled++] = ctime_ms
      numbers[filled++] = ino
      if (filled === numbers.length) flush()
    },
    end: flush,
  }
}
