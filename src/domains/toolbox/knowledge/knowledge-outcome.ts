import type { z } from 'zod'
import type { IndexerAnswer } from './knowledge-order.ts'
import type { OutcomeAnswer } from './knowledge-schemas.ts'

/** A finished run as the answer of an operation. */
export function outcomeOf(project: string, answer: IndexerAnswer): z.output<typeof OutcomeAnswer> {
  if (answer.kind !== 'done') throw new Error(`the indexer answered ${answer.kind} to a run`)
  const { warnings, skipped, ...outcome } = answer.outcome
  const schema = 'knowtation.knowledge_index/v0' as const
  return { schema, project, ...outcome, skipped: { ...skipped }, warnings: [...warnings] }
}
