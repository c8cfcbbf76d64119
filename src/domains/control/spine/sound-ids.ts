import type { Hub } from '../../../operations/hub.ts'
import { findConnector } from '../connectors/connector-registry.ts'

/** What our ids look like; a bearer or a code of ours is longer or begins otherwise. */
const OWN_ID = /^(?!lde)[a-z]{2,8}_[0-9a-f]{16,32}$/

/**
 * What of a refused input may stand in a record: ids of our form and connectors that there are. Whatever
 * else stands where an id belongs may be a secret in the wrong place.
 */
export async function soundIds(hub: Hub, sent: unknown): Promise<Record<string, string>> {
  if (typeof sent !== 'object' || sent === null) return {}
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(sent)) {
    if (typeof value !== 'string' || !name.endsWith('_id')) continue
    const isSound =
      name === 'connector_id' ? (await findConnector(hub, value)) !== undefined : OWN_ID.test(value)
    if (isSound) found[name] = value
  }
  return found
}
