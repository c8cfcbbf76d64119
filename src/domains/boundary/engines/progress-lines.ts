import { z } from 'zod'
import type { EngineProgress } from './engine-end.ts'

/** A longer line is no progress report; its rest is passed over. */
const LINE_CHARS = 1_024
const NOTE_CHARS = 120

const Line = z.strictObject({
  progress: z.number().min(0).max(1),
  note: z.string().max(LINE_CHARS).optional(),
})

/**
 * Reads progress out of what an engine writes to stderr: lines such as `{"progress":0.4,"note":"outline"}`.
 * Everything else there is passed over and kept nowhere, since it may hold anything.
 */
export function progressReader(report: (progress: EngineProgress) => void): (text: string) => void {
  let pending = ''
  return (text) => {
    const lines = (pending + text).split('\n')
    pending = (lines.pop() ?? '').slice(0, LINE_CHARS + 1)
    for (const line of lines) {
      const found = findProgress(line)
      if (found) report(found)
    }
  }
}

function findProgress(line: string): EngineProgress | undefined {
  if (line.length > LINE_CHARS || !line.startsWith('{')) return undefined
  try {
    const { progress, note } = Line.parse(JSON.parse(line))
    return { share: progress, note: note ?? null }
  } catch {
    return undefined
  }
}

/**
 * A note as it is shown: one short line. It is made so only once its secrets are out of it: half of a secret, or
 * one behind what is left of a terminal's colours, looks like none.
 */
export function plainNote(note: string): string {
  return note
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .slice(0, NOTE_CHARS)
    .toWellFormed()
}
