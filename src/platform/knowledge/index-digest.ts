import type { SkipReason } from './index-stamp.ts'
import type { KnowledgeDocument } from './knowledge.ts'

/** Files that are to be looked into, by folder. */
export type DigestBatch = readonly FolderFiles[]

/** Files of one folder. */
export interface FolderFiles {
  /** Relative to the project; empty for the project itself. */
  readonly folder: string
  /** Whether so many files of it are to be looked into that it is not gone through anew for each few of them. */
  readonly is_large: boolean
  readonly files: readonly { readonly path: string; readonly known_sha256: string | undefined }[]
}

/** What became of a file: nothing new, left out, or a document for the index. */
export type FileDigest =
  | { readonly kind: 'same'; readonly path: string; readonly sha256: string }
  | { readonly kind: 'skipped'; readonly path: string; readonly reason: SkipReason }
  | { readonly kind: 'document'; readonly path: string; readonly document: KnowledgeDocument }

/** What became of a file that was read: its text is without secrets. */
export type FileText =
  | Exclude<FileDigest, { kind: 'document' }>
  | { readonly kind: 'text'; readonly path: string; readonly sha256: string; readonly bytes: Uint8Array }
