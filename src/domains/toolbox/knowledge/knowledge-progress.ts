import { z } from 'zod'
import { SKIP_REASONS } from '../../../platform/knowledge/index-stamp.ts'
import { readPlainFile } from '../../../platform/policy/watched-file.ts'

const PROGRESS_MAX_BYTES = 65_536

const Count = z.int().min(0)

/** What a run of the indexer did, as it is shown. */
export const OutcomeWire = z.strictObject({
  mode: z.enum(['full', 'delta']),
  files: Count,
  embedded: Count,
  chunks: Count,
  removed: Count,
  skipped: z.partialRecord(z.enum(SKIP_REASONS), Count),
  capped: z.boolean(),
  warnings: z.array(z.string()),
  seconds: z.number(),
})
export type OutcomeWire = z.output<typeof OutcomeWire>

const Progress = z.strictObject({
  state: z.enum(['running', 'done', 'failed']),
  updated_at: z.string(),
  mode: z.enum(['full', 'delta']).nullable(),
  files_done: Count,
  files_total: Count.nullable(),
  seconds_left: z.number().nullable(),
  outcome: OutcomeWire.optional(),
  error: z.string().optional(),
})
/** How far the last run of a project's indexer is, or how it ended. */
export type Progress = z.output<typeof Progress>

/** What the file says; nothing where there is none that can be read. */
export function findProgress(path: string): Progress | undefined {
  try {
    return Progress.parse(JSON.parse(readPlainFile(path, PROGRESS_MAX_BYTES).text))
  } catch {
    return undefined
  }
}
