/** Where Ollama listens unless its owner says otherwise, and a model that it has for this. */
export const OLLAMA_URL = 'http://localhost:11434'
export const OLLAMA_MODEL = 'nomic-embed-text'

/** Where Chroma listens unless its owner says otherwise. */
export const CHROMA_URL = 'http://localhost:8000'

/** What makes vectors for a project's index. */
export type EmbedderSettings =
  | { readonly kind: 'builtin' }
  | { readonly kind: 'ollama'; readonly url: string; readonly model: string }

/** Where a project's index is kept: in its own file, on a Chroma server, or in the hub's PostgreSQL. */
export type StoreSettings =
  | { readonly kind: 'builtin' }
  | { readonly kind: 'chroma'; readonly url: string }
  | { readonly kind: 'hub' }

/** What a project's index is made with, as plain data that goes to another process. */
export interface KnowledgeBackends {
  readonly embedder: EmbedderSettings
  readonly store: StoreSettings
  /** Of the hub, where it runs on PostgreSQL and the index is kept there. */
  readonly database_url?: string
}

/** What comes with the program and needs nothing else. */
export const BUILTIN_BACKENDS: KnowledgeBackends = {
  embedder: { kind: 'builtin' },
  store: { kind: 'builtin' },
}

/** Whether a project's index lies in its own file, and not on a server. */
export function isKeptInFile({
  backends = BUILTIN_BACKENDS,
}: {
  readonly backends?: KnowledgeBackends
}): boolean {
  return backends.store.kind === 'builtin'
}
