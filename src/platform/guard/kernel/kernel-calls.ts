import { closeSync, lstatSync, openSync } from 'node:fs'
import { endianness } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { isMainThread } from 'node:worker_threads'
import { type CLibrary, callsOf } from '../../basics/c-library.ts'
import { type TreeStat, treeStatOf } from '../tree/tree-stat.ts'
import { NAME_ANY, NAME_FOLDER } from './descriptors.ts'

// What the kernel's headers say; Node has none of these.
const SYS_OPENAT2 = 437
const OPEN_HOW_BYTES = 24
const O_CLOEXEC = 0o2000000
/** Across no mount, through no link of either kind, and nowhere above the folder. */
const RESOLVE_PLAINLY = 0x01n | 0x02n | 0x04n | 0x08n
const AT_FDCWD = -100
const AT_SYMLINK_FOLLOW = 0x400
const AT_SYMLINK_NOFOLLOW = 0x100
const STATX_BASIC = 0x7ff
const STATX_BYTES = 256

/** What Node cannot ask of the kernel, or takes several times as long for. */
export interface KernelCalls {
  /**
   * Opens what several names below a held folder lead to, in one step: through real folders of the same mount alone.
   * Undefined where the kernel finds no such way, for whatever reason; the walk finds out which.
   */
  openBeneath(folder_fd: number, path: string, flags: number): number | undefined
  /** Gives an open file that was made without a name one in a held folder; answers whether it has it now. */
  linkOpen(fd: number, folder_fd: number, name: string): boolean
  /** What version control knows a file by, at a name in a held folder; follows no link. A status asks for thousands. */
  stat(folder_fd: number, name: string): TreeStat | undefined
}

export type LoadKernel = () => KernelCalls | undefined

/**
 * Loads the calls, once; undefined where they cannot be made, as on an older kernel or without the library. Threads do
 * not use them: Node warns when a thread closes a descriptor that it did not open there.
 */
export function loadKernelCalls(): KernelCalls | undefined {
  try {
    return isMainThread ? callsOf(declareWorking) : undefined
  } catch {
    return undefined
  }
}

function declareWorking(library: CLibrary): KernelCalls | undefined {
  try {
    const calls = declareCalls(library)
    return isWorking(calls) ? calls : undefined
  } catch {
    return undefined
  }
}

function declareCalls(library: CLibrary): KernelCalls {
  // The C library has no name for openat2.
  const openat2 = library.func(
    'long syscall(long call, int folder, const char *path, void *how, size_t bytes)',
  )
  const linkat = library.func(
    'int linkat(int from, const char *path, int folder, const char *name, int flags)',
  )
  const statx = library.func('int statx(int folder, const char *name, int flags, uint32_t mask, void *found)')
  const found = Buffer.alloc(STATX_BYTES)
  const readStat = statReader(found)
  const how = new BigUint64Array(OPEN_HOW_BYTES / 8)
  how[2] = RESOLVE_PLAINLY
  return {
    openBeneath(folder_fd, path, flags) {
      how[0] = BigInt(flags | O_CLOEXEC)
      const fd = openat2(SYS_OPENAT2, folder_fd, withoutNul(path), how, OPEN_HOW_BYTES)
      return fd < 0 ? undefined : fd
    },
    linkOpen: (fd, folder_fd, name) =>
      linkat(AT_FDCWD, `/proc/self/fd/${fd}`, folder_fd, withoutNul(name), AT_SYMLINK_FOLLOW) === 0,
    stat(folder_fd, name) {
      const failed = statx(folder_fd, withoutNul(name), AT_SYMLINK_NOFOLLOW, STATX_BASIC, found)
      return failed ? undefined : readStat()
    },
  }
}

/** Reads what `statx` has left in its buffer; the places are those of the kernel's `struct statx`. */
function statReader(buffer: Buffer): () => TreeStat {
  const view = new DataView(buffer.buffer, buffer.byteOffset, STATX_BYTES)
  const little = endianness() === 'LE'
  const word = (place: number) => view.getUint32(place, little)
  // Of numbers of 64 bits git keeps the low word.
  const low = (place: number) => word(little ? place : place + 4)
  return () => ({
    mode: view.getUint16(0x1c, little),
    size: low(0x28),
    ino: low(0x20),
    uid: word(0x14),
    gid: word(0x18),
    ctime_s: low(0x60),
    ctime_ns: word(0x68),
    mtime_s: low(0x70),
    mtime_ns: word(0x78),
  })
}

/** The C library takes a NUL for the end of a text. */
function withoutNul(name: string): string {
  if (name.includes('\0')) throw new Error('a name with a NUL in it')
  return name
}

/** Whether openat2 and statx keep their promises here, tried on things that every Linux has. */
function isWorking({ openBeneath, stat }: KernelCalls): boolean {
  const proc = openSync('/proc', NAME_FOLDER)
  try {
    const real = treeStatOf(lstatSync('/proc/sys', { bigint: true }))
    if (!isDeepStrictEqual(stat(proc, 'sys'), real)) return false
    const inside = tryOpen('sys/kernel', NAME_FOLDER)
    const escapes = ['self/status', '..', '../proc', '/proc', 'no-such-thing']
    return inside && !escapes.some((path) => tryOpen(path, NAME_ANY))
  } finally {
    closeSync(proc)
  }
  function tryOpen(path: string, flags: number): boolean {
    const fd = openBeneath(proc, path, flags)
    if (fd !== undefined) closeSync(fd)
    return fd !== undefined
  }
}
