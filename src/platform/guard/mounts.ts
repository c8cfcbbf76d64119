import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

const FDINFO_BYTES = 512
/** Longer tables are cut off by nobody: a guard that cannot see all mounts must not work. */
const MOUNTINFO_BYTES_MAX = 16 * 1024 * 1024

const buffer = Buffer.alloc(FDINFO_BYTES)
/** The table as it was read last: it is read each time, and taken apart where it is another one. */
let last: { text: string; points: ReadonlySet<string> } = { text: '', points: new Set() }

/**
 * The kernel's number of the mount that a held thing was reached through. It tells apart what the device number
 * cannot: a folder or file of the same disk that was bound over a name. Asked of the last descriptor of each
 * call, it is exact at that moment, so there is no table of mounts that could be out of date.
 */
export function mountIdOf(fd: number): string {
  const info = openSync(`/proc/self/fdinfo/${fd}`, 'r')
  try {
    const text = buffer.toString('latin1', 0, readSync(info, buffer, 0, FDINFO_BYTES, 0))
    const found = /^mnt_id:\s*(\d+)$/m.exec(text)?.[1]
    if (found === undefined) throw new Error('the kernel does not tell the mount of a descriptor')
    return found
  } finally {
    closeSync(info)
  }
}

/** All places that something is mounted on. Read once per listing or walk, where asking for each file costs too much. */
export function readMountPoints(): ReadonlySet<string> {
  const text = readFileSync('/proc/self/mountinfo', 'utf8')
  if (text.length > MOUNTINFO_BYTES_MAX) throw new Error('the table of mounts is too large to be read')
  if (text !== last.text) last = { text, points: parseMountPoints(text) }
  return last.points
}

function parseMountPoints(text: string): ReadonlySet<string> {
  return new Set(text.split('\n').map((line) => unescapeMount(line.split(' ', 5)[4] ?? '')))
}

/** Blanks, tabs, newlines and backslashes stand as octal numbers in the table. */
function unescapeMount(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  )
}
