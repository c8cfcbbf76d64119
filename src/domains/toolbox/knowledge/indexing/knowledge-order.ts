import type { Hub } from '../../../../operations/hub.ts'
import type { IndexJob, IndexOutcome } from '../../../../platform/knowledge/index/index-job.ts'
import type { KnowledgeBackends } from '../../../../platform/knowledge/stores/backend-settings.ts'
import { findPostgresUrl } from '../../../../platform/storage/open-database.ts'
import type { ProjectPolicy } from '../../policy/project-policy.ts'

/** Tells the indexer from a program that merely imports it. */
export const INDEXER_ARGUMENT = 'index-one-project'

/** What the indexer is told on its input. */
export interface IndexerOrder {
  readonly job: IndexJob
  /** How long to wait for another one at the same project. */
  readonly wait_ms: number
  /** Writes the index to this file, instead of bringing it up to date. */
  readonly export_to?: string
  /** Takes the index from this file first. */
  readonly import_from?: string
}

/** What the indexer says at its end. */
export type IndexerAnswer =
  | { readonly kind: 'done'; readonly outcome: IndexOutcome }
  | { readonly kind: 'exported'; readonly files: number; readonly bytes: number }
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** The job that brings a project's index up to date by the project's own policy. */
export function indexJobOf(
  hub: Pick<Hub, 'home' | 'env'>,
  project_root: string,
  policy: ProjectPolicy,
  more: Pick<IndexJob, 'paths' | 'rebuild'> = {},
): IndexJob {
  const environment = Object.fromEntries(
    Object.entries(hub.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return {
    project_root,
    block_patterns: policy.block_patterns,
    hard_link_stores: policy.hard_link_stores,
    closed_paths: [hub.home.folder],
    redact_patterns: policy.redact_patterns,
    environment,
    backends: backendsOf(hub, policy),
    ...more,
  }
}

/** What a project's index is made with, by the project's own policy. */
export function backendsOf({ env }: Pick<Hub, 'env'>, policy: ProjectPolicy): KnowledgeBackends {
  const { knowledge_embedder: embedder, knowledge_store } = policy
  const url = findPostgresUrl(env)
  const store = knowledge_store ?? { kind: url === undefined ? 'builtin' : 'hub' }
  return { embedder, store, ...(store.kind === 'hub' && url !== undefined && { database_url: url }) }
}
