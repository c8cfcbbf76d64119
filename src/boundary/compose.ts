import {
  type AgentArtifactType,
  type AgentInput,
  ARTIFACT_TYPES_BY_OBJECTIVE,
  BOUNDARY_CONTRACT_VERSION,
  type ObjectiveType,
} from './contract.ts'
import { freezeSnapshot } from './freeze.ts'
import { lineageSet } from './stable-json.ts'

/** What a host knows of a ledger entry when it decides about lineage. */
export interface LineageCandidate {
  readonly id: string
  readonly createdAt: string
}

/** The kinds of artifact that an objective asks for. */
export function allowedArtifactTypesFor(objective: ObjectiveType): AgentArtifactType[] {
  return [...ARTIFACT_TYPES_BY_OBJECTIVE[objective]]
}

/** The entries a snapshot can rest on: what came after it cannot have gone into it. */
export function allowedLineageAt(entries: Iterable<LineageCandidate>, snapshotAt: string): string[] {
  const moment = Date.parse(snapshotAt)
  const known = [...entries].filter(({ createdAt }) => Date.parse(createdAt) <= moment)
  return lineageSet(known.map(({ id }) => id))
}

/** What the caller of `composeInput` brings; the rest of an input follows from it. */
export type InputParts = Pick<
  AgentInput,
  | 'tenantId'
  | 'robotId'
  | 'executionId'
  | 'attempt'
  | 'workflowVersion'
  | 'agentVersion'
  | 'runMode'
  | 'snapshotAt'
  | 'coherenceStatus'
  | 'constraints'
  | 'objective'
  | 'outputSchemaVersion'
> & { readonly snapshot: unknown; readonly ledger: Iterable<LineageCandidate> }

/** Puts an input together: the snapshot frozen, lineage and kinds of artifact decided by the host. */
export function composeInput({ snapshot, ledger, ...parts }: InputParts): AgentInput {
  return {
    tenantId: parts.tenantId,
    robotId: parts.robotId,
    executionId: parts.executionId,
    attempt: parts.attempt,
    workflowVersion: parts.workflowVersion,
    agentVersion: parts.agentVersion,
    boundaryContractVersion: BOUNDARY_CONTRACT_VERSION,
    runMode: parts.runMode,
    snapshotAt: parts.snapshotAt,
    coherenceStatus: parts.coherenceStatus,
    constraints: parts.constraints,
    objective: parts.objective,
    intelligenceSnapshot: freezeSnapshot(snapshot),
    allowedLineage: { dependsOnLedgerIds: allowedLineageAt(ledger, parts.snapshotAt) },
    allowedArtifactTypes: allowedArtifactTypesFor(parts.objective.type),
    outputSchemaVersion: parts.outputSchemaVersion,
  }
}
