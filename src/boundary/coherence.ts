import type { AgentInput, CoherenceStatus, RunMode } from './contract.ts'

/** What a host does with snapshots that are only partly coherent. */
export const PARTIAL_POLICIES = ['run', 'draft_only', 'block'] as const
export type PartialPolicy = (typeof PARTIAL_POLICIES)[number]

/** Whether the engine may be called at all. */
export type CoherenceDecision = 'run' | 'blocked' | 'review'

/**
 * Decides before any engine is called. Execution on a stale snapshot is always blocked; what happens on
 * a partial one is the host's policy, and `review` means that a person has to look first.
 */
export function decideCoherence(
  { runMode, coherenceStatus }: Pick<AgentInput, 'runMode' | 'coherenceStatus'>,
  partial: PartialPolicy = 'run',
): CoherenceDecision {
  if (coherenceStatus === 'stale') return blocksStale(runMode) ? 'blocked' : 'run'
  if (coherenceStatus === 'coherent' || partial === 'run') return 'run'
  if (partial === 'block') return 'blocked'
  return runMode === 'dry_run' ? 'run' : 'review'
}

function blocksStale(runMode: RunMode): boolean {
  return runMode === 'execute'
}

/** How old a snapshot may grow before it is stale, unless the host says otherwise. */
export const STALE_AFTER_MS = 86_400_000

/**
 * What a host can tell of a snapshot by itself: stale when it is too old, partial when the ledger has
 * moved on since, else coherent.
 */
export function coherenceOf(facts: {
  snapshotAt: Date
  now: Date
  /** When the tenant's ledger last grew, if ever. */
  newestEntryAt: Date | undefined
  staleAfterMs?: number | undefined
}): CoherenceStatus {
  const { snapshotAt, now, newestEntryAt, staleAfterMs = STALE_AFTER_MS } = facts
  // Times that cannot be read compare as neither older nor newer: then nothing speaks for coherence.
  if (!(now.getTime() - snapshotAt.getTime() <= staleAfterMs)) return 'stale'
  if (newestEntryAt && !(newestEntryAt.getTime() <= snapshotAt.getTime())) return 'partial'
  return 'coherent'
}
