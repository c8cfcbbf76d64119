import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { readQuietly } from './jail-processes.ts'

const BLOCK_BYTES = 512
/** Memory that has no name in any folder: what the kernel calls it in the maps and descriptors of a process. */
const NAMELESS = /^\/(memfd:|SYSV[0-9a-f]{8}|dev\/zero \(deleted\)|anon_hugepage)/
/** Kinds that can live on while no process has them mapped or open. */
const CAN_HIDE = /^\/(memfd:|SYSV)/
const MAPPING = /^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ (\d+)\s*(.*)$/

/** Nameless memory of a jail's processes, each segment once however many have it. */
export interface SharedSegments {
  readonly bytes: number
  /** Whether there was something that may also be where nobody can look: not mapped, or on its way in a socket. */
  readonly can_hide: boolean
}

interface Found {
  /** By inode: all of it lies in one file system of the kernel's own. */
  readonly mapped: Map<string, number>
  readonly whole: Map<string, number>
  can_hide: boolean
}

/** Counts the nameless memory that the processes at these places in /proc have mapped or open. */
export function countSegments(folders: readonly string[]): SharedSegments {
  const found: Found = { mapped: new Map(), whole: new Map(), can_hide: false }
  for (const folder of folders) {
    addMapped(found, readQuietly(`${folder}/smaps`) ?? '')
    addOpen(found, `${folder}/fd`)
  }
  const { mapped, whole, can_hide } = found
  const sizes = [...new Set([...mapped.keys(), ...whole.keys()])].map((inode) =>
    Math.max(mapped.get(inode) ?? 0, whole.get(inode) ?? 0),
  )
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), can_hide }
}

// Of a page that several processes have mapped each is told its part, and the parts make one page.
function addMapped(found: Found, smaps: string): void {
  let inode: string | undefined
  for (const line of smaps.split('\n')) {
    const mapping = MAPPING.exec(line)
    if (mapping !== null) inode = noteName(found, mapping[2] ?? '') ? mapping[1] : undefined
    else if (inode !== undefined && line.startsWith('Pss:')) {
      const bytes = Number(/\d+/.exec(line)?.[0] ?? 0) * 1024
      found.mapped.set(inode, (found.mapped.get(inode) ?? 0) + bytes)
    }
  }
}

// What was written without being mapped is only seen here.
function addOpen(found: Found, folder: string): void {
  try {
    for (const fd of readdirSync(folder)) addDescriptor(found, `${folder}/${fd}`)
  } catch (error) {
    // A program may forbid that anybody looks at it, and then anything may be there.
    if ((error as NodeJS.ErrnoException).code === 'EACCES') found.can_hide = true
  }
}

function addDescriptor(found: Found, path: string): void {
  try {
    if (!noteName(found, readlinkSync(path))) return
    const { ino, blocks } = statSync(path)
    found.whole.set(String(ino), blocks * BLOCK_BYTES)
  } catch {} // Closed between two looks.
}

function noteName(found: Found, name: string): boolean {
  found.can_hide ||= CAN_HIDE.test(name)
  return NAMELESS.test(name)
}
