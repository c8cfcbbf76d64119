import {
  checkChoice,
  checkJsonObject,
  checkKeys,
  checkList,
  checkMoment,
  checkOpaqueObject,
  checkText,
  findMembers,
  IDS,
  type KnownKeys,
} from './check-fields.ts'
import {
  type AgentArtifactType,
  type AgentInput,
  ARTIFACT_TYPES,
  BOUNDARY_CONTRACT_VERSION,
  COHERENCE_STATUSES,
  OBJECTIVE_ACTIONS,
  OBJECTIVE_TYPES,
  RUN_MODES,
} from './contract.ts'
import { type Checked, type Found, note } from './violation.ts'

/** Every key of an input; each of them is required. */
export const INPUT_KEYS = [
  'tenantId',
  'robotId',
  'executionId',
  'attempt',
  'workflowVersion',
  'agentVersion',
  'boundaryContractVersion',
  'runMode',
  'snapshotAt',
  'coherenceStatus',
  'constraints',
  'objective',
  'intelligenceSnapshot',
  'allowedLineage',
  'allowedArtifactTypes',
  'outputSchemaVersion',
] as const satisfies readonly (keyof AgentInput)[]

const KEYS: KnownKeys = { required: INPUT_KEYS, optional: [] }
const OBJECTIVE_KEYS: KnownKeys = { required: ['type', 'action', 'payload'], optional: [] }
const LINEAGE_KEYS: KnownKeys = { required: ['dependsOnLedgerIds'], optional: [] }
const TYPES = {
  is: (item: unknown) => ARTIFACT_TYPES.includes(item as AgentArtifactType),
  message: `must be one of ${ARTIFACT_TYPES.join(', ')}`,
}

/** Reads a value as an input, or tells everything that is wrong with it. */
export function parseAgentInput(value: unknown): Checked<AgentInput, 'VALIDATION_ERROR'> {
  const found: Found = []
  try {
    checkInput(value, found)
  } catch {
    // A value that cannot even be looked at, such as one with a getter that throws.
    note(found, '', 'cannot be read')
  }
  if (found.length > 0) return { ok: false, code: 'VALIDATION_ERROR', violations: found }
  return { ok: true, value: value as AgentInput }
}

function checkInput(value: unknown, found: Found): void {
  const input = findMembers(value, '', found) as Partial<AgentInput> | undefined
  if (!input) return
  checkText(input.tenantId, found, '', 'tenantId')
  checkText(input.robotId, found, '', 'robotId')
  checkText(input.executionId, found, '', 'executionId')
  checkAttempt(input.attempt, found)
  checkText(input.workflowVersion, found, '', 'workflowVersion')
  checkText(input.agentVersion, found, '', 'agentVersion')
  checkVersion(input.boundaryContractVersion, found)
  checkChoice(input.runMode, RUN_MODES, found, '', 'runMode')
  checkMoment(input.snapshotAt, found, '', 'snapshotAt')
  checkChoice(input.coherenceStatus, COHERENCE_STATUSES, found, '', 'coherenceStatus')
  checkJsonObject(input.constraints, found, '', 'constraints')
  checkObjective(input.objective, found)
  checkOpaqueObject(input.intelligenceSnapshot, found, '', 'intelligenceSnapshot')
  checkLineage(input.allowedLineage, found)
  checkList(input.allowedArtifactTypes, TYPES, found, '', 'allowedArtifactTypes')
  checkText(input.outputSchemaVersion, found, '', 'outputSchemaVersion')
  checkKeys(input, '', KEYS, found.length === 0 ? 16 : -1, found)
}

function checkAttempt(value: unknown, found: Found): void {
  if (!Number.isSafeInteger(value) || (value as number) < 1) {
    note(found, 'attempt', 'must be an integer of at least 1')
  }
}

function checkVersion(value: unknown, found: Found): void {
  if (value !== BOUNDARY_CONTRACT_VERSION) {
    note(found, 'boundaryContractVersion', `must be ${BOUNDARY_CONTRACT_VERSION}`)
  }
}

function checkObjective(value: unknown, found: Found): void {
  const objective = findMembers(value, 'objective', found)
  if (!objective) return
  const before = found.length
  checkChoice(objective.type, OBJECTIVE_TYPES, found, 'objective', 'type')
  checkChoice(objective.action, OBJECTIVE_ACTIONS, found, 'objective', 'action')
  checkJsonObject(objective.payload, found, 'objective', 'payload')
  checkKeys(objective, 'objective', OBJECTIVE_KEYS, found.length === before ? 3 : -1, found)
}

function checkLineage(value: unknown, found: Found): void {
  const lineage = findMembers(value, 'allowedLineage', found)
  if (!lineage) return
  const before = found.length
  checkList(lineage.dependsOnLedgerIds, IDS, found, 'allowedLineage', 'dependsOnLedgerIds')
  checkKeys(lineage, 'allowedLineage', LINEAGE_KEYS, found.length === before ? 1 : -1, found)
}
