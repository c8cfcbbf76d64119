import type { LookupFunction } from 'node:net'
import type { Chunk, Embedder } from '../knowledge.ts'
import { type LoopbackClient, type LoopbackLimits, openLoopback, reasonOf } from '../loopback-http.ts'
import { OLLAMA_MODEL, OLLAMA_URL } from '../stores/backend-settings.ts'
import { scaleVector } from './vector-scan.ts'

const SETTING = 'knowledge.embedder.url'
/** A model may have to be loaded first. */
const LIMITS: LoopbackLimits = { timeout_ms: 120_000, answer_bytes: 16 * 1_048_576 }
const BATCH_TEXTS = 32
const BATCH_CHARS = 128_000
/** Models read no more than a few thousand tokens of a text. */
const TEXT_MAX_CHARS = 8_000
const DIMENSIONS_MAX = 8_192
/** Changes with how texts are put to the model: an index of another form is made anew. */
const FORM = 1

/** Which service and which of its models. */
export interface OllamaOptions {
  readonly url?: string
  readonly model?: string
  readonly limits?: LoopbackLimits
  readonly lookup?: LookupFunction
}

/** Models that were trained with a mark before each text, which says what it is for. */
const MARKED_MODELS = /^nomic-embed-text(?:$|[:-])/
const DEFAULT_DIMENSIONS = 768

/** An embedder that asks a local Ollama. Dimensions are the model's own: known once it has answered. */
export function openOllamaEmbedder(options: OllamaOptions = {}): Embedder & { close(): void } {
  const { url = OLLAMA_URL, model = OLLAMA_MODEL, limits = LIMITS, lookup } = options
  const client = openLoopback(SETTING, url, limits, lookup)
  const isMarked = MARKED_MODELS.test(model)
  let dimensions = isMarked ? DEFAULT_DIMENSIONS : 0
  let is_known = false
  const embed = async (texts: readonly string[]): Promise<Int8Array[]> => {
    const vectors: Int8Array[] = []
    for (const input of batchesOf(texts))
      for (const vector of await ask(client, model, input)) {
        if (is_known && vector.length !== dimensions)
          throw client.fault(`gave ${vector.length} dimensions after ${dimensions}`)
        dimensions = vector.length
        is_known = true
        vectors.push(scaleVector(vector))
      }
    return vectors
  }
  return {
    id: `ollama/${model}/${FORM}`,
    get dimensions() {
      return dimensions
    },
    embedChunks: (path, chunks) =>
      embed(chunks.map((chunk) => textOf(isMarked ? 'search_document: ' : '', path, chunk))),
    async embedQuery(query) {
      const [vector] = await embed([`${isMarked ? 'search_query: ' : ''}${query.slice(0, TEXT_MAX_CHARS)}`])
      return vector ?? new Int8Array(dimensions)
    },
    close: () => client.close(),
  }
}

function textOf(mark: string, path: string, { name, text }: Chunk): string {
  return `${mark}${path}\n${name}\n${text}`.slice(0, TEXT_MAX_CHARS)
}

function* batchesOf(texts: readonly string[]): Generator<string[]> {
  let batch: string[] = []
  let chars = 0
  for (const text of texts) {
    if (batch.length >= BATCH_TEXTS || (batch.length > 0 && chars + text.length > BATCH_CHARS)) {
      yield batch
      batch = []
      chars = 0
    }
    batch.push(text)
    chars += text.length
  }
  if (batch.length > 0) yield batch
}

async function ask(client: LoopbackClient, model: string, input: readonly string[]): Promise<number[][]> {
  const answer = await client.send('POST', '/api/embed', { model, input, truncate: true })
  if (answer.status !== 200) throw client.fault(reasonOf(answer))
  const { embeddings } = (answer.body ?? {}) as { embeddings?: unknown }
  if (!Array.isArray(embeddings) || embeddings.length !== input.length)
    throw client.fault('gave not one vector for each text')
  if (!embeddings.every(isVector)) throw client.fault('gave something that is no vector')
  return embeddings
}

function isVector(value: unknown): value is number[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > DIMENSIONS_MAX) return false
  return value.every((one) => typeof one === 'number' && Number.isFinite(one))
}
