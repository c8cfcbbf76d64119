import type { Transaction } from '../storage/database.ts'
import type { Embedder, KnowledgeDocument, KnowledgeStore } from './knowledge.ts'

/** How far the records of a stream are in the index. */
export interface RecordCursor {
  readonly connection_id: string
  readonly stream: string
  readonly seq: number
}

/** A step as it goes into the index. */
export interface IndexedStep extends RecordCursor {
  readonly after: number
  readonly documents: readonly KnowledgeDocument[]
  readonly gone: readonly string[]
}

/** Where a hub's index of records lies. All changes are made within a transaction of the hub. */
export interface RecordPlace {
  readonly store: Pick<KnowledgeStore, 'search' | 'listDocuments'>
  listCursors(): Promise<RecordCursor[]>
  /** Takes a step in, where the connection is still there and the index is where the step begins; says whether. */
  apply(tx: Transaction, embedder: Embedder, step: IndexedStep): Promise<boolean>
  /** Takes out all that is in of a connection. */
  erase(tx: Transaction, connection_id: string): Promise<void>
  close(): Promise<void>
}
