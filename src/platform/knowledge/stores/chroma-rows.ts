import { hash } from 'node:crypto'
import { type Chunk, KNOWLEDGE_KINDS, type KnowledgeDocument, type KnowledgeScope } from '../knowledge.ts'
import type { Candidate } from '../ranking/rank-candidates.ts'
import type { UnderstoodQuery } from '../ranking/understand-query.ts'
import { VECTOR_LENGTH } from '../vectors/vector-scan.ts'
import { type ChunkTerms, packCounts, readCounts, readTerms, stemsIn } from '../words/chunk-terms.ts'
import type { ChromaMetadata, ChromaRow, ChromaWhere, FoundRow } from './chroma-collection.ts'

/** Folders that are told apart; what lies deeper is found by the last of them, and looked at again after. */
const DEPTH_MAX = 24

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
function documentOf(terms: ChunkTerms): string {
  const { body, name, owner, path } = terms
  return [body, name, owner, path].map((field) => ` ${stemsIn(terms, field).join(' ')} `).join('|')
}

/** What was found, as it is ranked; nothing for a row that is not of this form. */
export function candidateOf({ metadata, distance }: FoundRow, query: UnderstoodQuery): Candidate[] {
  const { path, kind, name, start_line, end_line, text, counts, length } = metadata as Partial<Stored>
  if (typeof path !== 'string' || typeof text !== 'string' || typeof counts !== 'string') return []
  if (!KNOWLEDGE_KINDS.includes(kind as Chunk['kind'])) return []
  return [
    {
      path,
      kind: kind as Chunk['kind'],
      name: String(name ?? ''),
      start_line: Number(start_line),
      end_line: Number(end_line),
      text,
      ...readCounts(Buffer.from(counts, 'base64'), query.terms),
      length: Number(length),
      cosine: query.form === 'open' && distance !== undefined ? (1 - distance) / VECTOR_LENGTH ** 2 : 0,
    },
  ]
}

type Stored = Chunk & { path: string; counts: string; length: number }

/** The folders of a path as Chroma can compare them: it knows equal texts, and no beginnings of texts. */
function foldersOf(path: string): ChromaMetadata {
  const folders: Record<string, string> = {}
  let end = path.indexOf('/')
  for (let depth = 1; end !== -1 && depth <= DEPTH_MAX; depth++) {
    folders[`in_${depth}`] = path.slice(0, end + 1)
    end = path.indexOf('/', end + 1)
  }
  return folders
}

/** A scope in Chroma's words; undefined where all is meant. */
export function whereOf({ prefixes, kinds }: KnowledgeScope): ChromaWhere | undefined {
  const places = prefixes.includes('') ? [] : [anyOf(prefixes.map(placeOf))]
  return allOf([...places, ...(kinds ? [{ kind: { $in: [...kinds] } }] : [])])
}

/** Whether a path is in a scope. */
export function isInScope(path: string, { prefixes }: KnowledgeScope): boolean {
  return prefixes.some((prefix) => path.startsWith(prefix))
}

function placeOf(prefix: string): ChromaWhere {
  if (!prefix.endsWith('/')) return { path: prefix }
  const parts = prefix.split('/')
  const depth = Math.min(parts.length - 1, DEPTH_MAX)
  return { [`in_${depth}`]: `${parts.slice(0, depth).join('/')}/` }
}

/** One of the conditions. There has to be one. */
export function anyOf(conditions: readonly ChromaWhere[]): ChromaWhere {
  return conditions.length === 1 ? (conditions[0] as ChromaWhere) : { $or: conditions }
}

function allOf(conditions: readonly ChromaWhere[]): ChromaWhere | undefined {
  return conditions.length > 1 ? { $and: conditions } : conditions[0]
}
