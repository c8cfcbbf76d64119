import { lstatSync, readdirSync } from 'node:fs'

/**
 * What programs read of the machine in /proc: its size, its load and its time, and what they are themselves.
 * `sys` is read-only in the sandbox, and `net` belongs to its own network.
 */
const KEPT = new Set([
  'cgroups',
  'cpuinfo',
  'devices',
  'filesystems',
  'loadavg',
  'meminfo',
  'mounts',
  'net',
  'pressure',
  'self',
  'stat',
  'sys',
  'sysvipc',
  'thread-self',
  'uptime',
  'version',
  'vmstat',
])

/** Arguments that make all else in /proc look empty: boot arguments, keys, symbols of the kernel, its devices. */
export function procMasks(): string[] {
  // Names alone: Node looks up what the kernel leaves untyped, and fails for a process that has just ended.
  const names = readdirSync('/proc').filter((name) => !KEPT.has(name) && !/^\d+$/.test(name))
  return names.flatMap((name) => maskOf(`/proc/${name}`))
}

function maskOf(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || stat.isSymbolicLink()) return []
  return stat.isDirectory()
    ? ['--perms', '0555', '--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', '/dev/null', path]
}
