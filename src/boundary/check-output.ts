import {
  checkBoolean,
  checkChoice,
  checkJsonObject,
  checkKeys,
  checkList,
  checkMoment,
  checkText,
  findMembers,
  IDS,
  isFilledList,
  isText,
  type KnownKeys,
  type Members,
  present,
} from './check-fields.ts'
import {
  type AgentArtifactType,
  type AgentInput,
  type AgentOutput,
  ARTIFACT_TYPES,
  ERROR_CODES,
  OUTPUT_STATUSES,
} from './contract.ts'
import { HALF_PAIR } from './json-safe.ts'
import { type Checked, type Found, note } from './violation.ts'

const REQUIRED_KEYS = ['ok', 'executionId', 'status'] as const satisfies readonly (keyof AgentOutput)[]
const OPTIONAL_KEYS = ['artifacts', 'error', 'diagnostics'] as const satisfies readonly (keyof AgentOutput)[]

/** Every key that an output may have. */
export const OUTPUT_KEYS = [...REQUIRED_KEYS, ...OPTIONAL_KEYS] as const

/** Up to so many ids are looked up one after the other, which is quicker than making a set of them. */
const SHORT_LIST = 16

const KEYS: KnownKeys = { required: REQUIRED_KEYS, optional: OPTIONAL_KEYS }
const ARTIFACT_KEYS: KnownKeys = {
  required: ['type', 'payload', 'dependsOnLedgerIds', 'metadata'],
  optional: [],
}
const METADATA_KEYS: KnownKeys = { required: ['generatedAt'], optional: ['model', 'tokensUsed'] }
const ERROR_KEYS: KnownKeys = { required: ['code', 'message', 'retryable'], optional: [] }

/** Reads a value as an output by itself, or tells everything that is wrong with it. */
export function parseAgentOutput(value: unknown): Checked<AgentOutput, 'MODEL_OUTPUT_INVALID'> {
  const found: Found = []
  checkOutput(value, found)
  if (found.length > 0) return { ok: false, code: 'MODEL_OUTPUT_INVALID', violations: found }
  return { ok: true, value: value as AgentOutput }
}

/** Notes what is wrong with an output: by itself, and as an answer to an input where one is given. */
export function checkOutput(value: unknown, found: Found, asked?: AgentInput): void {
  try {
    const output = findMembers(value, '', found)
    if (output) checkMembers(output, found, asked)
  } catch {
    // A value that cannot even be looked at, such as one with a getter that throws.
    note(found, '', 'cannot be read')
  }
}

function checkMembers(output: Members, found: Found, asked: AgentInput | undefined): void {
  const { ok, executionId, status, artifacts, error, diagnostics } = output
  checkBoolean(ok, found, '', 'ok')
  checkText(executionId, found, '', 'executionId')
  if (asked && isText(executionId) && executionId !== asked.executionId) {
    note(found, 'executionId', 'must be that of the input')
  }
  checkChoice(status, OUTPUT_STATUSES, found, '', 'status')
  checkArtifacts(artifacts, status, found, asked)
  if (error !== undefined) checkError(error, found)
  if (diagnostics !== undefined) checkJsonObject(diagnostics, found, '', 'diagnostics')
  checkAgreement(ok, status, found)
  const sound = found.length > 0 ? -1 : 3 + present(artifacts) + present(error) + present(diagnostics)
  checkKeys(output, '', KEYS, sound, found)
}

function checkAgreement(ok: unknown, status: unknown, found: Found): void {
  if (typeof ok !== 'boolean' || !OUTPUT_STATUSES.includes(status as AgentOutput['status'])) return
  if (ok !== (status === 'succeeded')) note(found, 'ok', 'must be true exactly when the status is succeeded')
}

function checkArtifacts(value: unknown, status: unknown, found: Found, input: AgentInput | undefined): void {
  const mayBeEmpty = status !== 'succeeded'
  if (mayBeEmpty && (value === undefined || (Array.isArray(value) && value.length === 0))) return
  if (!isFilledList(value, found, '', 'artifacts')) return
  const asked = input && whatWasAsked(input)
  for (let at = 0; at < value.length; at++) checkArtifact(value[at], `artifacts[${at}]`, found, asked)
}

function checkArtifact(value: unknown, path: string, found: Found, asked: Asked | undefined): void {
  const artifact = findMembers(value, path, found)
  if (!artifact) return
  const before = found.length
  checkChoice(artifact.type, ARTIFACT_TYPES, found, path, 'type')
  checkJsonObject(artifact.payload, found, path, 'payload')
  checkList(artifact.dependsOnLedgerIds, IDS, found, path, 'dependsOnLedgerIds')
  checkMetadata(artifact.metadata, `${path}.metadata`, found)
  if (asked) checkAllowed(artifact, path, found, asked)
  checkKeys(artifact, path, ARTIFACT_KEYS, found.length === before ? 4 : -1, found)
}

/** What an input lets artifacts be, and what it lets them rest on. */
interface Asked {
  readonly types: readonly AgentArtifactType[]
  readonly ids: readonly string[]
  /** Of a long list of ids, to look them up in. */
  readonly set: ReadonlySet<string> | undefined
}

function whatWasAsked({ allowedArtifactTypes: types, allowedLineage }: AgentInput): Asked {
  const ids = allowedLineage.dependsOnLedgerIds
  return { types, ids, set: ids.length > SHORT_LIST ? new Set(ids) : undefined }
}

/** Only what the host handed out may come back: kinds it asked for, made from entries it named. */
function checkAllowed(artifact: Members, path: string, found: Found, asked: Asked): void {
  const { type, dependsOnLedgerIds: named } = artifact as {
    type: AgentArtifactType
    dependsOnLedgerIds: unknown
  }
  if (!asked.types.includes(type) && ARTIFACT_TYPES.includes(type)) {
    note(found, `${path}.type`, 'is not in allowedArtifactTypes')
  }
  if (!Array.isArray(named)) return
  for (let at = 0; at < named.length; at++) {
    const id: unknown = named[at]
    if (!isText(id) || (asked.set ? asked.set.has(id) : asked.ids.includes(id))) continue
    note(found, `${path}.dependsOnLedgerIds[${at}]`, 'is not in allowedLineage')
  }
}

function checkMetadata(value: unknown, path: string, found: Found): void {
  const metadata = findMembers(value, path, found)
  if (!metadata) return
  const before = found.length
  const { generatedAt, model, tokensUsed } = metadata
  checkMoment(generatedAt, found, path, 'generatedAt')
  if (model !== undefined && typeof model !== 'string') note(found, `${path}.model`, 'must be a string')
  else if (model?.isWellFormed() === false) note(found, `${path}.model`, HALF_PAIR)
  if (tokensUsed !== undefined && !Number.isFinite(tokensUsed)) {
    note(found, `${path}.tokensUsed`, 'must be a finite number')
  }
  const sound = found.length > before ? -1 : 1 + present(model) + present(tokensUsed)
  checkKeys(metadata, path, METADATA_KEYS, sound, found)
}

function checkError(value: unknown, found: Found): void {
  const error = findMembers(value, 'error', found)
  if (!error) return
  const before = found.length
  checkChoice(error.code, ERROR_CODES, found, 'error', 'code')
  checkText(error.message, found, 'error', 'message')
  checkBoolean(error.retryable, found, 'error', 'retryable')
  checkKeys(error, 'error', ERROR_KEYS, found.length === before ? 3 : -1, found)
}
