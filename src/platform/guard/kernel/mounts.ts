import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

const FDINFO_BYTES = 512
/** Longer tables are cut off by nobody: a guard that cannot see all mounts must not work. */
const MOUNTINFO_BYTES_MAX = 16 * 1024 * 1024

/**
 * The kernel's number of the mount that a held thing was reached through. It tells apart what the device number
 * cannot: a folder or file of the same disk that was bound over a name. Asked of the last descriptor of each
 * call, it is exact at that moment, so there is no table of mounts that could be out of date.
 */
export function mountIdOf(fd: number): string {
  const info = openSync(`/proc/self/fdinfo/${fd}`, 'r')
  try {
    const buffer = Buffer.allocUnsafe(FDINFO_BYTES)
    const text = buffer.toString('latin1', 0, readSync(info, buffer, 0, FDINFO_BYTES, 0))
    const found = /^mnt_id:\s*(\d+)$/m.exec(text)?.[1]
    if (found === undefined) throw new Error('the kernel does not tell the mount of a descriptor')
    return found
  } finally {
    closeSync(info)
  }
}

/** One mount, as the kernel lists it for a process. */
export interface MountEntry {
  /** The number of the mount. */
  readonly id: string
  /** The disk, as `major:minor`. */
  readonly disk: string
  /** Where it is, for that process. */
  readonly at: string
  readonly is_writable: boolean
}

/** Reads a table of mounts, as `/proc/<pid>/mountinfo` has it. */
export function parseMounts(text: string): MountEntry[] {
  return text.split('\n').flatMap((line) => {
    const [id, , disk, , at, options] = line.split(' ', 6)
    if (id === undefined || disk === undefined || at === undefined || options === undefined) return []
    return [{ id, disk, at: unescapeMount(at), is_writable: options.split(',').includes('rw') }]
  })
}

/** All places that something is mounted on. Read once per listing or walk, where asking for each file costs too much. */
export function readMountPoints(): ReadonlySet<string> {
  const text = readFileSync('/proc/self/mountinfo', 'utf8')
  if (text.length > MOUNTINFO_BYTES_MAX) throw new Error('the table of mounts is too large to be read')
  return new Set(parseMounts(text).map(({ at }) => at))
}

/** Blanks, tabs, newlines and backslashes stand as octal numbers in the table. */
function unescapeMount(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )
}
