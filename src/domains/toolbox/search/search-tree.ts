import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { FileFault, GuardDenied, type GuardScope } from '../../../platform/guard/guard.ts'
import { loadEngineModule } from '../../../platform/patterns/engine-module.ts'
import { PatternInvalid, PatternTimeout } from '../../../platform/patterns/patterns.ts'
import { openThreadPool } from '../../../platform/patterns/thread-pool.ts'
import type { Redactor } from '../../../platform/redaction/redactor.ts'
import { createClaims } from './claims.ts'
import type { PartFindings, SearchAnswer, SearchJob } from './search-job.ts'
import { PARTS_LIMIT, SEARCH_TIME_LIMIT_MS } from './search-limits.ts'
import { createPlace, namePlace } from './search-place.ts'

const PARTS = Math.min(availableParallelism(), PARTS_LIMIT)
const IDLE_MS = 60_000
/** Beside this file, in the sources as in the build. */
const PROGRAM = new URL(`./search-worker${extname(import.meta.url)}`, import.meta.url)

/** Of the process and not of a hub, since threads are; empty before the first search and some time after the last. */
const threads = openThreadPool<SearchJob, SearchAnswer>({
  program: PROGRAM,
  // A search that takes its time leaves room for another.
  thread_limit: 2 * PARTS,
  spares: 0,
  idle_ms: IDLE_MS,
  loadData: async () => ({ module: await loadEngineModule() }),
})

export interface TreeSearch {
  readonly scope: GuardScope
  readonly path: string
  readonly regex: string
  readonly recursive: boolean
  readonly match_limit?: number
  readonly redactor: Redactor
  readonly signal: AbortSignal
}

/**
 * Searches a file or folder in threads of their own; what the parts found is in the order of the walk. A pattern can
 * be made to take too long only where a secret begins with this or that, so a timeout counts only if it comes again
 * when the secrets are taken out before anything else.
 */
export async function searchTree(search: TreeSearch): Promise<PartFindings> {
  try {
    return await searchInParts(search, true)
  } catch (error) {
    if (!isTimeout(error)) throw error
    return searchInParts(search, false)
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof PatternTimeout || (error as Error).cause instanceof PatternTimeout
}

async function searchInParts(search: TreeSearch, sifts: boolean): Promise<PartFindings> {
  const parts = search.recursive ? PARTS : 1
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const end = () => void Atomics.store(stop, 0, 1)
  const timer = setTimeout(end, SEARCH_TIME_LIMIT_MS)
  search.signal.addEventListener('abort', end)
  if (search.signal.aborted) end()
  try {
    const job = { ...toJob(search, stop, parts), sifts }
    const running = Array.from({ length: parts }, () => runPart(job))
    // One part that fails makes the others useless.
    for (const part of running) part.catch(end)
    return joinFindings(await Promise.all(running))
  } finally {
    clearTimeout(timer)
    search.signal.removeEventListener('abort', end)
  }
}

async function runPart(job: Omit<SearchJob, 'place'>): Promise<PartFindings> {
  const place = createPlace()
  try {
    return requireFindings(await threads.run({ ...job, place }))
  } catch (error) {
    throw namePlace(error, place)
  }
}

function toJob(search: TreeSearch, stop: Int32Array, parts: number): Omit<SearchJob, 'sifts' | 'place'> {
  const { scope, path, recursive, regex: pattern, match_limit, redactor } = search
  const claims = parts > 1 ? createClaims() : undefined
  return { scope, path, recursive, pattern, match_limit, stop, claims, redaction: redactor.options }
}

function requireFindings(answer: SearchAnswer): PartFindings {
  if ('invalid' in answer) throw new PatternInvalid(answer.invalid)
  if ('denied' in answer) throw new GuardDenied(answer.denied, answer.path)
  if ('fault' in answer) throw new FileFault(answer.fault, answer.path, answer.message)
  return answer.findings
}

function joinFindings(parts: readonly PartFindings[]): PartFindings {
  const sum = (of: (part: PartFindings) => number) => parts.reduce((total, part) => total + of(part), 0)
  return {
    files: parts.flatMap(({ files }) => files).toSorted((a, b) => a.order - b.order),
    count: sum(({ count }) => count),
    files_searched: sum(({ files_searched }) => files_searched),
    files_skipped: sum(({ files_skipped }) => files_skipped),
    // Every part meets all folders, unless it ends before the others.
    unnameable: Math.max(...parts.map(({ unnameable }) => unnameable)),
    capped: parts.some(({ capped }) => capped),
  }
}
