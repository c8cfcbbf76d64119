import type { IndexJob } from '../../../../platform/knowledge/index/index-job.ts'
import { indexPlaceOf } from '../../../../platform/knowledge/index/index-place.ts'
import type { Embedder, KnowledgeStore } from '../../../../platform/knowledge/knowledge.ts'
import { openEmbedderFor, openStoreFor } from '../../../../platform/knowledge/stores/index-backends.ts'

/** Projects whose index is kept open. */
const KEPT_STORES = 4

/** An open index and what its queries are embedded with. */
export interface SearchedIndex {
  readonly store: KnowledgeStore
  readonly embedder: Embedder
}

/** Which project, and what its index is made with. */
export type IndexedProject = Pick<IndexJob, 'project_root' | 'backends'>

interface Kept {
  readonly opening: Promise<SearchedIndex>
  readonly identity: string
  users: number
  is_left: boolean
}

/** Indexes that stay open from search to search; none is closed while one works with it. */
export interface KeptStores {
  /** `identity` changes when another file took the place of the index; then that one is opened. */
  use<Result>(
    project: IndexedProject,
    identity: string,
    work: (index: SearchedIndex) => Promise<Result>,
  ): Promise<Result>
  drop(project_root: string): void
  close(): Promise<void>
}

/** Opens indexes as they are asked for. */
export function keepStores(): KeptStores {
  const kept = new Map<string, Kept>()
  const closings = new Set<Promise<void>>()
  const closeUnused = (one: Kept) => {
    if (!one.is_left || one.users > 0) return
    const closing = one.opening.then(({ store }) => store.close()).catch(() => {})
    closings.add(closing)
    void closing.then(() => closings.delete(closing))
  }
  function drop(project_root: string): void {
    const one = kept.get(project_root)
    kept.delete(project_root)
    if (!one) return
    one.is_left = true
    closeUnused(one)
  }
  function take(project: IndexedProject, identity: string): Kept {
    const { project_root } = project
    if (kept.get(project_root)?.identity !== identity) drop(project_root)
    const one = kept.get(project_root) ?? open(project, identity)
    kept.delete(project_root)
    kept.set(project_root, one)
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT_STORES) break
      drop(oldest)
    }
    return one
  }
  return {
    async use(project, identity, work) {
      const one = take(project, `${identity} ${JSON.stringify(project.backends)}`)
      one.users += 1
      try {
        return await work(await openedIn(one, () => drop(project.project_root)))
      } finally {
        one.users -= 1
        closeUnused(one)
      }
    },
    drop,
    async close() {
      ;[...kept.keys()].forEach(drop)
      await Promise.all(closings)
    },
  }
}

/** One that could not be opened is not kept: the next search tries again. */
function openedIn(one: Kept, forget: () => void): Promise<SearchedIndex> {
  return one.opening.catch((error) => {
    forget()
    throw error
  })
}

function open(project: IndexedProject, identity: string): Kept {
  const opening = openStoreFor(project, indexPlaceOf(project.project_root).index).then((store) => ({
    store,
    embedder: openEmbedderFor(project),
  }))
  opening.catch(() => {})
  return { opening, identity, users: 0, is_left: false }
}
