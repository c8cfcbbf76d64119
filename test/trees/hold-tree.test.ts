import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TreeUnsound } from '../../src/platform/trees/folder-chain.ts'
import { type HeldTree, holdTree, TreeBusy, TreeGivenUp } from '../../src/platform/trees/hold-tree.ts'

const ENTRY = join(import.meta.dirname, '../../src/platform/trees/hold-tree.ts')
const SHORT_MS = 150
const signal = new AbortController().signal

let folder: string
let held: HeldTree[]
let children: ChildProcess[]

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hold-tree-')))
  held = []
  children = []
  for (let n = 0; n < 8; n++)
    mkdirSync(join(folder, 'project', 'services', `s${n}`, 'src'), { recursive: true })
})
afterEach(() => {
  for (const tree of held) tree.release()
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const at = (...names: string[]): string => join(folder, 'project', ...names)

async function hold(path: string, patience_ms = SHORT_MS): Promise<HeldTree> {
  const tree = await holdTree(path, { signal, patience_ms })
  held.push(tree)
  return tree
}

/** A process of its own that holds a folder until it is killed; it may have started a child that outlives it. */
async function holdElsewhere(path: string, before = ''): Promise<ChildProcess> {
  const script = `
    import { spawn } from 'node:child_process'
    import { holdTree } from ${JSON.stringify(ENTRY)}
    await holdTree(${JSON.stringify(path)}, { signal: new AbortController().signal })
    ${before}
    console.log('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await new Promise((said) => child.stdout?.once('data', said))
  return child
}

test('a folder is held by one at a time, and again when it was released', async () => {
  const first = await hold(at('services', 's0'))
  await expect(hold(at('services', 's0'))).rejects.toThrow(TreeBusy)
  const waiting = hold(at('services', 's0'), 10_000)
  first.release()
  first.release()
  expect((await waiting).path).toBe(at('services', 's0'))
})

test('folders inside each other exclude each other, in both directions and across projects', async () => {
  mkdirSync(at('services', 's0', 'other', '.flow'), { recursive: true })
  const outer = await hold(at())
  await expect(hold(at('services', 's3'))).rejects.toThrow(TreeBusy)
  outer.release()
  const inner = await hold(at('services', 's0', 'other'))
  for (const path of [at(), at('services'), at('services', 's0')])
    await expect(hold(path)).rejects.toThrow(TreeBusy)
  inner.release()
  await hold(at())
})

test('eight siblings are held at the same time', async () => {
  const names = Array.from({ length: 8 }, (_, n) => `s${n}`)
  const trees = await Promise.all(names.map((name) => hold(at('services', name))))
  expect(trees.map(({ path }) => path)).toEqual(names.map((name) => at('services', name)))
})

test('every spelling of a path means the same folder', async () => {
  symlinkSync(at(), join(folder, 'by-link'))
  await hold(at('services', 's0'))
  const spellings = [
    `${at('services', 's0')}/`,
    `${at('services', 's1')}/../s0`,
    `${at('services')}//./s0`,
    join(folder, 'by-link', 'services', 's0'),
  ]
  for (const path of spellings) await expect(hold(path), path).rejects.toThrow(TreeBusy)
})

test('processes exclude each other, and a killed one has nothing left, whatever it had started', async () => {
  symlinkSync(at(), join(folder, 'by-link'))
  const own_folder = `spawn('/bin/sleep', ['30'], { stdio: 'ignore', detached: true, cwd: '/' }).unref()`
  const other = await holdElsewhere(join(folder, 'by-link', 'services', 's0'), own_folder)
  for (const path of [at(), at('services', 's0'), at('services', 's0', 'src')])
    await expect(hold(path)).rejects.toThrow(TreeBusy)
  await hold(at('services', 's1'))
  const waiting = hold(at('services', 's0'), 10_000)
  other.kill('SIGKILL')
  await waiting
})

test('a wait ends when nobody waits for the answer any more', async () => {
  await hold(at('services', 's0'))
  const over = new AbortController()
  const waiting = holdTree(at('services', 's0'), { signal: over.signal })
  const behind = hold(at('services', 's0'), 10_000)
  over.abort()
  await expect(waiting).rejects.toThrow(TreeGivenUp)
  held[0]?.release()
  await behind
})

test('those who want the same folder get it in the order in which they came', async () => {
  const first = await hold(at('services', 's0'))
  const order: number[] = []
  const waiting = [1, 2, 3, 4].map(async (place) => {
    const tree = await hold(at('services', 's0'), 20_000)
    order.push(place)
    tree.release()
  })
  first.release()
  await Promise.all(waiting)
  expect(order).toEqual([1, 2, 3, 4])
})

test('two that want each other’s neighbourhood both get it in the end', async () => {
  const rounds = Array.from({ length: 12 }, async (_, n) => {
    const tree = await hold(
      [at(), at('services', 's0'), at('services', 's0', 'src')][n % 3] as string,
      30_000,
    )
    await new Promise((later) => setTimeout(later, 5))
    tree.release()
  })
  await Promise.all(rounds)
})

test('a link is not held, and a folder that lies behind one that was put on its way is another folder', async () => {
  renameSync(at('services', 's0'), at('moved'))
  symlinkSync(at('moved'), at('services', 's0'))
  await expect(hold(at('services', 's0'))).rejects.toThrow(TreeUnsound)
  await expect(hold(at('nowhere', 'at-all'))).rejects.toThrow(TreeUnsound)
  renameSync(at('services'), at('were-services'))
  symlinkSync(at('were-services'), at('services'))
  expect((await hold(at('services', 's1'))).path).toBe(at('were-services', 's1'))
})

test('a folder that is exchanged while it is waited for is not held by its old name', async () => {
  const first = await hold(at('services', 's0'))
  const waiting = hold(at('services', 's0'), 2_000)
  renameSync(at('services', 's0'), at('services', 'away'))
  mkdirSync(at('services', 's0'))
  // The new one is nobody's; the old one is still held where it went.
  const tree = await waiting
  expect(tree.ino).not.toBe(first.ino)
  await expect(hold(at('services', 'away'))).rejects.toThrow(TreeBusy)
})

test('whoever takes the right to read a folder away does not hide that it is held', async () => {
  const script = `
    import { holdTree } from ${JSON.stringify(ENTRY)}
    await holdTree(process.argv[1], { signal: AbortSignal.timeout(5000), patience_ms: 100 })
      .then(() => console.log('held'), (error) => console.log(error.name))`
  chmodSync(folder, 0o755)
  chmodSync(at(), 0o311)
  const uid = process.getuid?.() === 0 ? 65_534 : undefined
  if (uid !== undefined) spawnSync('chown', ['-R', String(uid), folder])
  const { stdout } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '-e', script, at('services', 's0')],
    { encoding: 'utf8', cwd: '/', ...(uid !== undefined && { uid, gid: uid }) },
  )
  expect(stdout).toBe('TreeUnsound\n')
})
