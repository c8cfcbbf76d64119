import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import type { KnowledgeHit } from '../../../platform/knowledge/knowledge.ts'
import { recordPrefixOf } from '../../../platform/knowledge/records/record-document.ts'
import { recordIndexOf } from '../../../platform/knowledge/records/record-index.ts'
import { byIdErrors } from '../connections/connection-errors.ts'
import { requireConnection } from '../connections/connection-store.ts'
import { ConnectionId } from '../connections/define-connection-operation.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { listStreams } from './record-reads.ts'

const HITS_LIMIT = 50
const HITS_USUAL = 20
const EXCERPT_CHARS = 2_000
/** Stands for a key with a secret in it: such a record is read in its list alone. */
const HASHED_KEY = /^sha256:[0-9a-f]{64}$/

export const OwnerRecordSearchOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      object: z.literal('owner_record_hit'),
      stream: z.string(),
      key: z.string().nullable().describe('Null where the key has a secret in it'),
      title: z.string(),
      excerpt: z.string().describe('The part that was found, without secrets'),
      score: z.number(),
    }),
  ),
  is_complete: z.boolean().describe('Whether all that was collected so far was looked through'),
})

/** Looks through what one connection has collected. The index holds texts without secrets, and so does the answer. */
export const ownerRecordSearch = defineOwnerOperation({
  name: 'owner_record_search',
  summary: 'Search the records of a connection by words and by meaning, the best first.',
  effect: 'read',
  authority: ownerSurface(),
  rest: 'GET /v1/owner/connections/{connection_id}/streams/search',
  cli: 'owner record search <connection_id> <query>',
  errors: byIdErrors,
  input: z.strictObject({
    connection_id: ConnectionId,
    query: z.string().trim().min(1).max(400).describe('What to look for'),
    limit: z.int().min(1).max(HITS_LIMIT).default(HITS_USUAL).describe('At most so many'),
  }),
  output: OwnerRecordSearchOutput,
  present: async () => (await import('./present-records.ts')).presentHits,
  async handle({ input: { connection_id, query, limit }, db, hub }) {
    await requireConnection(db, connection_id)
    const prefix = recordPrefixOf(connection_id)
    const { hits, is_complete } = await recordIndexOf(hub).search(query, [connection_id], [prefix], limit)
    const streams = (await listStreams(db, connection_id)).map(({ stream }) => stream)
    const data = hits.flatMap((hit) => showHit(hit, prefix, streams))
    return { object: 'list' as const, data, is_complete }
  },
})

/** A path names stream and key, and either may have a slash in it: the longest stream that there is counts. */
function showHit({ path, name, text, score }: KnowledgeHit, prefix: string, streams: readonly string[]) {
  const place = path.slice(prefix.length)
  const [stream] = streams
    .filter((one) => place.startsWith(`${one}/`))
    .toSorted((one, other) => other.length - one.length)
  if (!path.startsWith(prefix) || stream === undefined) return []
  const key = place.slice(stream.length + 1)
  const shown = { title: name, excerpt: text.slice(0, EXCERPT_CHARS), score }
  return [{ object: 'owner_record_hit' as const, stream, key: HASHED_KEY.test(key) ? null : key, ...shown }]
}
