import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { type MountEntry, parseMounts } from '../guard/kernel/mounts.ts'

const PROCESSES_MAX = 100_000
const TABLE_BYTES_MAX = 4 * 1024 * 1024

/** The mounts that a process has, in the order they were made; none of one that is gone or not ours to look at. */
export function mountsOf(pid: number | string): MountEntry[] {
  const text = look(() => readFileSync(`/proc/${pid}/mountinfo`, 'utf8').slice(0, TABLE_BYTES_MAX))
  return parseMounts(text)
}

/** A process for each set of mounts on this machine that is not our own. */
export function processesWithOtherMounts(): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const by_namespace = new Map<string, string>()
  for (const pid of pids.slice(0, PROCESSES_MAX)) {
    const namespace = look(() => readlinkSync(`/proc/${pid}/ns/mnt`))
    if (namespace !== '' && !by_namespace.has(namespace)) by_namespace.set(namespace, pid)
  }
  by_namespace.delete(readlinkSync('/proc/self/ns/mnt'))
  return [...by_namespace.values()]
}

function look(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // Ended in the meantime, or not ours to look at.
  }
}
