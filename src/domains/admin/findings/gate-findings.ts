import { GATE_FLAGS, gateState } from '../../../platform/policy/gates.ts'
import type { VaultPolicy } from '../../../platform/policy/vault-policy.ts'
import type { Finding } from './doctor-finding.ts'

/** Which gates are open, and who opened or shut them. */
export function gateFindings(env: NodeJS.ProcessEnv, policy: VaultPolicy): Finding[] {
  return GATE_FLAGS.map((flag) => {
    const { on, set_by } = gateState(flag, env, policy)
    return {
      subject: flag,
      state: on ? 'on' : 'off',
      detail: set_by === 'default' ? 'off unless switched on' : `set by the ${set_by}`,
      fix: null,
    }
  })
}
