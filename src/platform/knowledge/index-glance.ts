import { hash } from 'node:crypto'
import type { IndexOutcome } from './index-job.ts'
import type { IndexLedger } from './index-ledger.ts'
import { isSettled, PASSING } from './index-stamp.ts'
import type { WalkFindings } from './index-walk.ts'

/** The state under which the ledger keeps what a whole run has met, and what came of it. */
const GLANCE = 'glance'

/** What does not change while no file does. */
export type Unchanged = Pick<IndexOutcome, 'files' | 'skipped' | 'capped'>

interface Glance extends Unchanged {
  readonly met: string
}

/** What the last whole run told, where it met just these files with just these stamps. */
export function findGlance(ledger: IndexLedger, found: WalkFindings): Unchanged | undefined {
  const text = ledger.readState(GLANCE)
  if (text === undefined || text === '') return undefined
  const { met, ...same } = JSON.parse(text) as Glance
  return met === digestOf(found) ? same : undefined
}

/** Keeps what a run has met, unless something has to be looked into again whatever its stamp says. */
export function keepGlance(
  ledger: IndexLedger,
  found: WalkFindings,
  same: Unchanged,
  looked_at_ms: number,
): void {
  const isFinal =
    Object.keys(same.skipped).every((reason) => !PASSING.has(reason as keyof Unchanged['skipped'])) &&
    found.files.every(({ stamp }) => isSettled(stamp, looked_at_ms))
  const text = isFinal ? JSON.stringify({ met: digestOf(found), ...same } satisfies Glance) : ''
  if (ledger.readState(GLANCE) !== text) ledger.writeState(GLANCE, text)
}

function digestOf({ files, capped }: WalkFindings): string {
  let text = `${capped}`
  for (const { path, stamp, skip } of files)
    text += `\0${path}\0${stamp.size} ${stamp.mtime_ms} ${stamp.ctime_ms} ${stamp.ino} ${skip ?? ''}`
  return hash('sha256', text)
}
