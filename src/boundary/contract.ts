/** The one version of the contract there is. */
export const BOUNDARY_CONTRACT_VERSION = 'v1'

export const RUN_MODES = ['dry_run', 'execute'] as const
export type RunMode = (typeof RUN_MODES)[number]

export const COHERENCE_STATUSES = ['coherent', 'partial', 'stale'] as const
export type CoherenceStatus = (typeof COHERENCE_STATUSES)[number]

export const OBJECTIVE_TYPES = [
  'site_plan',
  'landing_plan',
  'paid_media_plan',
  'seo_cluster',
  'campaign_plan',
] as const
export type ObjectiveType = (typeof OBJECTIVE_TYPES)[number]

export const OBJECTIVE_ACTIONS = ['plan', 'draft', 'apply'] as const
export type ObjectiveAction = (typeof OBJECTIVE_ACTIONS)[number]

export const ARTIFACT_TYPES = [
  'idea',
  'copy',
  'playbook',
  'task',
  'site_plan',
  'seo_cluster',
  'paid_plan',
] as const
export type AgentArtifactType = (typeof ARTIFACT_TYPES)[number]

export const OUTPUT_STATUSES = ['succeeded', 'blocked', 'failed'] as const
export type OutputStatus = (typeof OUTPUT_STATUSES)[number]

export const ERROR_CODES = ['COHERENCE_BLOCKED', 'MODEL_OUTPUT_INVALID', 'VALIDATION_ERROR'] as const
export type AgentErrorCode = (typeof ERROR_CODES)[number]

/** A value that JSON carries without loss. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** What an engine is handed: all it may know of the host, frozen. */
export interface AgentInput {
  readonly tenantId: string
  readonly robotId: string
  readonly executionId: string
  readonly attempt: number
  readonly workflowVersion: string
  readonly agentVersion: string
  readonly boundaryContractVersion: typeof BOUNDARY_CONTRACT_VERSION
  readonly runMode: RunMode
  /** The moment that the snapshot stands for. */
  readonly snapshotAt: string
  readonly coherenceStatus: CoherenceStatus
  readonly constraints: JsonObject
  readonly objective: {
    readonly type: ObjectiveType
    readonly action: ObjectiveAction
    readonly payload: JsonObject
  }
  readonly intelligenceSnapshot: JsonObject
  /** The ledger entries that artifacts may name as what they were made from. */
  readonly allowedLineage: { readonly dependsOnLedgerIds: readonly string[] }
  readonly allowedArtifactTypes: readonly AgentArtifactType[]
  readonly outputSchemaVersion: string
}

export interface AgentArtifact {
  readonly type: AgentArtifactType
  readonly payload: JsonObject
  readonly dependsOnLedgerIds: readonly string[]
  readonly metadata: {
    readonly generatedAt: string
    readonly model?: string
    readonly tokensUsed?: number
  }
}

export interface AgentError {
  readonly code: AgentErrorCode
  readonly message: string
  readonly retryable: boolean
}

/** What an engine may answer, and nothing else. */
export interface AgentOutput {
  readonly ok: boolean
  readonly executionId: string
  readonly status: OutputStatus
  readonly artifacts?: readonly AgentArtifact[]
  readonly error?: AgentError
  readonly diagnostics?: JsonObject
}

/** The kinds of artifact that a host asks for by objective. */
export const ARTIFACT_TYPES_BY_OBJECTIVE: Readonly<Record<ObjectiveType, readonly AgentArtifactType[]>> = {
  campaign_plan: ['paid_plan', 'copy', 'playbook'],
  paid_media_plan: ['paid_plan', 'copy'],
  landing_plan: ['site_plan'],
  site_plan: ['site_plan'],
  seo_cluster: ['seo_cluster', 'copy'],
}
