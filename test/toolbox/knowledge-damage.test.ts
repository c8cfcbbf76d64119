import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import BetterSqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import {
  INDEXER_ARGUMENT,
  type IndexerOrder,
} from '../../src/domains/toolbox/knowledge/indexing/knowledge-order.ts'
import { findProgress } from '../../src/domains/toolbox/knowledge/indexing/knowledge-state.ts'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { indexPlaceOf } from '../../src/platform/knowledge/index/index-place.ts'
import { type KnowledgeHub, sha256Of, startKnowledgeHub, until } from './knowledge-project.fixture.ts'

const INDEXER = join(PACKAGE_FOLDER, 'src/domains/toolbox/knowledge/indexing/knowledge-indexer.ts')
const FILES = 3_000

function orderFor(project_root: string): IndexerOrder {
  const nothing = { block_patterns: [], hard_link_stores: [], closed_paths: [], redact_patterns: [] }
  return { job: { project_root, environment: {}, ...nothing }, wait_ms: 0 }
}

function startIndexer(project_root: string) {
  const child = spawn(process.execPath, [INDEXER, INDEXER_ARGUMENT], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(orderFor(project_root)))
  return child
}

function countDocuments(index: string): number {
  if (!existsSync(index)) return 0
  const db = new BetterSqlite(index, { readonly: true })
  try {
    return db.prepare('SELECT count(*) FROM documents').pluck().get() as number
  } catch {
    return 0
  } finally {
    db.close()
  }
}

function expectManifestIsTrue({ manifest, project }: KnowledgeHub): void {
  const entries = Object.entries(manifest())
  expect(entries.length).toBeGreaterThan(0)
  for (const [path, sha256] of entries) expect(sha256, path).toBe(sha256Of(join(project.root, path)))
}

describe('a run that is killed', () => {
  test('is gone on with where it was, and nothing is embedded twice', async () => {
    await using hub = await startKnowledgeHub()
    const { root } = hub.project
    // So many parts that they are put into the index in several steps.
    const parts = Array.from({ length: 20 }, (_, at) => `## Part ${at}\n\nAn ibis.\n`).join('\n')
    for (let at = 0; at < FILES; at += 1) hub.project.write(`docs/n${at}.md`, `# Note ${at}\n\n${parts}`)
    const { index, manifest, progress } = indexPlaceOf(root)
    const killed = startIndexer(root)
    await until(() => countDocuments(index) > 0, 'something is in the index')
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const done = countDocuments(index)
    expect(done).toBeLessThan(FILES)
    expect(existsSync(manifest)).toBe(false)
    expect(findProgress(progress)).toMatchObject({
      state: 'running',
      mode: 'full',
      files_total: expect.any(Number),
    })
    const again = await hub.knowledge('index')
    expect(again).toMatchObject({ mode: 'full', warnings: [] })
    expect(again.embedded).toBe(again.files - done)
    expectManifestIsTrue(hub)
  }, 120_000)

  test('is the only one at a time', async () => {
    await using hub = await startKnowledgeHub()
    for (let at = 0; at < FILES; at += 1) hub.project.write(`docs/n${at}.md`, `# Note ${at}\n`)
    const answers = await Promise.all(
      [1, 2, 3].map(async () => JSON.parse(await text(startIndexer(hub.project.root).stdout))),
    )
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['busy', 'busy', 'done'])
    expectManifestIsTrue(hub)
  }, 120_000)
})

describe('an index that is damaged', () => {
  test('in the midst of its pages never stops a search', async () => {
    await using hub = await startKnowledgeHub()
    for (let at = 0; at < 200; at += 1)
      hub.project.write(`docs/n${at}.md`, `# Note ${at}\n\nA heron of ${at}.\n`)
    await hub.knowledge('index')
    const { index } = indexPlaceOf(hub.project.root)
    const bytes = readFileSync(index)
    bytes.fill(0xff, 8_192, bytes.length - 4_096)
    writeFileSync(index, bytes)
    const { warning } = await hub.search('heron')
    expect(warning).toBe('Knowledge Base Building...')
    await until(async () => (await hub.search('heron')).results.length === 5, 'herons are found again')
    expectManifestIsTrue(hub)
  })
})

describe('an exported index', () => {
  test('that is damaged, foreign or none is refused, and nothing is changed', async () => {
    await using hub = await startKnowledgeHub()
    await hub.knowledge('index')
    const { base, root } = hub.project
    const file = join(base, 'good.rag')
    await hub.knowledge('export', file)
    const make = (name: string, change: (path: string) => void) => {
      const path = join(base, name)
      copyFileSync(file, path)
      change(path)
      return path
    }
    const inDatabase = (name: string, sql: string) =>
      make(name, (path) => {
        const db = new BetterSqlite(path)
        db.exec(sql)
        db.close()
      })
    const bad = [
      make('cut.rag', (path) => truncateSync(path, 9_000)),
      make('long.rag', (path) => writeFileSync(path, 'more', { flag: 'a' })),
      make('text.rag', (path) => writeFileSync(path, 'no database')),
      inDatabase('foreign.rag', "UPDATE rag_about SET value = 'x' WHERE key = 'fingerprint'"),
      inDatabase('row.rag', "UPDATE documents SET sha256 = 'x'"),
      inDatabase('text-of-a-row.rag', "UPDATE chunks SET text = 'planted'"),
      inDatabase('trigger.rag', 'CREATE TRIGGER t AFTER INSERT ON chunks BEGIN DELETE FROM documents; END'),
      inDatabase(
        'hidden-trigger.rag',
        "CREATE TRIGGER rag_t AFTER INSERT ON chunks BEGIN UPDATE chunks SET text = 'planted'; END",
      ),
      inDatabase('hidden-view.rag', 'CREATE VIEW rag_state AS SELECT name AS key, value FROM facts'),
      inDatabase('no-bundle.rag', 'DROP TABLE rag_about'),
      join(base, 'missing.rag'),
    ]
    const before = sha256Of(indexPlaceOf(root).manifest)
    for (const path of bad) {
      expect((await hub.knowledge('import', path)).code, path).toBe('knowledge_refused')
      expect(sha256Of(indexPlaceOf(root).manifest)).toBe(before)
    }
    expect(await hub.knowledge('import', file)).toMatchObject({ mode: 'delta', embedded: 0 })
  }, 60_000)

  test('holds no stamps of files and only its owner reads it', async () => {
    await using hub = await startKnowledgeHub()
    await hub.knowledge('index')
    const file = join(hub.project.base, 'one.rag')
    await hub.knowledge('export', file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const db = new BetterSqlite(file, { readonly: true })
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE name LIKE 'rag%'").pluck().all()
    const manifest = Object.fromEntries(
      db.prepare('SELECT path, sha256 FROM rag_manifest').raw().all() as [string, string][],
    )
    db.close()
    expect(tables.toSorted()).toEqual(['rag_about', 'rag_manifest'])
    expect(manifest).toEqual(hub.manifest())
  })
})
