import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect } from 'vitest'
import { outcomeOfAll } from '../../src/platform/guard/guard-project.fixture.ts'
import { openGuard } from '../../src/platform/guard/open-guard.ts'
import { verifies } from '../requirements/verifies.ts'

const CHILD = join(import.meta.dirname, 'guard-mounts-child.fixture.ts')
const UNSHARE = process.getuid?.() === 0 ? ['--mount'] : ['--map-root-user', '--mount']

/** Uses that change nothing on this machine even if the guard were broken. */
const HARMLESS = ['read', 'list', 'walk', 'locate', 'check read', 'check write']

/** Whether this machine lets us mount in a namespace of our own. */
function canMount(): boolean {
  return spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
}

/** Folders of this machine on which something is mounted, in a folder that is not the root of all. */
function findMounts(): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n')
  const points = lines
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => /^\/[^/]+\/[\w/-]+$/.test(point))
  return [...new Set(points)].filter((point) => statSync(point, { throwIfNoEntry: false })?.isDirectory())
}

verifies(
  ['TOOL-078', 'TOOL-021'],
  'what this machine has mounted below a folder is refused and not shown',
  () => {
    const points = findMounts()
    expect(points.length, 'every Linux has something mounted below /dev or /sys').toBeGreaterThan(0)
    for (const point of points) {
      const scope = {
        service_root: dirname(point),
        shared_roots: [],
        block_patterns: [],
        hard_link_stores: [],
      }
      const guard = openGuard(scope)
      const name = basename(point)
      expect(outcomeOfAll(guard, name, ['list', 'walk', 'locate', 'check read']), point).toBe('denied device')
      expect(outcomeOfAll(guard, `${name}/no-such-thing`, HARMLESS), point).toBe('denied device')
      const { entries } = guard.list('.', { recursive: false, limit: 10_000 })
      expect(entries.map(({ path }) => path)).not.toContain(name)
      guard.close()
    }
  },
)

verifies(
  ['TOOL-078', 'TOOL-021'],
  'disks, folders of the same disk and single files mounted over names are refused',
  () => {
    if (!canMount()) {
      console.warn(
        'mounting is not permitted here: only the mounts that exist already were tried, in the test above',
      )
      return expect(findMounts().length).toBeGreaterThan(0)
    }
    const answers = ['plain', 'kernel'].map((which) => {
      const command = [...UNSHARE, process.execPath, CHILD, which]
      const { stdout, stderr, status } = spawnSync('unshare', command, { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, ''])
      return JSON.parse(stdout)
    })
    const refused = {
      files: Array.from({ length: 9 }, () => 'denied device'),
      folders: Array.from({ length: 4 }, () => 'denied device'),
      round: 'ok',
      shown: [],
    }
    const each = { early: refused, late: refused, shared: 'ok', covered: 'denied device' }
    expect(answers).toEqual([each, each])
  },
)
