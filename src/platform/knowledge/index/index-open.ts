import { hash } from 'node:crypto'
import { type Embedder, INDEX_FORM, type KnowledgeStore } from '../knowledge.ts'
import { isKeptInFile } from '../stores/backend-settings.ts'
import { IndexDamaged } from '../stores/embedded/damaged-index.ts'
import { hasEmbeddedIndex, openEmbedderFor, openStoreFor } from '../stores/index-backends.ts'
import type { IndexJob } from './index-job.ts'
import { type IndexLedger, openLedger } from './index-ledger.ts'
import { hasPlainFiles, type IndexPlace, makePrivate, removeIndexFiles } from './index-place.ts'
import { type ManifestState, parseManifest, readManifest } from './manifest.ts'

/** The state under which the ledger keeps what the index was made with. */
export const FINGERPRINT = 'fingerprint'
/** The state under which the ledger keeps the revision of the manifest that was written last. */
export const MANIFEST_REVISION = 'manifest'

/** The state under which the ledger keeps whether the last run came to its end: then it knows all that is in. */
export const IS_WHOLE = 'whole'

const WAS_DAMAGED = 'The index was damaged and is made anew.'

/** An index that is ready to be worked on, and what had to be done for that. */
export interface OpenIndex {
  readonly store: KnowledgeStore
  readonly ledger: IndexLedger
  readonly embedder: Embedder
  readonly mode: 'full' | 'delta'
  /** The text of the manifest, where it is the one that was written last. */
  readonly manifest: string | undefined
  readonly warnings: readonly string[]
  close(): Promise<void>
}

/** Opens a project's index; one that cannot be believed, or was made otherwise, is emptied. */
export async function openIndex(job: IndexJob, place: IndexPlace): Promise<OpenIndex> {
  const warnings: string[] = job.rebuild === 'damaged' ? [WAS_DAMAGED] : []
  if (job.rebuild) removeIndexFiles(place)
  if (!hasPlainFiles(place.index)) {
    warnings.push(
      'In the place of the index was something else. It was taken away, and the index is made anew.',
    )
    removeIndexFiles(place)
  }
  const parts = await openParts(job, place, warnings)
  try {
    const isKept = await keepOrClear(job, parts, warnings)
    const state = readManifest(place.manifest)
    const manifest = isKept ? findBelieved(state, parts.ledger, warnings) : undefined
    return { ...parts, mode: manifest === undefined ? 'full' : 'delta', manifest, warnings }
  } catch (error) {
    await parts.close()
    throw error
  }
}

type Parts = Pick<OpenIndex, 'store' | 'ledger' | 'embedder' | 'close'>

async function openParts(job: IndexJob, place: IndexPlace, warnings: string[]): Promise<Parts> {
  try {
    return await connect(job, place)
  } catch (error) {
    if (!isDamage(error)) throw error
    warnings.push(WAS_DAMAGED)
    removeIndexFiles(place)
    return connect(job, place)
  }
}

async function connect(job: IndexJob, place: IndexPlace): Promise<Parts> {
  const { index } = place
  // What was kept here before is of no use to an index that is kept elsewhere.
  if (!isKeptInFile(job) && hasEmbeddedIndex(index)) removeIndexFiles(place)
  makePrivate(index)
  const store = await openStoreFor(job, index)
  try {
    const ledger = openLedger(index)
    const close = async () => {
      ledger.close()
      await store.close()
    }
    return { store, ledger, embedder: openEmbedderFor(job), close }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Whether the error says that an index file is broken. */
export function isDamage(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return error instanceof IndexDamaged || (typeof code === 'string' && /^SQLITE_(CORRUPT|NOTADB)/.test(code))
}

/** An index of another embedder, or with other secrets redacted, is of no use. */
async function keepOrClear(job: IndexJob, { store, ledger, embedder }: Parts, warnings: string[]) {
  const fingerprint = fingerprintOf(job)
  const known = ledger.readState(FINGERPRINT)
  const isForeign = store.embedder_id !== undefined && store.embedder_id !== embedder.id
  if (!isForeign && known === fingerprint) return true
  const isEmpty = store.embedder_id === undefined && known === undefined
  if (!isEmpty) warnings.push('The index was made otherwise and is made anew.')
  await store.clear()
  ledger.clear()
  ledger.writeState(FINGERPRINT, fingerprint)
  return false
}

/** Names everything that what is in an index depends on, beside the files. */
export function fingerprintOf(job: IndexJob): string {
  const made_with = [INDEX_FORM, openEmbedderFor(job).id, job.redact_patterns]
  return hash('sha256', JSON.stringify(isKeptInFile(job) ? made_with : [...made_with, job.backends?.store]))
}

/** A manifest of somebody else's making is believed only as far as it can be read: the index itself tells the rest. */
function findBelieved(state: ManifestState, ledger: IndexLedger, warnings: string[]): string | undefined {
  if (state.kind === 'missing') return undefined
  if (state.kind === 'present' && state.revision === ledger.readState(MANIFEST_REVISION)) return state.text
  if (state.kind === 'present' && parseManifest(state.text) !== undefined) {
    warnings.push('The manifest was not the one of this index and is written anew.')
    return ''
  }
  warnings.push('The manifest was damaged and is made anew.')
  return undefined
}
