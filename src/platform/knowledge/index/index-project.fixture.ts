import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openEmbeddedStore } from '../stores/embedded/embedded-store.ts'
import { openStaticEmbedder } from '../vectors/static-embedder.ts'
import type { IndexJob, IndexOutcome, RunTools } from './index-job.ts'
import { type IndexPlace, indexPlaceOf } from './index-place.ts'
import { runIndex } from './index-run.ts'

/** A project in a temporary folder, and its index. */
export interface IndexProject extends Disposable {
  readonly root: string
  readonly place: IndexPlace
  write(path: string, content: string | Buffer): void
  remove(path: string): void
  run(more?: Partial<IndexJob>, onProgress?: RunTools['onProgress']): Promise<IndexOutcome>
  /** What the last run left out, by path. */
  readonly skipped: Map<string, string>
  manifest(): Record<string, string>
  /** What a manifest of these files has to say. */
  hashes(...paths: string[]): Record<string, string>
  /** Paths that a search over all of the project finds. */
  find(query: string, limit?: number): Promise<string[]>
}

/** Makes a project with these files. */
export function makeIndexProject(files: Readonly<Record<string, string>> = {}): IndexProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'knowtation-index-')))
  const place = indexPlaceOf(root)
  const skipped = new Map<string, string>()
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  for (const [path, content] of Object.entries(files)) write(path, content)
  return {
    root,
    place,
    write,
    skipped,
    remove: (path) => rmSync(join(root, path), { recursive: true, force: true }),
    async run(more = {}, onProgress = () => {}) {
      skipped.clear()
      const nothing = { block_patterns: [], hard_link_stores: [], closed_paths: [], redact_patterns: [] }
      const onSkipped = (path: string, reason: string) => void skipped.set(path, reason)
      return runIndex(
        { project_root: root, environment: {}, ...nothing, ...more },
        { now: () => new Date(), onSkipped, onProgress },
      )
    },
    manifest: () => JSON.parse(readFileSync(place.manifest, 'utf8')),
    hashes: (...paths) =>
      Object.fromEntries(paths.map((path) => [path, hash('sha256', readFileSync(join(root, path)))])),
    async find(query, limit = 50) {
      const store = openEmbeddedStore(place.index)
      const hits = await store.search(query, openStaticEmbedder(), { prefixes: [''] }, limit)
      await store.close()
      return [...new Set(hits.map(({ path }) => path))]
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}
