import { BUILTIN_BACKENDS, isKeptInFile } from './backend-settings.ts'
import { cutDocument, isNotebook } from './chunk-document.ts'
import { chunksIn } from './cut-document.ts'
import { sharedDigester } from './document-digester.ts'
import { joinVectors, packRows, shareBlocks, type TakeRoom } from './document-rows.ts'
import type { FileText } from './index-digest.ts'
import { STATIC_EMBEDDER } from './index-form.ts'
import type { IndexJob } from './index-job.ts'
import type { PackedDigest } from './index-packed.ts'
import type { Embedder } from './knowledge.ts'
import type { Redact } from './read-notebook.ts'
import { openStaticEmbedder } from './static-embedder.ts'

/** Cuts texts into chunks and gives these what they are found by. */
export type BatchFinisher = (files: readonly FileText[]) => Promise<PackedDigest[]>

/**
 * Opens what a run cuts and embeds documents with, and makes their words with where the index takes them. What few
 * documents and settings need is loaded when one of them comes.
 */
export function openBatchFinisher(job: IndexJob): BatchFinisher {
  const takes_words = isKeptInFile(job)
  let embedder: Embedder | undefined
  let redact: Redact = refuseToRedact
  return async (files) => {
    embedder ??= await openEmbedder(job)
    if (redact === refuseToRedact && files.some(({ path }) => isNotebook(path)))
      redact = await openRedact(job)
    const tools = { embedder, takes_words, redact, takeRoom: shareBlocks(expectBytes(files)) }
    const digests: PackedDigest[] = []
    for (const file of files) digests.push(file.kind === 'text' ? await finish(tools, file) : file)
    return digests
  }
}

async function openEmbedder({ backends = BUILTIN_BACKENDS }: IndexJob): Promise<Embedder> {
  const { embedder } = backends
  if (embedder.kind === 'builtin') return openStaticEmbedder()
  const { openOllamaEmbedder } = await import('./ollama-embedder.ts')
  return openOllamaEmbedder(embedder)
}

/** For texts that are written in another way in a document, and are read only when it is cut. */
async function openRedact({ redact_patterns: patterns, environment }: IndexJob): Promise<Redact> {
  const { createRedactor } = await import('../redaction/redactor.ts')
  const redactor = createRedactor({ patterns, environment })
  return (text) => redactor.redact(text)
}

/** Nothing that would have to be redacted is let through where nobody has seen it coming. */
function refuseToRedact(): never {
  throw new Error('no redactor was opened')
}

/** What a batch becomes takes up about so many times the bytes of its texts, and a little more for each of them. */
const ROWS_FOR_TEXT = 3
const ROWS_FOR_FILE = 1_024

function expectBytes(files: readonly FileText[]): number {
  return files.reduce(
    (sum, file) => sum + (file.kind === 'text' ? file.bytes.length * ROWS_FOR_TEXT + ROWS_FOR_FILE : 0),
    0,
  )
}

interface FinishTools {
  readonly embedder: Embedder
  readonly takes_words: boolean
  readonly redact: Redact
  readonly takeRoom: TakeRoom
}

async function finish(
  { embedder, takes_words, redact, takeRoom }: FinishTools,
  { path, sha256, bytes }: FileText & { kind: 'text' },
): Promise<PackedDigest> {
  const cut = cutSafely(path, bytes, redact)
  if (cut === undefined) return { kind: 'skipped', path, reason: 'failed' }
  const embeds_here = embedder.id === STATIC_EMBEDDER
  const given = embeds_here ? undefined : joinVectors(await embedder.embedChunks(path, chunksIn(cut)))
  const { words, vectors } = sharedDigester().digest(cut, { words: takes_words, vectors: embeds_here })
  const rows = packRows(cut, vectors ?? given ?? new Int8Array(0), words, takeRoom)
  return { kind: 'document', path, document: { path, sha256, rows } }
}

/** One text that cannot be cut is left out and stops nothing. */
function cutSafely(path: string, bytes: Uint8Array, redact: Redact) {
  try {
    return cutDocument(path, bytes, redact)
  } catch {
    return undefined
  }
}
