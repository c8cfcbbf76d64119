import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type IndexProject, makeIndexProject } from '../index/index-project.fixture.ts'
import { runIndex } from '../index/index-run.ts'

/** So much later no stamp is in doubt any more. */
const LATER_MS = 3_600_000

const now = () => new Date(Date.now() + LATER_MS)

function runLater({ root: project_root }: IndexProject, redact_patterns: string[] = []) {
  const nothing = { block_patterns: [], hard_link_stores: [], closed_paths: [], environment: {} }
  return runIndex({ project_root, redact_patterns, ...nothing }, { now })
}

test('a run with nothing to do tells the same as the one before', async () => {
  using project = makeIndexProject({ 'a.md': '# Ibis', 'b.md': '# Heron', 'c.bin': 'x\0y' })
  await runLater(project)
  const same = { mode: 'delta', files: 2, embedded: 0, chunks: 0, removed: 0, skipped: { binary: 1 } }
  for (let turn = 0; turn < 3; turn += 1) expect(await runLater(project)).toMatchObject(same)
})

test.each<[string, (project: IndexProject) => void, object]>([
  ['added', ({ write }) => write('d.md', '# Stork'), { files: 3, embedded: 1, removed: 0 }],
  ['removed', ({ remove }) => remove('a.md'), { files: 1, embedded: 0, removed: 1 }],
  [
    'renamed',
    ({ root }) => renameSync(join(root, 'a.md'), join(root, 'd.md')),
    { files: 2, embedded: 1, removed: 1 },
  ],
  [
    'changed with its size and time kept',
    ({ root }) => {
      const path = join(root, 'a.md')
      const { atime, mtime } = statSync(path)
      writeFileSync(path, readFileSync(path, 'utf8').replace('Ibis', 'Swan'))
      utimesSync(path, atime, mtime)
    },
    { files: 2, embedded: 1, removed: 0 },
  ],
])('after which a file that is %s is seen', async (_, change, expected) => {
  using project = makeIndexProject({ 'a.md': '# Ibis', 'b.md': '# Heron' })
  await runLater(project)
  await runLater(project)
  change(project)
  expect(await runLater(project)).toMatchObject(expected)
})

const nothingToDo = { mode: 'delta', files: 2, embedded: 0, removed: 0, warnings: [] }
const madeAnew = { mode: 'full', files: 2 }

test.each<[string, string, string, object]>([
  ['the index', 'rag_index.db', 'no database', madeAnew],
  ['the manifest', 'rag_manifest.json', 'no manifest', madeAnew],
  ['what was kept of the last run', 'rag_glance.bin', '{"met":', nothingToDo],
  ['the rest of what was kept', 'rag_glance.bin', '{}', nothingToDo],
])('damage to %s is not passed over', async (_, name, text, expected) => {
  using project = makeIndexProject({ 'a.md': '# Ibis', 'b.md': '# Heron' })
  await runLater(project)
  expect(await runLater(project)).toMatchObject(nothingToDo)
  writeFileSync(join(project.root, '.flow', name), text)
  const outcome = await runLater(project)
  expect(outcome).toMatchObject(expected)
  expect(outcome.warnings.length > 0).toBe(expected === madeAnew)
})

test('other secrets to be hidden are reason enough for another index', async () => {
  using project = makeIndexProject({ 'a.md': '# Ibis', 'b.md': '# Heron' })
  await runLater(project)
  await runLater(project)
  expect(await runLater(project, ['ibis-...'])).toMatchObject(madeAnew)
})

test('what was kept is believed to the last byte, and not at all with another', async () => {
  using project = makeIndexProject({ 'a.md': '# Ibis', 'docs/b.md': '# Heron', 'c.bin': 'x\0y' })
  const { glance } = project.place
  /** What a run tells that finds something else kept than the truth: 7 files where it believes it. */
  const filesTold = async (change: (kept: Buffer) => Buffer) => {
    rmSync(glance, { force: true })
    await runLater(project)
    const kept = readFileSync(glance, 'latin1').replace('"files":2', '"files":7')
    writeFileSync(glance, change(Buffer.from(kept, 'latin1')))
    return (await runLater(project)).files
  }
  expect(await filesTold((kept) => kept)).toBe(7)
  const kept = readFileSync(glance)
  const record_bytes = kept.length - kept.indexOf('\n') - 1
  expect(record_bytes).toBeGreaterThan(100)
  for (let place = 0; place < record_bytes; place += 3)
    expect(await filesTold((whole) => flipByte(whole, place)), `byte ${place}`).toBe(2)
  expect(await filesTold((whole) => whole.subarray(0, -1))).toBe(2)
  expect(await filesTold((whole) => Buffer.concat([whole, Buffer.from('\n')]))).toBe(2)
  expect(await filesTold(asCapped)).toBe(2)
}, 30_000)

function flipByte(kept: Buffer, place: number): Buffer {
  const at = kept.indexOf('\n') + 1 + place
  kept[at] = (kept[at] as number) ^ 1
  return kept
}

function asCapped(kept: Buffer): Buffer {
  return Buffer.from(kept.toString('latin1').replace('"capped":false', '"capped":true'), 'latin1')
}

test('what is kept of a run does not tell a pattern, and another one makes it count for nothing', async () => {
  using project = makeIndexProject({ 'a.md': '# Ibis of the harbour', 'b.md': '# Heron' })
  const kept = () => readFileSync(join(project.root, '.flow', 'rag_glance.bin'), 'latin1')
  await runLater(project, ['harbour'])
  expect(kept()).not.toContain('harbour')
  const before = kept()
  expect(await runLater(project, ['harbour'])).toMatchObject({ mode: 'delta', embedded: 0 })
  expect(kept()).toBe(before)
  await runLater(project, ['harbours'])
  expect(kept()).not.toBe(before)
})
