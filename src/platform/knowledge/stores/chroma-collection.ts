import { z } from 'zod'
import { type LoopbackAnswer, type LoopbackClient, reasonOf } from '../loopback-http.ts'

const COLLECTIONS = '/api/v2/tenants/default_tenant/databases/default_database/collections'

export type ChromaValue = string | number | boolean
export type ChromaMetadata = Readonly<Record<string, ChromaValue>>
/** A condition in Chroma's own words. */
export type ChromaWhere = Readonly<Record<string, unknown>>

/** A row as it goes in. */
export interface ChromaRow {
  readonly id: string
  readonly embedding: readonly number[]
  readonly document: string
  readonly metadata: ChromaMetadata
}

/** A row as it comes out. */
export interface FoundRow {
  readonly metadata: Readonly<Record<string, unknown>>
  /** Only where it was found by its vector. */
  readonly distance: number | undefined
}

interface Filters {
  readonly where?: ChromaWhere | undefined
  readonly where_document?: ChromaWhere | undefined
}

/** One collection of a Chroma server, by its name; made where it is missing. */
export interface ChromaCollection {
  readMetadata(): Promise<Readonly<Record<string, unknown>>>
  writeMetadata(metadata: ChromaMetadata): Promise<void>
  upsert(rows: readonly ChromaRow[]): Promise<void>
  remove(where: ChromaWhere): Promise<void>
  get(filters: Filters, limit: number, offset?: number): Promise<FoundRow[]>
  query(vector: readonly number[], filters: Filters, limit: number): Promise<FoundRow[]>
  drop(): Promise<void>
}

const Known = z.object({ id: z.string().min(1), metadata: z.record(z.string(), z.unknown()).nullish() })
const Metadata = z.record(z.string(), z.unknown()).nullable()
const Got = z.object({ ids: z.array(z.string()), metadatas: z.array(Metadata) })
const Queried = z.object({
  ids: z.array(z.array(z.string())).length(1),
  metadatas: z.array(z.array(Metadata)).length(1),
  distances: z.array(z.array(z.number().nullable())).length(1),
})

/** Opens a collection whose vectors are compared by their dot products. */
export function openChromaCollection(client: LoopbackClient, name: string): ChromaCollection {
  let id: string | undefined
  const find = async () => {
    const wanted = { name, get_or_create: true, configuration: { hnsw: { space: 'ip' } } }
    const known = read(client, Known, await client.send('POST', COLLECTIONS, wanted))
    id = known.id
    return known
  }
  /** Another process may have dropped the collection and made it anew under another id. */
  const ask = async (method: 'POST' | 'PUT', act: string, body: object): Promise<unknown> => {
    for (const is_last of [false, true]) {
      const place: string = id ?? (await find()).id
      const answer = await client.send(method, `${COLLECTIONS}/${encodeURIComponent(place)}${act}`, body)
      if (answer.status !== 404 || is_last) return read(client, z.unknown(), answer)
      id = undefined
    }
    return undefined
  }
  return {
    readMetadata: async () => (await find()).metadata ?? {},
    writeMetadata: async (new_metadata) => void (await ask('PUT', '', { new_metadata })),
    upsert: async (rows) => void (await ask('POST', '/upsert', columnsOf(rows))),
    remove: async (where) => void (await ask('POST', '/delete', { where })),
    async get(filters, limit, offset = 0) {
      const body = { ...present(filters), limit, offset, include: ['metadatas'] }
      const { metadatas } = parse(client, Got, await ask('POST', '/get', body))
      return metadatas.map((metadata) => ({ metadata: metadata ?? {}, distance: undefined }))
    },
    async query(vector, filters, limit) {
      const include = ['metadatas', 'distances']
      const body = { ...present(filters), query_embeddings: [vector], n_results: limit, include }
      const { metadatas, distances } = parse(client, Queried, await ask('POST', '/query', body))
      return (metadatas[0] ?? []).map((metadata, at) => ({
        metadata: metadata ?? {},
        distance: distances[0]?.[at] ?? undefined,
      }))
    },
    async drop() {
      const answer = await client.send('DELETE', `${COLLECTIONS}/${encodeURIComponent(name)}`)
      if (answer.status !== 404) read(client, z.unknown(), answer)
      id = undefined
    },
  }
}

function columnsOf(rows: readonly ChromaRow[]) {
  return {
    ids: rows.map(({ id }) => id),
    embeddings: rows.map(({ embedding }) => embedding),
    documents: rows.map(({ document }) => document),
    metadatas: rows.map(({ metadata }) => metadata),
  }
}

function present({ where, where_document }: Filters): Filters {
  return { ...(where && { where }), ...(where_document && { where_document }) }
}

function read<Value>(client: LoopbackClient, schema: z.ZodType<Value>, answer: LoopbackAnswer): Value {
  if (answer.status < 200 || answer.status > 299) throw client.fault(reasonOf(answer))
  return parse(client, schema, answer.body)
}

function parse<Value>(client: LoopbackClient, schema: z.ZodType<Value>, body: unknown): Value {
  const parsed = schema.safeParse(body)
  if (!parsed.success) throw client.fault('answered in a form that is not known', { cause: parsed.error })
  return parsed.data
}
