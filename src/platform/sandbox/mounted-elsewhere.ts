import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const PROCESSES_MAX = 100_000
const MOUNTINFO_BYTES_MAX = 4 * 1024 * 1024

/** Those of some paths that a process of this machine has something mounted on: another hub's sandbox, say. */
export function mountedElsewhere(paths: readonly string[]): Set<string> {
  const tables = foreignMountTables()
  return new Set(paths.filter((path) => tables.some((table) => table.includes(` ${escaped(path)} `))))
}

// One table for each mount namespace but ours, in which such a mount would already stand in the way.
function foreignMountTables(): string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const by_namespace = new Map<string, string>()
  for (const pid of pids.slice(0, PROCESSES_MAX)) {
    const namespace = look(() => readlinkSync(`/proc/${pid}/ns/mnt`))
    if (namespace !== '' && !by_namespace.has(namespace)) by_namespace.set(namespace, pid)
  }
  by_namespace.delete(readlinkSync('/proc/self/ns/mnt'))
  return [...by_namespace.values()].map((pid) =>
    look(() => readFileSync(`/proc/${pid}/mountinfo`, 'latin1').slice(0, MOUNTINFO_BYTES_MAX)),
  )
}

function look(read: () => string): string {
  try {
    return read()
  } catch {
    return '' // Ended in the meantime, or not ours to look at.
  }
}

// The kernel writes blanks, tabs, line ends and backslashes of a path in octal.
function escaped(path: string): string {
  const bytes = Buffer.from(path).toString('latin1')
  return bytes.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
}
