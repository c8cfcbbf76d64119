import { readdirSync } from 'node:fs'

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
  const entries = readdirSync('/proc', { withFileTypes: true })
  return entries
    .filter(({ name }) => !KEPT.has(name) && !/^\d+$/.test(name))
    .flatMap((entry) => maskOf(`/proc/${entry.name}`, entry.isDirectory(), entry.isSymbolicLink()))
}

function maskOf(path: string, is_folder: boolean, is_link: boolean): string[] {
  if (is_link) return []
  return is_folder
    ? ['--perms', '0555', '--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', '/dev/null', path]
}
