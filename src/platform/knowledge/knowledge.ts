/** What a piece of knowledge is, for filters: code, its tests, prose, settings, or a collected record. */
export const KNOWLEDGE_KINDS = ['code', 'test', 'doc', 'config', 'record'] as const
export type KnowledgeKind = (typeof KNOWLEDGE_KINDS)[number]

/** Changes when documents are cut, counted or redacted otherwise: an index of another form is made anew. */
export const INDEX_FORM = 8

/** The embedder that comes with the program; changes with its table and with how it counts words. */
export const STATIC_EMBEDDER = 'codevec-128/2'

/** A piece of a document that is found as a whole: a function, a class without its methods, a section. */
export interface Chunk {
  readonly kind: KnowledgeKind
  /** The symbol or the heading; empty where it has none. */
  readonly name: string
  /** Lines of the document, from 1, both included. */
  readonly start_line: number
  readonly end_line: number
  /** Without secrets: redacted before it was cut. */
  readonly text: string
}

/** A document as it enters an index, replacing whatever was there under its path. */
export interface KnowledgeDocument {
  /** Relative to the project, with `/`; a record's is `record:<connection_id>/<stream>/<key>`. */
  readonly path: string
  /** Of the content as it lies on the disk. */
  readonly sha256: string
  readonly chunks: readonly Chunk[]
  /** One for each chunk, from the index's embedder. */
  readonly vectors: readonly Int8Array[]
}

/** Turns text into vectors of equal length 127, so that a dot product is a cosine. */
export interface Embedder {
  /** Names model and form: an index made by another one is made anew. */
  readonly id: string
  readonly dimensions: number
  embedChunks(path: string, chunks: readonly Chunk[]): Promise<Int8Array[]>
  embedQuery(query: string): Promise<Int8Array>
}

/** Which documents a search may show. */
export interface KnowledgeScope {
  /** Beginnings of paths; a document counts when one of them fits. An empty text fits all. */
  readonly prefixes: readonly string[]
  readonly kinds?: readonly KnowledgeKind[]
}

/** One found chunk. */
export interface KnowledgeHit extends Chunk {
  readonly path: string
  readonly score: number
  /**
   * What speaks for it, largest share first, such as `words: retry, backoff`, `symbol: retryLater`,
   * `heading: Guide › Limits`, `vector: 0.61`; then what does not, such as `without: jitter`.
   */
  readonly reasons: readonly string[]
}

/** Where chunks are kept and found. All stores rank alike as far as their means allow. */
export interface KnowledgeStore {
  /** The embedder that its vectors are from; undefined while it is empty. */
  readonly embedder_id: string | undefined
  /** Puts documents in, each replacing the former one of its path, all or none. */
  replaceDocuments(
    embedder: Pick<Embedder, 'id' | 'dimensions'>,
    documents: readonly KnowledgeDocument[],
  ): Promise<void>
  removeDocuments(paths: readonly string[]): Promise<void>
  /** Path to sha256 of all that is in. */
  listDocuments(): Promise<Map<string, string>>
  search(query: string, embedder: Embedder, scope: KnowledgeScope, limit: number): Promise<KnowledgeHit[]>
  clear(): Promise<void>
  close(): Promise<void>
}
