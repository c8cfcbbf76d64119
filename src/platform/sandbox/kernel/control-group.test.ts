import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findControlGroup, HUB_GROUP } from './find-control-group.ts'
import { makeLimitGroup } from './limit-group.ts'

// The kernel's tree as plain files: what is looked for in it, and what is left in it, can be seen anywhere.
let tree: string

beforeEach(() => {
  tree = realpathSync(mkdtempSync(join(tmpdir(), 'control-group-')))
})
afterEach(() => rmSync(tree, { recursive: true, force: true }))

interface Found {
  path?: string
  controllers?: string
  processes?: string
  shared_out?: string
  mounts?: string
}

function find({ path = '/service', mounts, ...group }: Found = {}) {
  const proc = join(tree, 'proc')
  const folder = join(tree, 'groups', path).replace(/\/$/, '')
  mkdirSync(proc)
  mkdirSync(folder, { recursive: true })
  const mounted = `30 25 0:26 / ${join(tree, 'groups')} rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate`
  writeFileSync(join(proc, 'mountinfo'), `25 1 0:5 / /dev rw - devtmpfs udev rw\n${mounts ?? mounted}\n`)
  writeFileSync(join(proc, 'cgroup'), `4:memory:/elsewhere\n0::${path}\n`)
  for (const at of new Set([folder, join(folder, '..')])) {
    if (!at.startsWith(join(tree, 'groups'))) continue
    // A group below is offered only what the one above shares out.
    const offered = at.endsWith(HUB_GROUP) ? '' : (group.controllers ?? 'cpuset cpu io memory pids\n')
    writeFileSync(join(at, 'cgroup.controllers'), offered)
    writeFileSync(join(at, 'cgroup.subtree_control'), group.shared_out ?? '')
    writeFileSync(join(at, 'cgroup.procs'), group.processes ?? `${process.pid}\n`)
    if (at !== join(tree, 'groups')) writeFileSync(join(at, 'cgroup.type'), 'domain\n')
  }
  return { keeper: findControlGroup(proc), folder }
}

const namespace = () => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]

describe('a place for control groups', () => {
  test('a hub that is alone in its group moves below it and shares out what it needs', () => {
    const { keeper, folder } = find()
    expect(keeper).toEqual({ kind: 'kernel', folder })
    expect(readFileSync(join(folder, HUB_GROUP, 'cgroup.procs'), 'utf8')).toBe(String(process.pid))
    expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids +cpu')
  })

  test('a hub that has moved already uses the group above', () => {
    const { keeper, folder } = find({ path: `/service/${HUB_GROUP}` })
    expect(keeper).toEqual({ kind: 'kernel', folder: join(folder, '..') })
  })

  test('what the hub has started moves with it', () => {
    const child = spawn('/bin/sleep', ['60'])
    try {
      const { keeper, folder } = find({ processes: `${process.pid}\n${child.pid}\n` })
      expect(keeper).toEqual({ kind: 'kernel', folder })
      expect(readFileSync(join(folder, HUB_GROUP, 'cgroup.procs'), 'utf8')).toBe(String(child.pid))
    } finally {
      child.kill()
    }
  })

  test('the top of the tree may hold processes and groups', () => {
    expect(find({ path: '/', processes: '1\n2\n' }).keeper).toMatchObject({ kind: 'kernel' })
  })

  test.each([
    ['other processes share it', { processes: '1\n2\n' }, /other processes share/],
    ['the kernel’s older tree has them', { controllers: 'hugetlb\n' }, /offers no memory and pids/],
    ['there is none', { mounts: '' }, /no cgroup v2/],
  ])('where %s, the hub watches and says why', (_name, found, reason) => {
    const { keeper } = find(found)
    expect(keeper).toMatchObject({ kind: 'watcher', fix: expect.stringContaining('Delegate=yes') })
    expect(keeper.kind === 'watcher' && keeper.reason).toMatch(reason)
  })

  test('one that cannot be read is not an error', () => {
    expect(findControlGroup(join(tree, 'none'))).toMatchObject({ kind: 'watcher' })
  })
})

describe('a group for a command', () => {
  const limits = { timeout_ms: 1, output_bytes: 1, memory_bytes: 1024, processes: 2 }

  test('one that cannot be given its limits is not left behind', () => {
    expect(() => makeLimitGroup(tree, limits)).toThrow(/memory.max/)
    expect(readdirSync(tree)).toEqual([])
  })

  test('what a killed hub left is removed, and nothing of a living one or of anybody else', () => {
    const began = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\)/s, '').trim().split(' ')[19]
    const dead = [`knowtation-${namespace()}-4194399-1-1`, `knowtation-${namespace()}-${process.pid}-1-7`]
    const kept = [
      `knowtation-${namespace()}-${process.pid}-${began}-999`,
      'knowtation-1-4194399-1-1',
      'knowtation-notes',
      'user.slice',
    ]
    for (const name of [...dead, ...kept]) mkdirSync(join(tree, name))
    expect(() => makeLimitGroup(tree, limits)).toThrow()
    expect(readdirSync(tree).toSorted()).toEqual(kept.toSorted())
    expect(existsSync(join(tree, 'user.slice'))).toBe(true)
  })
})
