import type { EnginePolicy } from '../../../platform/policy/engine-policy.ts'
import type { VaultPolicy } from '../../../platform/policy/vault-policy.ts'

/** The engine of this name, if the policy has one and lets this tenant and robot use it. */
export function findEngine(
  { engines = {} }: VaultPolicy,
  name: string,
  client: { tenant_id: string; robot_id: string },
): EnginePolicy | undefined {
  const engine = Object.hasOwn(engines, name) ? engines[name] : undefined
  if (!engine) return undefined
  return serves(engine.tenants, client.tenant_id) && serves(engine.robots, client.robot_id)
    ? engine
    : undefined
}

function serves(list: readonly string[] | undefined, id: string): boolean {
  return list === undefined || list.includes(id)
}
