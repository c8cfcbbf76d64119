import type { VaultPolicy } from './vault-policy.ts'
import type { FileState } from './watched-file.ts'

/**
 * Each gate: what its owner calls it, and where its setting stands in the vault policy. The environment variable has the
 * gate's own name.
 */
const GATES = {
  FLOW_EXTERNAL_AGENT_ENABLED: {
    name: 'external_agent',
    setting: ['external_agent', 'enabled'],
    of: (policy: VaultPolicy) => policy.external_agent?.enabled,
  },
  FLOW_HOSTED_PROJECTION_ENABLED: {
    name: 'hosted_projection',
    setting: ['external_agent', 'hosted_projection_enabled'],
    of: (policy: VaultPolicy) => policy.external_agent?.hosted_projection_enabled,
  },
  FLOW_AUTHORING_WRITES: {
    name: 'authoring',
    setting: ['flow_authoring', 'writes_enabled'],
    of: (policy: VaultPolicy) => policy.flow_authoring?.writes_enabled,
  },
  FLOW_RUN_WRITES_ENABLED: {
    name: 'runs',
    setting: ['flow_runs', 'writes_enabled'],
    of: (policy: VaultPolicy) => policy.flow_runs?.writes_enabled,
  },
  FLOW_AUTOMATABLE_EXECUTION_ENABLED: {
    name: 'automatable_execution',
    setting: ['flow_runs', 'automatable_execution_enabled'],
    of: (policy: VaultPolicy) => policy.flow_runs?.automatable_execution_enabled,
  },
} as const

export type GateFlag = keyof typeof GATES

export const GATE_FLAGS = Object.keys(GATES) as GateFlag[]

/** What the owner calls a gate, and its setting in the policy. */
export function describeGate(flag: GateFlag): { name: string; setting: readonly string[] } {
  const { name, setting } = GATES[flag]
  return { name, setting }
}

/** A gate that stands behind another one: it is off as long as that one is. */
const BEHIND: Partial<Record<GateFlag, GateFlag>> = {
  FLOW_AUTOMATABLE_EXECUTION_ENABLED: 'FLOW_RUN_WRITES_ENABLED',
}

/** A gate's state and who set it. */
export interface GateState {
  on: boolean
  set_by: 'environment' | 'policy' | 'default'
}

/** Three states: the environment's 1/true or 0/false wins, else the vault policy, else off. */
export function gateState(flag: GateFlag, env: NodeJS.ProcessEnv, policy: VaultPolicy): GateState {
  const outer = BEHIND[flag]
  if (outer && !isGateOn(outer, env, policy))
    return { on: false, set_by: gateState(outer, env, policy).set_by }
  const fromEnvironment = switchOf(env[flag])
  if (fromEnvironment !== undefined) return { on: fromEnvironment, set_by: 'environment' }
  const fromPolicy = GATES[flag].of(policy)
  return fromPolicy === undefined ? { on: false, set_by: 'default' } : { on: fromPolicy, set_by: 'policy' }
}

export function isGateOn(flag: GateFlag, env: NodeJS.ProcessEnv, policy: VaultPolicy): boolean {
  return gateState(flag, env, policy).on
}

/** What the owner's policy can forbid altogether, and by which variable the environment can. */
const FORBIDDEN: Partial<
  Record<GateFlag, { variable: string; by: (policy: VaultPolicy) => boolean | undefined }>
> = {
  FLOW_EXTERNAL_AGENT_ENABLED: {
    variable: 'FLOW_EXTERNAL_AGENT_FORBIDDEN',
    by: (policy) => policy.external_agent?.forbidden,
  },
  FLOW_AUTHORING_WRITES: {
    variable: 'FLOW_AUTHORING_FORBIDDEN',
    by: (policy) => policy.flow_authoring?.forbidden,
  },
  FLOW_AUTOMATABLE_EXECUTION_ENABLED: {
    variable: 'FLOW_EXECUTION_FORBIDDEN',
    by: (policy) => policy.flow_runs?.execution_forbidden,
  },
}

/** A policy that cannot be read lists no tool either, so that mints and calls are refused for that. */
const CLOSED_BY_ALLOWLIST: GateFlag = 'FLOW_EXTERNAL_AGENT_ENABLED'

/**
 * Who forbids what the gate guards, whatever the gate itself says. A policy that cannot be read might forbid it, and
 * counts as if it did where the environment has opened the gate and nothing else closes it.
 */
export function forbiddenBy(
  flag: GateFlag,
  env: NodeJS.ProcessEnv,
  { value, damaged }: Pick<FileState<VaultPolicy>, 'value' | 'damaged'>,
): 'environment' | 'policy' | 'damage' | undefined {
  const rule = FORBIDDEN[flag]
  if (!rule) return undefined
  const fromEnvironment = switchOf(env[rule.variable])
  if (fromEnvironment !== undefined) return fromEnvironment ? 'environment' : undefined
  const fromPolicy = rule.by(value)
  if (fromPolicy !== undefined) return fromPolicy ? 'policy' : undefined
  const isInDoubt = damaged !== undefined && flag !== CLOSED_BY_ALLOWLIST
  return isInDoubt && isGateOn(flag, env, value) ? 'damage' : undefined
}

/** Whether anybody does. */
export function isForbidden(
  flag: GateFlag,
  env: NodeJS.ProcessEnv,
  policy: Pick<FileState<VaultPolicy>, 'value' | 'damaged'>,
): boolean {
  return forbiddenBy(flag, env, policy) !== undefined
}

function switchOf(value: string | undefined): boolean | undefined {
  if (value === '1' || value === 'true') return true
  if (value === '0' || value === 'false') return false
  return undefined
}
