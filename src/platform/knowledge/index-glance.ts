import { createHash, hash } from 'node:crypto'
import { lstatSync, readFileSync, rmSync } from 'node:fs'
import { isKeptInFile } from './backend-settings.ts'
import { INDEX_FORM, STATIC_EMBEDDER } from './index-form.ts'
import type { IndexJob, IndexOutcome } from './index-job.ts'
import { type IndexPlace, replaceText } from './index-place.ts'
import { isSettled, PASSING } from './index-stamp.ts'
import { meetFiles, type WalkFindings, type WalkRules } from './index-walk.ts'

/** What a run tells that does not change while no file does. */
type Unchanged = Pick<IndexOutcome, 'files' | 'skipped' | 'capped'>

/** What a whole run met and told, and how it left the index behind. */
export interface Glance extends Unchanged {
  readonly made_with: string
  /** Stamps of the index's own files. */
  readonly left: string
  /** Digest of all files and their stamps. */
  readonly met: string
}

const NUMBERS_OF_A_STAMP = 4
const FILES_AT_ONCE = 256

/** What the last whole run left, where a run like it could be spared: nobody has touched the index since. */
export function findGlance(job: IndexJob, place: IndexPlace): Glance | undefined {
  if (job.paths !== undefined || job.rebuild || !isKeptInFile(job)) return undefined
  try {
    const glance = JSON.parse(readFileSync(place.glance, 'utf8')) as Glance
    return glance.made_with === madeWith(job) && glance.left === stampsOf(place) ? glance : undefined
  } catch {
    // Nothing is lost with it: a run that looks at everything comes to the same.
    return undefined
  }
}

/** Whether there are just those files with just those stamps. */
export function isAsBefore({ met }: Glance, rules: WalkRules): boolean {
  const digest = openDigest()
  const capped = meetFiles(rules, (path, stat, skip) =>
    digest.add(path, stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino, skip),
  )
  return met === digest.end(capped)
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
  const met = digestOf(found)
  const glance: Glance = { made_with: madeWith(job), left: stampsOf(place), met, files, skipped, capped }
  replaceText(place.glance, `${JSON.stringify(glance)}\n`)
}

function madeWith({ backends, redact_patterns }: IndexJob): string {
  return hash('sha256', JSON.stringify([INDEX_FORM, STATIC_EMBEDDER, backends?.embedder, redact_patterns]))
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

function digestOf({ files, capped }: WalkFindings): string {
  const digest = openDigest()
  for (const { path, stamp, skip } of files)
    digest.add(path, stamp.size, stamp.mtime_ms, stamp.ctime_ms, stamp.ino, skip)
  return digest.end(capped)
}

/** Numbers go in as they are in memory: as text they would cost more than all the rest. */
function openDigest() {
  const sum = createHash('sha256')
  const numbers = new Float64Array(FILES_AT_ONCE * NUMBERS_OF_A_STAMP)
  let names: string[] = []
  let filled = 0
  const flush = () => {
    sum.update(JSON.stringify(names)).update(numbers.subarray(0, filled))
    names = []
    filled = 0
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
    end(capped: boolean): string {
      flush()
      return sum.update(`${capped}`).digest('hex')
    },
  }
}
