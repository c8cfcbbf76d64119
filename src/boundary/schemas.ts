import {
  ARTIFACT_TYPES,
  BOUNDARY_CONTRACT_VERSION,
  COHERENCE_STATUSES,
  ERROR_CODES,
  OBJECTIVE_ACTIONS,
  OBJECTIVE_TYPES,
  OUTPUT_STATUSES,
  RUN_MODES,
} from './contract.ts'
import { MOMENT_PATTERN } from './iso-moment.ts'

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
/** Something other than white space. */
const text = { type: 'string', pattern: '\\S' } as const
const jsonObject = { type: 'object' } as const
const moment = { type: 'string', format: 'date-time', pattern: MOMENT_PATTERN } as const
const ledgerIds = { type: 'array', minItems: 1, items: text } as const
const artifactType = { enum: ARTIFACT_TYPES } as const

/** An object with these members and no others. */
function exactly<Required extends Record<string, unknown>>(required: Required, optional: object = {}) {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  } as const
}

/** JSON Schema of what an engine is handed, for programs in any language. */
export const agentInputSchema = {
  $schema: DIALECT,
  title: 'AgentInput',
  description: 'All that an engine is handed. It is frozen: an engine works on it and on nothing else.',
  ...exactly({
    tenantId: text,
    robotId: text,
    executionId: text,
    attempt: { type: 'integer', minimum: 1 },
    workflowVersion: text,
    agentVersion: text,
    boundaryContractVersion: { const: BOUNDARY_CONTRACT_VERSION },
    runMode: { enum: RUN_MODES },
    snapshotAt: moment,
    coherenceStatus: { enum: COHERENCE_STATUSES },
    constraints: jsonObject,
    objective: exactly({
      type: { enum: OBJECTIVE_TYPES },
      action: { enum: OBJECTIVE_ACTIONS },
      payload: jsonObject,
    }),
    intelligenceSnapshot: jsonObject,
    allowedLineage: exactly({ dependsOnLedgerIds: ledgerIds }),
    allowedArtifactTypes: { type: 'array', minItems: 1, items: artifactType },
    outputSchemaVersion: text,
  }),
} as const

const artifact = exactly({
  type: artifactType,
  payload: jsonObject,
  dependsOnLedgerIds: ledgerIds,
  metadata: exactly({ generatedAt: moment }, { model: { type: 'string' }, tokensUsed: { type: 'number' } }),
})

/**
 * JSON Schema of what an engine may answer. What only the input can tell (the allowed lineage, the allowed
 * kinds of artifact, the execution's id) is left to `checkExchange` and `knowtation boundary check`.
 */
export const agentOutputSchema = {
  $schema: DIALECT,
  title: 'AgentOutput',
  description: 'All that an engine may answer.',
  ...exactly(
    { ok: { type: 'boolean' }, executionId: text, status: { enum: OUTPUT_STATUSES } },
    {
      artifacts: { type: 'array', items: artifact },
      error: exactly({ code: { enum: ERROR_CODES }, message: text, retryable: { type: 'boolean' } }),
      diagnostics: jsonObject,
    },
  ),
  oneOf: [
    {
      properties: {
        status: { const: 'succeeded' },
        ok: { const: true },
        artifacts: { type: 'array', minItems: 1 },
      },
      required: ['artifacts'],
    },
    { properties: { status: { enum: ['blocked', 'failed'] }, ok: { const: false } } },
  ],
} as const
