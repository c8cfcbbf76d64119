import { hash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { takeProcessLock } from '../../src/domains/toolbox/process-lock.ts'
import { indexPlaceOf } from '../../src/platform/knowledge/index/index-place.ts'
import { verifies } from '../requirements/verifies.ts'
import { type KnowledgeHub, startKnowledgeHub, until } from './knowledge-project.fixture.ts'

/** Runs of the indexer are processes of their own, which a busy machine takes its time for. */
const SLOW = { timeout: 120_000 }
const FILES = 2_000

async function statusOf(hub: KnowledgeHub): Promise<{ state: string; error: string | null; bytes: number }> {
  return (await hub.knowledge('status')) as never
}

async function codeOf(hub: KnowledgeHub, query = 'heron'): Promise<string> {
  return hub.codeOf('direct', 'search_knowledge', { query })
}

/** A hub beside a project with one note in its index. */
async function startWithNote(): Promise<KnowledgeHub> {
  const hub = await startKnowledgeHub()
  hub.project.write('docs/heron.md', '# Heron\n\nThe heron waits by the water.\n')
  await hub.knowledge('index')
  return hub
}

async function expectFoundAgain(hub: KnowledgeHub): Promise<void> {
  await until(async () => {
    const { results, warning } = await hub.search('heron')
    return warning === undefined && results.some(({ path }) => path.endsWith('docs/heron.md'))
  }, 'the heron is found again')
}

describe('in the place of the index', SLOW, () => {
  test('a link is taken away, and what it leads to is not touched', async () => {
    await using hub = await startWithNote()
    const { index, manifest } = indexPlaceOf(hub.project.root)
    const [note, database] = [join(hub.project.base, 'note.txt'), join(hub.project.base, 'other.db')]
    writeFileSync(note, 'mine', { mode: 0o644 })
    const db = new BetterSqlite(database)
    db.exec('CREATE TABLE mine (x)')
    db.close()
    for (const target of [note, database, join(hub.project.base, 'none.db')]) {
      const before = existsSync(target) ? [statSync(target).mode, readFileSync(target)] : undefined
      for (const path of [index, manifest]) rmSync(path, { force: true })
      symlinkSync(target, index)
      const told = await hub.knowledge('index')
      expect(told.warnings, target).toEqual([
        'In the place of the index was something else. It was taken away, and the index is made anew.',
      ])
      expect(lstatSync(index).isFile()).toBe(true)
      expect(existsSync(target) ? [statSync(target).mode, readFileSync(target)] : undefined).toEqual(before)
    }
  })

  verifies('TOOL-114', 'a folder, or an empty file, is told of as a base being built', async () => {
    const obstacles = [
      (index: string) => {
        rmSync(index)
        mkdirSync(join(index, 'x'), { recursive: true })
      },
      (index: string) => mkdirSync(join(`${index}-wal`, 'x'), { recursive: true }),
      (index: string) => truncateSync(index, 0),
    ]
    for (const put of obstacles) {
      await using hub = await startWithNote()
      put(indexPlaceOf(hub.project.root).index)
      expect((await hub.search('heron')).warning).toBe('Knowledge Base Building...')
      await expectFoundAgain(hub)
    }
  })

  test('folders where notes of a run belong stop no run', async () => {
    await using hub = await startWithNote()
    const { glance, progress, skipped } = indexPlaceOf(hub.project.root)
    for (const path of [glance, progress, skipped]) {
      rmSync(path, { force: true })
      mkdirSync(join(path, 'x'), { recursive: true })
    }
    hub.project.write('docs/new.md', '# New\n')
    expect((await hub.knowledge('index')).embedded).toBe(1)
    expect((await statusOf(hub)).state).toBe('ready')
  })
})

describe('an index that cannot be used', SLOW, () => {
  test('because it is damaged is said to be so by its status', async () => {
    await using hub = await startWithNote()
    const { index } = indexPlaceOf(hub.project.root)
    expect(await statusOf(hub)).toMatchObject({ state: 'ready', error: null })
    const sound = readFileSync(index)
    const damages = [
      (bytes: Buffer) => bytes.fill(0x41, 0, 64),
      (bytes: Buffer) => bytes.fill(0xff, 3 * 8_192, 7 * 8_192),
      (bytes: Buffer) => bytes.subarray(0, 20_000),
    ]
    for (const damage of damages) {
      writeFileSync(index, damage(Buffer.from(sound)))
      const { state, error } = await statusOf(hub)
      expect(state).toBe('damaged')
      expect(error).toContain('knowtation knowledge index --rebuild')
    }
    expect((await hub.knowledge('index', '--rebuild')).mode).toBe('full')
    expect(await statusOf(hub)).toMatchObject({ state: 'ready', error: null })
  })

  test('because another program holds it is no fault of the tool', async () => {
    await using hub = await startWithNote()
    const { index } = indexPlaceOf(hub.project.root)
    const holder = new BetterSqlite(index)
    holder.pragma('locking_mode = EXCLUSIVE')
    holder.exec('BEGIN IMMEDIATE; CREATE TABLE held (x); DROP TABLE held; COMMIT')
    expect((await statusOf(hub)).state).toBe('unusable')
    expect(await codeOf(hub)).toBe('IOError')
    holder.close()
    await expectFoundAgain(hub)
  })

  test('because it is just being made anew is told of as that', async () => {
    await using hub = await startWithNote()
    const { index, manifest, lock } = indexPlaceOf(hub.project.root)
    const run = takeProcessLock(lock, () => new Date())
    const holder = new BetterSqlite(index)
    holder.pragma('locking_mode = EXCLUSIVE')
    holder.exec('BEGIN IMMEDIATE; CREATE TABLE held (x); DROP TABLE held; COMMIT')
    expect(await codeOf(hub)).toBe('IOError')
    rmSync(manifest)
    expect((await hub.search('heron')).warning).toBe('Knowledge Base Building...')
    holder.close()
    run?.release()
    await expectFoundAgain(hub)
  })

  test('because the run that makes it was killed is told of, until the next one', async () => {
    await using hub = await startKnowledgeHub()
    for (let at = 0; at < FILES; at += 1) hub.project.write(`docs/n${at}.md`, `# Note ${at}\n`)
    const { lock } = indexPlaceOf(hub.project.root)
    expect((await hub.search('heron')).warning).toBe('Knowledge Base Building...')
    await until(() => existsSync(lock) && readFileSync(lock, 'utf8') !== '', 'a run has begun')
    process.kill(JSON.parse(readFileSync(lock, 'utf8')).pid, 'SIGKILL')
    await until(async () => (await codeOf(hub, 'qqqqzzzz')) === 'IOError', 'the failure is told of')
    await until(async () => (await codeOf(hub, 'qqqqzzzz')) === 'success', 'the next run is under way')
    await hub.settled()
  })
})

describe('rows that no indexer has written', SLOW, () => {
  const CHANGES = [
    "UPDATE chunks SET vector = 'text'",
    'UPDATE chunks SET vector = zeroblob(2000000)',
    "UPDATE chunks SET counts = 'text'",
    "UPDATE chunks SET kind = 'abc'",
    'UPDATE chunks SET kind = 99',
    "UPDATE chunks SET start_line = 'abc'",
    "UPDATE chunks SET text = x'ff00ff', name = x'00'",
  ]

  test('make a bundle a damaged one, however well its digest fits', async () => {
    await using hub = await startWithNote()
    const file = join(hub.project.base, 'good.rag')
    await hub.knowledge('export', file)
    const unfitting = [
      'UPDATE chunks SET length = -1',
      "UPDATE chunks SET vector = x''",
      'UPDATE chunks SET id = id + 99999',
      'UPDATE documents SET chunk_count = chunk_count + 1',
      'UPDATE chunks SET end_line = start_line - 1',
      'UPDATE chunks SET document_id = document_id + 99999',
      'DELETE FROM chunks',
      "UPDATE facts SET value = '0' WHERE name = 'last_chunk'",
      "UPDATE facts SET value = 'many' WHERE name = 'last_chunk'",
      "DELETE FROM facts WHERE name = 'last_chunk'",
    ]
    for (const [at, sql] of [...CHANGES, ...unfitting].entries()) {
      const bad = join(hub.project.base, `bad${at}.rag`)
      writeFileSync(bad, readFileSync(file))
      changeRows(bad, sql)
      expect(await hub.knowledge('import', bad), sql).toMatchObject({
        error: 'The file is damaged.',
        code: 'knowledge_refused',
      })
    }
    expect(await hub.knowledge('import', file)).toMatchObject({ mode: 'delta', embedded: 0 })
  })

  test('make an index be made anew', async () => {
    for (const sql of CHANGES) {
      await using hub = await startWithNote()
      const db = new BetterSqlite(indexPlaceOf(hub.project.root).index)
      db.exec(sql)
      db.close()
      expect((await hub.search('heron')).warning, sql).toBe('Knowledge Base Building...')
      await expectFoundAgain(hub)
    }
  })
})

describe('a bundle', SLOW, () => {
  test('that is not there, or has another name, is told of in words', async () => {
    await using hub = await startWithNote()
    const text = join(hub.project.base, 'a.txt')
    writeFileSync(text, 'x')
    const missing = { error: 'There is no such file.', code: 'knowledge_refused' }
    for (const path of ['none', 'none.rag', join(hub.project.base, 'none')])
      expect(await hub.knowledge('import', path)).toMatchObject(missing)
    expect(await hub.knowledge('import', text)).toMatchObject({
      error: 'from must be the whole path of a file whose name ends with .rag.',
      code: 'BAD_REQUEST',
    })
    expect(await hub.knowledge('export', join(hub.project.base, 'b.txt'))).toMatchObject({
      error: 'out must be the whole path of a file whose name ends with .rag.',
      code: 'BAD_REQUEST',
    })
  })
})

/** Changes a bundle and writes the digest that fits the change, as anyone could. */
function changeRows(file: string, sql: string): void {
  const db = new BetterSqlite(file)
  db.exec(sql)
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1",
    )
    .pluck()
    .all() as string[]
  const parts: Buffer[] = []
  for (const table of tables.filter((name) => name !== 'rag_about')) {
    parts.push(Buffer.from(`\0${table}\0`))
    for (const row of db.prepare(`SELECT * FROM "${table}" ORDER BY 1, 2`).raw().all() as unknown[][])
      for (const value of row) parts.push(Buffer.isBuffer(value) ? value : Buffer.from(`\0${String(value)}`))
  }
  const digest = hash('sha256', Buffer.concat(parts))
  db.prepare("UPDATE rag_about SET value = ? WHERE key = 'content'").run(digest)
  db.close()
}
