/** The boundary between a host and external engines: contract, checks and the host's decisions. */
export { type Agent, type AgentOutcome, callAgent, judgeAnswer } from './call-agent.ts'
export { checkExchange, type ExchangeCode, type ExchangeVerdict } from './check-exchange.ts'
export { INPUT_KEYS, parseAgentInput } from './check-input.ts'
export { OUTPUT_KEYS, parseAgentOutput } from './check-output.ts'
export {
  type CoherenceDecision,
  coherenceOf,
  decideCoherence,
  PARTIAL_POLICIES,
  type PartialPolicy,
  STALE_AFTER_MS,
} from './coherence.ts'
export {
  allowedArtifactTypesFor,
  allowedLineageAt,
  composeInput,
  type InputParts,
  type LineageCandidate,
} from './compose.ts'
export {
  type AgentArtifact,
  type AgentArtifactType,
  type AgentError,
  type AgentErrorCode,
  type AgentInput,
  type AgentOutput,
  ARTIFACT_TYPES,
  ARTIFACT_TYPES_BY_OBJECTIVE,
  BOUNDARY_CONTRACT_VERSION,
  COHERENCE_STATUSES,
  type CoherenceStatus,
  ERROR_CODES,
  type Json,
  type JsonObject,
  OBJECTIVE_ACTIONS,
  OBJECTIVE_TYPES,
  type ObjectiveAction,
  type ObjectiveType,
  OUTPUT_STATUSES,
  type OutputStatus,
  RUN_MODES,
  type RunMode,
} from './contract.ts'
export { freezeInput, freezeSnapshot } from './freeze.ts'
export { isIsoMoment } from './iso-moment.ts'
export { isJsonSafe } from './json-safe.ts'
export { type ExactJson, readExactJson } from './read-exact-json.ts'
export { agentInputSchema, agentOutputSchema } from './schemas.ts'
export { comparableInput, lineageSet, stableJson } from './stable-json.ts'
export type { Checked, Rejected, Violation } from './violation.ts'
