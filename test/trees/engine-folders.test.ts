import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withProjectFolders } from '../../src/domains/boundary/engines/hold-folders.ts'
import { holdTree, TreeBusy } from '../../src/platform/trees/hold-tree.ts'

const signal = new AbortController().signal

test('an engine that sees a folder of a project waits for what works there, and is waited for', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'engine-folders-')))
  const [project, plain] = [join(base, 'project'), join(base, 'plain')]
  const service = join(project, 'services', 'web')
  for (const folder of [service, join(project, '.flow'), plain]) mkdirSync(folder, { recursive: true })
  try {
    const tree = await holdTree(service, { signal })
    let is_begun = false
    const paths = [`${project}/services/../services`, service, plain]
    const engine = withProjectFolders(paths, signal, async (trees) => {
      is_begun = true
      await expect(holdTree(service, { signal, patience_ms: 0 })).rejects.toThrow(TreeBusy)
      return trees.map(({ path }) => path)
    })
    // What lies in no project keeps nobody waiting.
    expect(await withProjectFolders([plain], signal, async (trees) => trees.length)).toBe(0)
    expect(is_begun).toBe(false)
    tree.release()
    expect(await engine).toEqual([join(project, 'services')])
    const again = await holdTree(service, { signal, patience_ms: 0 })
    again.release()
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
})
