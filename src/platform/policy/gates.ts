import type { VaultPolicy } from './vault-policy.ts'

/** Where each gate's setting stands in the vault policy. The environment variable has the gate's own name. */
const GATES = {
  FLOW_EXTERNAL_AGENT_ENABLED: (policy: VaultPolicy) => policy.external_agent?.enabled,
  FLOW_HOSTED_PROJECTION_ENABLED: (policy: VaultPolicy) => policy.external_agent?.hosted_projection_enabled,
  FLOW_AUTHORING_WRITES: (policy: VaultPolicy) => policy.flow_authoring?.writes_enabled,
} as const

export type GateFlag = keyof typeof GATES

export const GATE_FLAGS = Object.keys(GATES) as GateFlag[]

/** A gate's state and who set it. */
export interface GateState {
  on: boolean
  set_by: 'environment' | 'policy' | 'default'
}

/** Three states: the environment's 1/true or 0/false wins, else the vault policy, else off. */
export function gateState(flag: GateFlag, env: NodeJS.ProcessEnv, policy: VaultPolicy): GateState {
  const fromEnvironment = switchOf(env[flag])
  if (fromEnvironment !== undefined) return { on: fromEnvironment, set_by: 'environment' }
  const fromPolicy = GATES[flag](policy)
  return fromPolicy === undefined ? { on: false, set_by: 'default' } : { on: fromPolicy, set_by: 'policy' }
}

export function isGateOn(flag: GateFlag, env: NodeJS.ProcessEnv, policy: VaultPolicy): boolean {
  return gateState(flag, env, policy).on
}

function switchOf(value: string | undefined): boolean | undefined {
  if (value === '1' || value === 'true') return true
  if (value === '0' || value === 'false') return false
  return undefined
}
