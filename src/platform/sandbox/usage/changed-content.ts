import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  type Stats,
  statSync,
} from 'node:fs'
import { setImmediate as pause } from 'node:timers/promises'
import { DISK_NAMES_AT_ONCE } from '../sandbox-limits.ts'
import { namesIn, readQuietly } from './jail-processes.ts'

const BLOCK_BYTES = 512
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** A mapping of a file that has no name any more. */
const DELETED_MAPPING =
  /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ (\d+) +(?!\/memfd:|\/SYSV|\/dev\/zero ).* \(deleted\)$/gm
/** How many descriptors wait in a socket, or in those that wait to be taken up by it. */
const CARRIED = /^scm_fds:\s*[1-9]/m

/** What a command wrote to the disk. */
export interface ChangedContent {
  readonly bytes: number
  readonly files: number
  /** Whether there was a place that could not be looked into. */
  readonly has_hidden: boolean
}

interface Tally {
  bytes: number
  files: number
  has_hidden: boolean
  looked_at: number
  readonly since_ms: number
  readonly devices: ReadonlySet<number>
  /** Files with several names, and open ones, are counted once. */
  readonly counted: Set<number>
  readonly isEnough: (found: ChangedContent) => boolean
}

/**
 * Adds up what changed in folders since a time, and files without a name that processes have open or mapped. A
 * file's time of change is the kernel's: no program can set it back. Ends as soon as it is enough.
 */
export async function changedContent(
  folders: readonly string[],
  processes: readonly string[],
  how: Pick<Tally, 'since_ms' | 'devices' | 'isEnough'>,
): Promise<ChangedContent> {
  const tally: Tally = { bytes: 0, files: 0, has_hidden: false, looked_at: 0, counted: new Set(), ...how }
  for (const process of processes) {
    addUnnamed(tally, process)
    addMapped(tally, readQuietly(`${process}/maps`) ?? '')
  }
  for (const place of folders) addPlace(tally, place)
  const open = [...folders]
  for (let folder = open.pop(); folder !== undefined && !how.isEnough(tally); folder = open.pop()) {
    await addFolder(tally, folder, open)
  }
  return tally
}

function addUnnamed(tally: Tally, process: string): void {
  try {
    for (const fd of readdirSync(`${process}/fd`)) {
      const stat = tryStat(() => statSync(`${process}/fd/${fd}`))
      // A file that nobody has open can be on its way in a socket.
      if (stat?.isSocket()) tally.has_hidden ||= CARRIED.test(readQuietly(`${process}/fdinfo/${fd}`) ?? '')
      if (stat?.isFile() && stat.nlink === 0 && tally.devices.has(stat.dev)) addOnce(tally, stat)
    }
  } catch (error) {
    // A program may forbid that anybody looks at it.
    tally.has_hidden ||= (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}

// Of a file that nobody has open only the length of the mapping is told; the disk has to have grown as well.
function addMapped(tally: Tally, maps: string): void {
  for (const [, from = '', to = '', inode = ''] of maps.matchAll(DELETED_MAPPING)) {
    if (tally.counted.has(Number(inode))) continue
    tally.counted.add(Number(inode))
    tally.bytes += Number.parseInt(to, 16) - Number.parseInt(from, 16)
  }
}

async function addFolder(tally: Tally, path: string, open: string[]): Promise<void> {
  const fd = openFolder(tally, path)
  if (fd === undefined) return
  const held = `/proc/self/fd/${fd}`
  try {
    for (const name of namesIn(held)) {
      const stat = tryStat(() => lstatSync(`${held}/${name}`))
      if (stat?.isDirectory()) open.push(`${path}/${name}`)
      if (stat !== undefined && stat.ctimeMs >= tally.since_ms) addOnce(tally, stat)
      if (tally.isEnough(tally)) return
      if (++tally.looked_at % DISK_NAMES_AT_ONCE === 0) await pause()
    }
  } finally {
    closeSync(fd)
  }
}

// A single file may be what a command can write; of a folder the names alone can take much.
function addPlace(tally: Tally, path: string): void {
  const stat = tryStat(() => lstatSync(path))
  if (stat !== undefined && stat.ctimeMs >= tally.since_ms) addOnce(tally, stat)
}

// Never through a link that took the place of a folder.
function openFolder(tally: Tally, path: string): number | undefined {
  try {
    const fd = openSync(path, FOLDER)
    if (readlinkSync(`/proc/self/fd/${fd}`) === path) return fd
    closeSync(fd)
  } catch (error) {
    tally.has_hidden ||= isHidden(tally, path, error as NodeJS.ErrnoException)
  }
  return undefined
}

// Deeper than any path reaches, or closed by the command: what others closed to us is closed to it as well.
function isHidden({ since_ms }: Tally, path: string, { code }: NodeJS.ErrnoException): boolean {
  if (code !== 'EACCES') return code === 'ENAMETOOLONG'
  const stat = tryStat(() => lstatSync(path))
  return stat === undefined || (stat.uid === process.getuid?.() && stat.ctimeMs >= since_ms)
}

function addOnce(tally: Tally, stat: Stats): void {
  if (stat.nlink !== 1 && !stat.isDirectory()) {
    if (tally.counted.has(stat.ino)) return
    tally.counted.add(stat.ino)
  }
  tally.bytes += stat.blocks * BLOCK_BYTES
  tally.files += 1
}

function tryStat(look: () => Stats): Stats | undefined {
  try {
    return look()
  } catch {
    return undefined // Gone between two looks.
  }
}
