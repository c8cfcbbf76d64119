import { hash } from 'node:crypto'
import type { ChromaRow, FoundRow } from './chroma-collection.ts'
import { foldersOf } from './chroma-scope.ts'
import { type ChunkTerms, hashStem, packCounts, readTerms, renderStems, unpackCounts } from './chunk-terms.ts'
import { type Chunk, KNOWLEDGE_KINDS, type KnowledgeDocument } from './knowledge.ts'
import type { Candidate } from './rank-candidates.ts'
import { VECTOR_LENGTH } from './scale-vector.ts'
import type { UnderstoodQuery } from './understand-query.ts'

/** The rows of a document's chunks. Chroma looks for words in the stems; the text itself is carried along. */
export function rowsOf({ path, chunks, vectors }: KnowledgeDocument): ChromaRow[] {
  const terms = readTerms(path, chunks)
  return chunks.map((chunk, at) => {
    const found = terms[at] as ChunkTerms
    return {
      id: `${idOf(path)}:${at}`,
      embedding: [...(vectors[at] as Int8Array)],
      document: documentOf(found),
      metadata: {
        ...foldersOf(path),
        path,
        kind: chunk.kind,
        name: chunk.name,
        start_line: chunk.start_line,
        end_line: chunk.end_line,
        text: chunk.text,
        counts: Buffer.from(packCounts(found)).toString('base64'),
        length: found.body.length,
      },
    }
  })
}

/** Under which a path is known: any text may be one. */
export function idOf(path: string): string {
  return hash('sha256', path).slice(0, 40)
}

/** Each stem between blanks, so that none is found within another, and a mark between the fields. */
function documentOf({ body, name, owner, path }: ChunkTerms): string {
  return [body, name, owner, path].map((stems) => ` ${renderStems(stems)}`).join('|')
}

/** What was found, as it is ranked; nothing for a row that is not of this form. */
export function candidateOf({ metadata, distance }: FoundRow, query: UnderstoodQuery): Candidate[] {
  const { path, kind, name, start_line, end_line, text, counts, length } = metadata as Partial<Stored>
  if (typeof path !== 'string' || typeof text !== 'string' || typeof counts !== 'string') return []
  if (!KNOWLEDGE_KINDS.includes(kind as Chunk['kind'])) return []
  const hashes = query.terms.map(({ stem }) => hashStem(stem))
  return [
    {
      path,
      kind: kind as Chunk['kind'],
      name: String(name ?? ''),
      start_line: Number(start_line),
      end_line: Number(end_line),
      text,
      counts: unpackCounts(Buffer.from(counts, 'base64'), hashes),
      length: Number(length),
      cosine: query.form === 'open' && distance !== undefined ? (1 - distance) / VECTOR_LENGTH ** 2 : 0,
    },
  ]
}

type Stored = Chunk & { path: string; counts: string; length: number }
