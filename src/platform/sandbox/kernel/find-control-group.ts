import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { LimitKeeper } from '../sandbox.ts'

/** A group that holds processes cannot share out memory, so the hub goes into one of its own beside the others. */
export const HUB_GROUP = 'knowtation-hub'
const NEEDED = ['memory', 'pids']
const WISHED = 'cpu'
const ANCESTORS_MAX = 100

export const KERNEL_LIMITS_FIX =
  'Run the hub as a service of its own whose control group is delegated to it: with systemd `Delegate=yes`, ' +
  'on a machine with cgroup v2.'

/** Looks for a place for control groups in the kernel's tree (version 2), at or beside the hub's own group. */
export function findControlGroup(proc = '/proc/self'): LimitKeeper {
  try {
    const own = ownFolder(proc)
    if (own === undefined) return watcher('this machine has no cgroup v2')
    const folder = basename(own) === HUB_GROUP ? dirname(own) : own
    const offered = wordsIn(join(folder, 'cgroup.controllers'))
    if (!NEEDED.every((name) => offered.includes(name)))
      return watcher(`cgroup v2 offers no ${NEEDED.join(' and ')} limits at ${folder}`)
    if (folder === own && !makeRoom(own))
      return watcher(`other processes share the control group ${own} with the hub`)
    shareOut(folder, offered)
    return { kind: 'kernel', folder }
  } catch (error) {
    return watcher(`the control group cannot be used: ${(error as Error).message}`)
  }
}

function watcher(reason: string): LimitKeeper {
  return { kind: 'watcher', reason, fix: KERNEL_LIMITS_FIX }
}

function ownFolder(proc: string): string | undefined {
  const path = /^0::(\/.*)$/m.exec(readFileSync(join(proc, 'cgroup'), 'utf8'))?.[1]
  const mounts = readFileSync(join(proc, 'mountinfo'), 'utf8')
  // The mounted part of the tree, where it is mounted, and that it is of version 2.
  const [, root, mounted_at] = /^\d+ \d+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mounts) ?? []
  if (path === undefined || root === undefined || mounted_at === undefined) return undefined
  const below = relative(root, path)
  return below.startsWith('..') ? undefined : join(mounted_at, below)
}

/** Moves the hub and what it started into a group below, but for the top of the tree, which may hold both. */
function makeRoom(own: string): boolean {
  const is_top = !existsSync(join(own, 'cgroup.type'))
  if (is_top) return true
  const processes = wordsIn(join(own, 'cgroup.procs'))
  if (!processes.every(isOurs)) return false
  const leaf = join(own, HUB_GROUP)
  mkdirSync(leaf, { recursive: true })
  for (const pid of processes) writeFileSync(join(leaf, 'cgroup.procs'), pid)
  return true
}

function isOurs(pid: string): boolean {
  let at = Number(pid)
  for (let step = 0; step < ANCESTORS_MAX && at > 1; step++) {
    if (at === process.pid) return true
    // After the name, which is in brackets and may hold anything.
    const [, parent] = readFileSync(`/proc/${at}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ')
    at = Number(parent)
  }
  return false
}

function shareOut(folder: string, offered: readonly string[]): void {
  const shared = join(folder, 'cgroup.subtree_control')
  const wanted = [...NEEDED, ...(offered.includes(WISHED) ? [WISHED] : [])]
  const missing = wanted.filter((name) => !wordsIn(shared).includes(name))
  if (missing.length > 0) writeFileSync(shared, missing.map((name) => `+${name}`).join(' '))
}

function wordsIn(path: string): string[] {
  return readFileSync(path, 'utf8').split(/\s+/).filter(Boolean)
}
