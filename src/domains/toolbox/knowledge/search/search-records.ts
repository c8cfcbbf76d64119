import { GuardDenied } from '../../../../platform/guard/guard.ts'
import type { KnowledgeKind } from '../../../../platform/knowledge/knowledge.ts'
import { RECORD_PREFIX, recordPrefixOf } from '../../../../platform/knowledge/records/record-document.ts'
import { type FoundRecords, recordIndexOf } from '../../../../platform/knowledge/records/record-index.ts'
import type { ToolCall } from '../../tool.ts'

interface Asked {
  readonly query: string
  readonly limit: number
  readonly path?: string | undefined
  readonly kind?: KnowledgeKind | undefined
}

const NOTHING: FoundRecords = { hits: [], is_complete: true }

/** Whether only records are asked for. */
export function isAboutRecords({ path, kind }: Pick<Asked, 'path' | 'kind'>): boolean {
  return kind === 'record' || path?.startsWith(RECORD_PREFIX) === true
}

/** Finds records of the connections that the project's policy names; without any, there are none. */
export async function findRecords({ input, policy, hub }: ToolCall<Asked>): Promise<FoundRecords> {
  const { path, kind = 'record', query, limit } = input
  const isElsewhere = path !== undefined && !path.startsWith(RECORD_PREFIX)
  if (kind !== 'record' || isElsewhere) return NOTHING
  const connections = policy.knowledge_connections
  const under = path === undefined ? connections.map(recordPrefixOf) : narrowTo(path, connections)
  if (under.length === 0) return NOTHING
  const wanted = connections.filter((id) => under.some((one) => one.startsWith(recordPrefixOf(id))))
  const found = await recordIndexOf(hub).search(query, wanted, under, limit)
  return { ...found, hits: found.hits.filter((hit) => under.some((one) => isAt(hit.path, one))) }
}

/** A connection that the policy does not name is as far away as a sibling service. */
function narrowTo(path: string, connections: readonly string[]): string[] {
  const wanted = path.replace(/\/{1,64}$/, '')
  const all = connections.map(recordPrefixOf)
  if (wanted === RECORD_PREFIX) return all
  const whole = all.filter((prefix) => prefix === `${wanted}/`)
  if (whole.length > 0) return whole
  if (!all.some((prefix) => wanted.startsWith(prefix))) throw new GuardDenied('outside', path)
  return [wanted]
}

function isAt(path: string, place: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place || path.startsWith(`${place}/`)
}
