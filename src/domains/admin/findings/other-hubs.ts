import type { Hub } from '../../../operations/hub.ts'
import { type KnownHub, listOtherHubs, ownPolicies } from '../known-hubs.ts'
import type { Finding } from './doctor-finding.ts'

const NONE = { policy: 'none', members: 'none' }
const MEND = 'Make the files alike in all homes: each hub decides by its own.'

/** Whether other hubs on the same PostgreSQL decide by the same policies. */
export async function otherHubFindings(hub: Hub): Promise<Finding[]> {
  if (hub.db.kind !== 'postgres') return []
  const others = await listOtherHubs(hub.db, hub, hub.system.now())
  const own = ownPolicies(hub)
  const apart = others.flatMap((other) => differencesTo(own, other))
  if (apart.length > 0)
    return apart.map((detail) => ({ subject: 'policies of other hubs', state: 'wrong', detail, fix: MEND }))
  const detail = others.length === 0 ? 'no other hub serves this database' : 'the same as here'
  return [{ subject: 'policies of other hubs', state: 'ok', detail, fix: null }]
}

function differencesTo(own: KnownHub['vaults'], { place, vaults }: KnownHub): string[] {
  const ids = [...new Set([...Object.keys(own), ...Object.keys(vaults)])].toSorted()
  return ids.flatMap((vault_id) => {
    const [here, there] = [own[vault_id] ?? NONE, vaults[vault_id] ?? NONE]
    const files = (['policy', 'members'] as const).filter((name) => here[name] !== there[name])
    return files.map(
      (name) => `${name}.yaml of vault ${vault_id} is ${here[name]} here and ${there[name]} at ${place}`,
    )
  })
}
