import type { VaultPolicy } from './vault-policy.ts'

/** Where each gate's setting stands in the vault policy. The environment variable has the gate's own name. */
const GATES = {
  FLOW_EXTERNAL_AGENT_ENABLED: (policy: VaultPolicy) => policy.external_agent?.enabled,
  FLOW_HOSTED_PROJECTION_ENABLED: (policy: VaultPolicy) => policy.external_agent?.hosted_projection_enabled,
  FLOW_AUTHORING_WRITES: (policy: VaultPolicy) => policy.flow_authoring?.writes_enabled,
} as const

export type GateFlag = keyof typeof GATES

export const GATE_FLAGS = Object.keys(GATES) as GateFlag[]

/** Three states: the environment's 1/true or 0/false wins, else the vault policy, else off. */
export function isGateOn(flag: GateFlag, env: NodeJS.ProcessEnv, policy: VaultPolicy): boolean {
  return environmentState(env[flag]) ?? GATES[flag](policy) ?? false
}

function environmentState(value: string | undefined): boolean | undefined {
  if (value === '1' || value === 'true') return true
  if (value === '0' || value === 'false') return false
  return undefined
}
