import { type AgentOutput, lineageSet, type ObjectiveType } from '../../../boundary/index.ts'
import type { NewEntry } from '../ledger/append-entries.ts'
import { ARTIFACT_ORIGIN, EVENT_ORIGIN } from '../ledger/ledger-record.ts'
import { type ExecutionRow, factsIn } from './execution-store.ts'

const TARGETS: Readonly<Record<ObjectiveType, 'site_builder' | 'paid_media' | 'seo'>> = {
  site_plan: 'site_builder',
  landing_plan: 'site_builder',
  paid_media_plan: 'paid_media',
  campaign_plan: 'paid_media',
  seo_cluster: 'seo',
}

type Artifacts = NonNullable<AgentOutput['artifacts']>

/** The artifacts of an accepted answer as drafts; `ids` has one for each of them and one for their event. */
export function artifactEntries(row: ExecutionRow, artifacts: Artifacts, ids: readonly string[]): NewEntry[] {
  return artifacts.map((artifact, at) => ({
    id: ids[at] as string,
    robot_id: row.robot_id,
    ...ARTIFACT_ORIGIN,
    type: artifact.type,
    payload: artifact.payload,
    depends_on: artifact.dependsOnLedgerIds,
    execution_id: row.execution_id,
    event_key: null,
  }))
}

/** The one entry that tells of an execution. It is made of what the host decided, not of what was answered. */
export function eventEntry(
  row: ExecutionRow,
  artifacts: Artifacts,
  ids: readonly string[],
  duration_ms: number,
): NewEntry {
  const facts = factsIn(row)
  return {
    id: ids[artifacts.length] as string,
    robot_id: row.robot_id,
    ...EVENT_ORIGIN,
    state: 'succeeded',
    payload: {
      executionId: row.execution_id,
      workflowVersion: facts.workflow_version,
      agentVersion: facts.agent_version,
      executionContractVersion: 'v1',
      attempt: row.attempt,
      target: TARGETS[facts.objective.type],
      action: `plan_${facts.objective.type}`,
      snapshotAt: facts.snapshot_at,
      coherenceStatus: facts.coherence_status,
      dryRun: facts.run_mode === 'dry_run',
      ...(facts.rerun_of_execution_id !== null && { rerunOfExecutionId: facts.rerun_of_execution_id }),
      result: {
        artifacts: artifacts.map(({ type, metadata }, at) => ({ ledgerId: ids[at], type, metadata })),
      },
      durationMs: duration_ms,
    },
    depends_on: lineageSet(artifacts.flatMap(({ dependsOnLedgerIds }) => dependsOnLedgerIds)),
    execution_id: row.execution_id,
    event_key: `${row.run_id}:${row.attempt}`,
  }
}
