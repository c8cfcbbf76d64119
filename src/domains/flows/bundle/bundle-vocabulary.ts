import { SCOPES, type Scope } from '../../../platform/policy/scopes.ts'

export { SCOPES, type Scope }

/** Schema name of a flow record. */
export const FLOW_SCHEMA = 'knowtation.flow/v0'
/** Schema name of a step record. */
export const FLOW_STEP_SCHEMA = 'knowtation.flow_step/v0'

/** Verification kinds a bundle may carry. */
export const VERIFICATION_KINDS = [
  'human_review',
  'artifact_exists',
  'value_match',
  'test_pass',
  'agent_check',
] as const
export type VerificationKind = (typeof VERIFICATION_KINDS)[number]

/** Verification kinds that can be satisfied at run time; the others are only stored. */
export const ACTIVE_VERIFICATION_KINDS = ['human_review', 'artifact_exists'] as const

/** How far a machine may carry a step out. */
export const AUTOMATABLE = ['manual', 'agent_assisted', 'automatable'] as const
export type Automatable = (typeof AUTOMATABLE)[number]

/** What a step may point to as the skill that performs it. */
export const SKILL_REF_KINDS = ['mcp_prompt', 'skill_pack', 'cli', 'external_tool'] as const
export type SkillRefKind = (typeof SKILL_REF_KINDS)[number]

/** What a step may name as needed before it starts. */
export const REQUIRES_KINDS = ['vault_scope', 'tool', 'file', 'artifact'] as const
export type RequiresKind = (typeof REQUIRES_KINDS)[number]

/** Every harness a projection may be asked for. */
export const HARNESSES = ['cursor_rule', 'cursor_skill', 'mcp_prompt', 'cli_runbook', 'agent_bundle'] as const
export type Harness = (typeof HARNESSES)[number]

/** Harnesses whose names are taken but which nothing serves yet. */
export const RESERVED_HARNESSES = ['cursor_skill', 'mcp_prompt'] as const
/** Harnesses that stay dead until the external-agent gate is on. */
export const INERT_HARNESSES = ['agent_bundle'] as const

/** Form of a flow id. */
export const FLOW_ID = /^flow_[a-z0-9_]{1,64}$/
/** Form of a step id: the flow id, a hash sign and the ordinal. */
export const STEP_ID = /^flow_[a-z0-9_]{1,64}#[1-9][0-9]*$/
/** Form of the name of an input or output. */
export const PORT_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
/** Form of the source of a step input: a flow input or an output of a step. */
export const INPUT_SOURCE =
  /^(?:flow\.inputs|flow_[a-z0-9_]{1,64}#[1-9][0-9]{0,15}\.outputs)\.[A-Za-z_][A-Za-z0-9_-]{0,63}$/
