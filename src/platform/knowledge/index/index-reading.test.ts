import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type IndexProject, makeIndexProject } from './index-project.fixture.ts'

const SECRET = 'The quagga of the outside.\n'
const ALL = ['src', 'src/deep', 'docs']

/** What may happen to a file between the walk that met it and the reading; what it leaves of the file's content. */
const SWAPS: Record<string, (path: string, outside: string) => void> = {
  nothing: () => {},
  'a link to the outside': (path, outside) => replace(path, () => symlinkSync(outside, path)),
  'a link within': (path) => replace(path, () => symlinkSync('other.md', path)),
  'a second name of an outside file': (path, outside) => replace(path, () => linkSync(outside, path)),
  'a FIFO': (path) => replace(path, () => execFileSync('mkfifo', [path])),
  'a folder': (path) => replace(path, () => mkdirSync(path)),
  'something too large': (path) => writeFileSync(path, SECRET.repeat(50_000)),
  'something longer': (path) => writeFileSync(path, '# A longer one\n'.repeat(100)),
  'nothing at all': (path) => rmSync(path),
  'a second name': (path) => linkSync(path, `${path}.second`),
}

function replace(path: string, make: () => void): void {
  rmSync(path)
  make()
}

/** What may happen to a folder meanwhile. */
const FOLDER_SWAPS: Record<string, (path: string, outside: string) => void> = {
  nothing: () => {},
  'a link to the outside': (path, outside) => {
    renameSync(path, `${path}.away`)
    symlinkSync(outside, path)
  },
  'a link to where it is now': (path) => {
    renameSync(path, `${path}.away`)
    symlinkSync(`${path}.away`, path)
  },
  'a file': (path) => {
    renameSync(path, `${path}.away`)
    writeFileSync(path, 'x')
  },
  'nothing at all': (path) => rmSync(path, { recursive: true }),
}

type Swap = readonly [path: string, swap: string]

/** A run of which the reading begins when everything was swapped; what came of it. */
async function runSwapped(files: Record<string, string>, swaps: readonly Swap[], folders: readonly Swap[]) {
  using project = makeIndexProject(files)
  using other = makeIndexProject({ 'secret.md': SECRET, 'a0.md': SECRET, 'a1.md': SECRET })
  await project.run()
  const outcome = await project.run({ rebuild: true }, once(swapAll(project, other, swaps, folders)))
  const { embedded, skipped } = outcome
  const has_secret = readFileSync(project.place.index).includes('quagga')
  return { embedded, skipped, left_out: new Map(project.skipped), manifest: project.manifest(), has_secret }
}

function swapAll(
  { root }: IndexProject,
  other: IndexProject,
  swaps: readonly Swap[],
  folders: readonly Swap[],
): () => void {
  return () => {
    for (const [path, swap] of swaps) SWAPS[swap]?.(join(root, path), join(other.root, 'secret.md'))
    for (const [path, swap] of folders) FOLDER_SWAPS[swap]?.(join(root, path), other.root)
  }
}

/** After the walk, when the number of files is known. */
function once(act: () => void): (progress: { files_total: number | null }) => void {
  let is_done = false
  return ({ files_total }) => {
    if (is_done || files_total === null) return
    is_done = true
    act()
  }
}

function makeFiles(count: number): Record<string, string> {
  const paths = ALL.flatMap((folder) => Array.from({ length: count }, (_, n) => `${folder}/a${n}.md`))
  return Object.fromEntries(paths.map((path) => [path, `# Note in ${path}\n\nA koala.\n`]))
}

describe('what is swapped between the walk and the reading', () => {
  test('is left out', async () => {
    const files = makeFiles(2)
    const swaps = fc.tuple(
      ...Object.keys(files).map((path) =>
        fc.tuple(fc.constant(path), fc.constantFrom(...Object.keys(SWAPS))),
      ),
    )
    const folders = fc.tuple(
      fc.tuple(fc.constant('src/deep'), fc.constantFrom(...Object.keys(FOLDER_SWAPS))),
      fc.tuple(fc.constant('docs'), fc.constantFrom(...Object.keys(FOLDER_SWAPS))),
    )
    await fc.assert(
      fc.asyncProperty(swaps, folders, async (swapped, moved) => {
        expect((await runSwapped(files, swapped, moved)).has_secret).toBe(false)
      }),
      { numRuns: 25 },
    )
  }, 120_000)

  test('is left out of a run with threads, and nothing else is', async () => {
    const files = makeFiles(70)
    const swaps = Object.keys(SWAPS).map((swap, at): Swap => [`src/a${at + 10}.md`, swap])
    const told = await runSwapped(files, swaps, [['docs', 'a link to the outside']])
    const gone = ['FIFO', 'folder', 'link to the outside', 'link within', 'thing at all'].map(
      (end) => swaps.find(([, swap]) => swap.endsWith(end))?.[0] as string,
    )
    const unreadable = swaps.filter(([, swap]) => /second name|too large/.test(swap)).map(([path]) => path)
    const docs = Object.keys(files).filter((path) => path.startsWith('docs/'))
    const expected = [
      ...[...gone, ...docs].map((path) => [path, 'vanished'] as const),
      ...unreadable.map((path) => [path, 'unreadable'] as const),
    ]
    expect(Object.fromEntries(told.left_out)).toEqual(Object.fromEntries(expected))
    expect(told.embedded).toBe(Object.keys(files).length - expected.length)
    expect(told.has_secret).toBe(false)
  }, 60_000)
})
