import { type BigIntStats, closeSync, fstatSync, lstatSync, openSync } from 'node:fs'
import { endianness } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { type CLibrary, openCLibrary } from '../basics/c-library.ts'
import { NAME_ANY, NAME_FOLDER } from './descriptors.ts'
import type { FolderCalls, NamedThing } from './folder-calls.ts'
import { plainCalls } from './plain-calls.ts'

// What the kernel's headers say; Node tells only some of it.
export const O_CLOEXEC = 0o2000000
const AT_FDCWD = -100
const AT_SYMLINK_NOFOLLOW = 0x100
const AT_SYMLINK_FOLLOW = 0x400
const AT_EMPTY_PATH = 0x1000
const STATX_WITH_BIRTH = 0xfff
/** Kind, count of names, time of change, number and size. */
const STATX_FOR_LOOK = 0x001 | 0x004 | 0x080 | 0x100 | 0x200
const STATX_BYTES = 256
const SYS_OPENAT2 = 437
const OPEN_HOW_BYTES = 24
/** Across no mount, through no link of either kind, and nowhere above the folder. */
const RESOLVE_PLAINLY = 0x01n | 0x02n | 0x04n | 0x08n
const PATH_BYTES = 4_096
const S_IFMT = 0o170000
const S_IFDIR = 0o040000
const S_IFREG = 0o100000
const S_NS = 1_000_000_000n
const MS_NS = 1_000_000

/** What a thing is, and what would show that another one took its place or that its names were changed. */
export interface FileLook {
  readonly is_file: boolean
  readonly size: number
  /** How many names it has. */
  readonly names: number
  readonly dev: bigint
  readonly ino: bigint
  /** Moves on with every change of content and names. */
  readonly changed_ns: bigint
}

/** The calls of the C library: each costs a fraction of its like through Node and a path below /proc. */
export interface KernelCalls extends FolderCalls {
  /**
   * Names what several names below a held folder lead to, in one step: by real folders of the same mount alone.
   * Nothing where the kernel finds no such way, for whatever reason; the walk finds out which.
   */
  openBeneath(folder_fd: number, path: string, flags: number): number | undefined
  /** Looks at a name in a held folder, or at the held thing itself where the name is empty; follows no link. */
  look(fd: number, name: string): FileLook | undefined
  /** For what these calls have opened. In a thread Node takes it amiss if it shall close what it did not open. */
  close(fd: number): void
  /** Gives an open file that was made without a name one in a held folder; answers whether it has it now. */
  linkOpen(fd: number, folder_fd: number, name: string): boolean
  /** Gives a file a second name in a held folder; answers whether it has it now. */
  link(path: string, folder_fd: number, name: string): boolean
}

let loaded: { readonly calls: KernelCalls | undefined } | undefined

/** Loads the calls, once; nothing where they cannot be made, as on an older kernel or without the library. */
export function loadKernelCalls(): KernelCalls | undefined {
  loaded ??= { calls: tryLoad() }
  return loaded.calls
}

function tryLoad(): KernelCalls | undefined {
  try {
    const calls = openCalls(openCLibrary())
    return isWorking(calls) ? calls : undefined
  } catch {
    return undefined
  }
}

/** A call that fails is made again by Node, which says why: nothing here has to know the codes of failures. */
function openCalls(library: CLibrary): KernelCalls {
  const c = declareCalls(library)
  // Held as long as the process runs: to come here by name takes longer than what is done here.
  const own_fds = openSync('/proc/self/fd', NAME_FOLDER)
  const [statx, how, link] = [
    Buffer.alloc(STATX_BYTES),
    Buffer.alloc(OPEN_HOW_BYTES),
    Buffer.alloc(PATH_BYTES),
  ]
  const long = new BigUint64Array(how.buffer, how.byteOffset, OPEN_HOW_BYTES / 8)
  long[2] = RESOLVE_PLAINLY
  const [readNamed, readLook] = [namedReader(statx), lookReader(statx)]
  return {
    open(folder_fd, name, flags, mode = 0) {
      const fd = c.openat(folder_fd, checked(name), flags | O_CLOEXEC, mode)
      return fd < 0 ? plainCalls.open(folder_fd, name, flags, mode) : fd
    },
    openHeld(held_fd, flags) {
      const fd = c.openat(own_fds, String(held_fd), flags | O_CLOEXEC, 0)
      return fd < 0 ? plainCalls.openHeld(held_fd, flags) : fd
    },
    find(folder_fd, name) {
      const failed = c.statx(folder_fd, checked(name), AT_SYMLINK_NOFOLLOW, STATX_WITH_BIRTH, statx)
      return failed ? plainCalls.find(folder_fd, name) : readNamed()
    },
    findPath(path) {
      const failed = c.statx(AT_FDCWD, checked(path), AT_SYMLINK_NOFOLLOW, STATX_WITH_BIRTH, statx)
      return failed ? plainCalls.findPath(path) : readNamed()
    },
    rename(folder_fd, from, to) {
      if (c.renameat(folder_fd, checked(from), folder_fd, checked(to))) plainCalls.rename(folder_fd, from, to)
    },
    unlink(folder_fd, name) {
      if (c.unlinkat(folder_fd, checked(name), 0)) plainCalls.unlink(folder_fd, name)
    },
    pathOf(fd) {
      const length = c.readlinkat(own_fds, String(fd), link, PATH_BYTES)
      return length < 0 || length === PATH_BYTES ? plainCalls.pathOf(fd) : link.toString('utf8', 0, length)
    },
    openBeneath(folder_fd, path, flags) {
      long[0] = BigInt(flags | O_CLOEXEC)
      const fd = c.openat2(SYS_OPENAT2, folder_fd, checked(path), how, OPEN_HOW_BYTES)
      return fd < 0 ? undefined : fd
    },
    look(fd, name) {
      const flags = AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH
      return c.statx(fd, checked(name), flags, STATX_FOR_LOOK, statx) ? undefined : readLook()
    },
    close: (fd) => void c.close(fd),
    linkOpen: (fd, folder_fd, name) =>
      c.linkat(own_fds, String(fd), folder_fd, checked(name), AT_SYMLINK_FOLLOW) === 0,
    link: (path, folder_fd, name) => c.linkat(AT_FDCWD, checked(path), folder_fd, checked(name), 0) === 0,
  }
}

function declareCalls(library: CLibrary) {
  return {
    openat: library.func('int openat(int folder, const char *name, int flags, uint32_t mode)'),
    // The C library has no name for this one.
    openat2: library.func('long syscall(long call, int folder, const char *path, void *how, size_t bytes)'),
    statx: library.func('int statx(int folder, const char *name, int flags, uint32_t mask, void *found)'),
    close: library.func('int close(int fd)'),
    renameat: library.func('int renameat(int folder, const char *from, int other, const char *to)'),
    linkat: library.func('int linkat(int from, const char *path, int folder, const char *name, int flags)'),
    unlinkat: library.func('int unlinkat(int folder, const char *name, int flags)'),
    readlinkat: library.func('long readlinkat(int folder, const char *name, void *found, size_t bytes)'),
  } as const
}

/** A text ends for the C library where a NUL is in it. */
function checked(name: string): string {
  if (name.includes('\0')) throw new Error('a name with a NUL in it')
  return name
}

/** Reads what `statx` has left in its buffer; the places are those of the kernel's `struct statx`. */
function namedReader(buffer: Buffer): () => NamedThing {
  const view = new DataView(buffer.buffer, buffer.byteOffset, STATX_BYTES)
  const little = endianness() === 'LE'
  const word = (place: number) => view.getUint32(place, little)
  const seconds = (place: number) => view.getBigInt64(place, little)
  return () => ({
    dev: deviceOf(word(0x88), word(0x8c)),
    ino: view.getBigUint64(0x20, little),
    born_ns: seconds(0x50) * S_NS + BigInt(word(0x58)),
    mtime_ms: Number(seconds(0x70)) * 1_000 + Math.floor(word(0x78) / MS_NS),
    is_folder: (view.getUint16(0x1c, little) & S_IFMT) === S_IFDIR,
  })
}

function lookReader(buffer: Buffer): () => FileLook {
  const view = new DataView(buffer.buffer, buffer.byteOffset, STATX_BYTES)
  const little = endianness() === 'LE'
  let disk = { major: 0, minor: 0, dev: 0n }
  const readDevice = (): bigint => {
    const [major, minor] = [view.getUint32(0x88, little), view.getUint32(0x8c, little)]
    // Mostly it is the disk of the last one.
    if (major !== disk.major || minor !== disk.minor) disk = { major, minor, dev: deviceOf(major, minor) }
    return disk.dev
  }
  return () => ({
    is_file: (view.getUint16(0x1c, little) & S_IFMT) === S_IFREG,
    size: Number(view.getBigUint64(0x28, little)),
    names: view.getUint32(0x10, little),
    dev: readDevice(),
    ino: view.getBigUint64(0x20, little),
    changed_ns: view.getBigInt64(0x60, little) * S_NS + BigInt(view.getUint32(0x68, little)),
  })
}

/** The number of a disk as `stat` has it, from its two halves. */
function deviceOf(major: number, minor: number): bigint {
  const [high, low] = [BigInt(major), BigInt(minor)]
  return ((high & ~0xfffn) << 32n) | ((high & 0xfffn) << 8n) | ((low & ~0xffn) << 12n) | (low & 0xffn)
}

/** Whether the calls do what they are taken for, by things that every Linux has. */
function isWorking(calls: KernelCalls): boolean {
  const proc = openSync('/proc', NAME_FOLDER)
  const fds: number[] = []
  const reach = (path: string, flags: number) => {
    const fd = calls.openBeneath(proc, path, flags)
    if (fd !== undefined) fds.push(fd)
    return fd
  }
  try {
    const kernel = reach('sys/kernel', NAME_FOLDER)
    const escapes = ['self/status', '..', '../proc', '/proc', 'no-such-thing'].map((path) =>
      reach(path, NAME_ANY),
    )
    if (kernel === undefined || escapes.some((fd) => fd !== undefined)) return false
    const [found, real] = [calls.find(proc, 'sys'), plainCalls.find(proc, 'sys')]
    const looks = [calls.look(kernel, ''), calls.look(proc, 'sys')]
    const real_looks = [fstatSync(kernel, { bigint: true }), lstatSync('/proc/sys', { bigint: true })].map(
      lookOf,
    )
    if (!isDeepStrictEqual([found, ...looks], [real, ...real_looks])) return false
    return calls.pathOf(kernel) === '/proc/sys/kernel'
  } finally {
    for (const fd of fds) calls.close(fd)
    closeSync(proc)
  }
}

function lookOf(stat: BigIntStats): FileLook {
  const { dev, ino, ctimeNs } = stat
  const [size, names] = [Number(stat.size), Number(stat.nlink)]
  return { is_file: stat.isFile(), size, names, dev, ino, changed_ns: ctimeNs }
}
