import type { Hub } from '../../../../operations/hub.ts'
import { forbiddenBy, type GateFlag, gateState } from '../../../../platform/policy/gates.ts'

/** A gate as the owner is told of it. */
export interface ShownGate {
  readonly open: boolean
  /** Which control makes it so. Names of controls alone: no value of any setting. */
  readonly because: string
}

/** What the controls of a gate are called in the policy, and what forbids it altogether. */
const CONTROLS = {
  FLOW_EXTERNAL_AGENT_ENABLED: {
    setting: 'external_agent.enabled',
    forbids: 'external_agent.forbidden',
    variable: 'FLOW_EXTERNAL_AGENT_FORBIDDEN',
  },
  FLOW_HOSTED_PROJECTION_ENABLED: {
    setting: 'external_agent.hosted_projection_enabled',
    forbids: '',
    variable: '',
  },
  FLOW_AUTHORING_WRITES: {
    setting: 'flow_authoring.writes_enabled',
    forbids: 'flow_authoring.forbidden',
    variable: 'FLOW_AUTHORING_FORBIDDEN',
  },
} as const satisfies Partial<Record<GateFlag, object>>

/** Whether a gate stands open in a vault, and who opened or shut it. */
export function shownGate(hub: Hub, vault: string, flag: keyof typeof CONTROLS): ShownGate {
  const { policy } = hub.rulesOf(vault)
  const { setting, forbids, variable } = CONTROLS[flag]
  const forbidden = forbiddenBy(flag, hub.env, policy)
  const { on, set_by } = gateState(flag, hub.env, policy.value)
  if (forbidden === 'environment') return shut(`The hub's environment forbids it (${variable}).`)
  if (forbidden === 'policy') return shut(`The vault's policy forbids it (${forbids}: true).`)
  if (forbidden === 'damage')
    return shut(`The vault's policy is damaged: as long as it cannot be read, it counts as forbidding.`)
  if (set_by === 'environment') {
    const before = `The hub's environment switches it ${on ? 'on' : 'off'} (${flag}), which counts before the policy.`
    return { open: on, because: before }
  }
  if (set_by === 'policy')
    return { open: on, because: `The vault's policy switches it ${on ? 'on' : 'off'} (${setting}: ${on}).` }
  if (policy.damaged !== undefined)
    return shut(`The vault's policy is damaged: as long as it cannot be read, nothing is switched on.`)
  return shut(
    `It is off by default: neither the hub's environment (${flag}) nor the vault's policy (${setting}) switches it on.`,
  )
}

function shut(because: string): ShownGate {
  return { open: false, because }
}
