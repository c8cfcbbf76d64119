import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { answerJson, type LoopbackServer, startLoopbackServer } from '../loopback-server.fixture.ts'

const ROOT = '/api/v2/tenants/default_tenant/databases/default_database/collections'

interface Row {
  embedding: number[]
  document: string
  metadata: Record<string, unknown>
}
interface Collection {
  id: string
  name: string
  metadata: Record<string, unknown> | null
  /** From the first row on, and for good. */
  dimension: number | null
  rows: Map<string, Row>
}
type Where = Record<string, unknown>
interface Body {
  name: string
  get_or_create?: boolean
  metadata?: Record<string, unknown>
  new_metadata?: Record<string, unknown>
  ids: string[]
  embeddings: number[][]
  documents: string[]
  metadatas: Record<string, unknown>[]
  query_embeddings: number[][]
  n_results: number
  limit?: number
  offset?: number
  where?: Where
  where_document?: Where
}

class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** As much of Chroma's second API as the store uses, on loopback and in memory; its refusals are Chroma's own. */
export function startChromaDouble(): Promise<LoopbackServer> {
  const all = new Map<string, Collection>()
  return startLoopbackServer(({ method, path, body }, response) => {
    try {
      answerJson(response, 200, answer(all, `${method} ${path.slice(ROOT.length)}`, body as Body))
    } catch (error) {
      refuse(response, error as Refused)
    }
  })
}

function refuse(response: ServerResponse, { status = 500, message }: Refused): void {
  const error = status === 404 ? 'NotFoundError' : 'InvalidArgumentError'
  answerJson(response, status, { error, message })
}

function answer(all: Map<string, Collection>, what: string, body: Body): unknown {
  const [, method = '', place = '', act = ''] = /^(\w+) (?:\/([^/]+))?(?:\/(\w+))?$/.exec(what) ?? []
  if (place === '') return method === 'GET' ? [...all.values()].map(describe) : describe(create(all, body))
  const byName = all.get(place)
  if (method === 'DELETE') return byName ? (all.delete(place), {}) : missing(place)
  const found = [...all.values()].find(({ id }) => id === place) ?? missing(place)
  if (method === 'PUT') found.metadata = body.new_metadata ?? null
  const acts: Record<string, (found: Collection, body: Body) => unknown> = {
    upsert,
    delete: remove,
    get,
    query,
  }
  return acts[act]?.(found, body) ?? {}
}

function missing(place: string): never {
  throw new Refused(404, `Collection [${place}] does not exists`)
}

function create(all: Map<string, Collection>, { name, metadata = undefined }: Body): Collection {
  const known = all.get(name)
  if (known) return known
  const made = {
    id: randomUUID(),
    name,
    metadata: metadata ?? null,
    dimension: null,
    rows: new Map<string, Row>(),
  }
  all.set(name, made)
  return made
}

function describe({ id, name, metadata, dimension }: Collection) {
  return { id, name, metadata, dimension, tenant: 'default_tenant', database: 'default_database' }
}

function checkDimensions(found: Collection, vectors: readonly number[][]): void {
  const known = found.dimension ?? vectors[0]?.length
  for (const { length } of vectors)
    if (length !== known)
      throw new Refused(400, `Collection expecting embedding with dimension of ${known}, got ${length}`)
}

function upsert(found: Collection, { ids, embeddings, documents, metadatas }: Body) {
  checkDimensions(found, embeddings)
  found.dimension ??= embeddings[0]?.length ?? null
  for (const [at, id] of ids.entries())
    found.rows.set(id, {
      embedding: embeddings[at] as number[],
      document: documents[at] as string,
      metadata: metadatas[at] as Row['metadata'],
    })
}

function remove(found: Collection, { where }: Body) {
  for (const [id, row] of found.rows) if (fits(row, where, undefined)) found.rows.delete(id)
}

function get({ rows }: Collection, { where, where_document, limit, offset = 0 }: Body) {
  const fitting = [...rows].filter(([, row]) => fits(row, where, where_document))
  const page = fitting.slice(offset, limit === undefined ? undefined : offset + limit)
  return { ids: page.map(([id]) => id), metadatas: page.map(([, { metadata }]) => metadata) }
}

function query(found: Collection, { where, where_document, query_embeddings, n_results }: Body) {
  checkDimensions(found, query_embeddings)
  const vector = query_embeddings[0] as number[]
  const near = [...found.rows]
    .filter(([, row]) => fits(row, where, where_document))
    .map(([id, row]) => ({ id, ...row, distance: 1 - dot(vector, row.embedding) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, n_results)
  const distances = [near.map(({ distance }) => distance)]
  return { ids: [near.map(({ id }) => id)], metadatas: [near.map(({ metadata }) => metadata)], distances }
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)
}

function fits(row: Row, where: Where | undefined, where_document: Where | undefined): boolean {
  return (!where || hasMetadata(row, where)) && (!where_document || hasWords(row, where_document))
}

function hasMetadata(row: Row, where: Where): boolean {
  return single(where, row, hasMetadata, (key, wanted) => {
    if (typeof wanted !== 'object') return row.metadata[key] === wanted
    const { $in } = wanted as { $in: unknown[] }
    if ($in.length === 0) throw new Refused(400, 'Invalid where clause')
    return $in.includes(row.metadata[key])
  })
}

function hasWords(row: Row, where: Where): boolean {
  return single(where, row, hasWords, (key, wanted) => {
    if (key !== '$contains') throw new Refused(400, 'Invalid where clause')
    return row.document.includes(wanted as string)
  })
}

function single(
  where: Where,
  row: Row,
  again: (row: Row, where: Where) => boolean,
  compare: (key: string, wanted: unknown) => boolean,
): boolean {
  const [[key, wanted] = ['', ''], ...more] = Object.entries(where)
  if (more.length > 0 || key === '') throw new Refused(400, 'Invalid where clause')
  if (key === '$and') return (wanted as Where[]).every((one) => again(row, one))
  if (key === '$or') return (wanted as Where[]).some((one) => again(row, one))
  return compare(key, wanted)
}
