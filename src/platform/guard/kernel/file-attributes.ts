import { constants } from 'node:os'
import { type CLibrary, callsOf } from '../../basics/c-library.ts'
import { fileFault } from '../faults.ts'
import type { FileAttribute } from '../guard.ts'
import { itself } from './descriptors.ts'

/** The most that the kernel gives, of names together and for each value. */
const BYTES_MAX = 65_536
/** Rights and signatures of the old content: the kernel itself takes them away when a file is written. */
const OF_CONTENT = new Set(['security.capability', 'security.ima', 'security.evm'])
const ACCESS_LIST = /^system\.[a-z0-9]+_acl/

interface AttributeCalls {
  /** The names, each with a NUL behind it; undefined where they cannot be read. Good until the next call. */
  list(fd: number): Buffer | undefined
  /** The value; undefined where it cannot be read. Good until the next call. */
  get(fd: number, name: string): Buffer | undefined
  set(fd: number, attribute: FileAttribute): boolean
  remove(fd: number, name: string): boolean
}

/**
 * The extended attributes of a file that is held, access control lists among them. Node has no calls for these. The
 * file may be open or only named.
 */
export function readAttributes(fd: number, given: string): FileAttribute[] {
  const calls = requireCalls(given)
  const list = calls.list(fd)
  if (list?.length === 0) return []
  if (list === undefined) throw fileFault('NotSupported', given, 'its attributes cannot be read')
  // Names are bytes; each byte is a character here.
  const names = list.toString('latin1').split('\0').slice(0, -1)
  return names.map((name) => {
    const value = calls.get(fd, name)
    if (value === undefined) throw cannotKeep(given, name)
    return { name, value: Buffer.from(value) }
  })
}

/** Whether access to a file depends on more than its owner, its group and its permission bits. */
export function hasAccessList(attributes: readonly FileAttribute[]): boolean {
  return attributes.some(({ name }) => ACCESS_LIST.test(name))
}

/**
 * Takes from a new file what it got from its folder and the old file does not have, and answers what it lacks of the
 * old one's. Labels of the system (`security.*`) stay as the system gave them where the old file has none.
 */
export function dropInherited(
  fd: number,
  wanted: readonly FileAttribute[],
  given: string,
): readonly FileAttribute[] {
  const found = readAttributes(fd, given)
  if (found.length === 0 && wanted.length === 0) return wanted
  const kept = wanted.filter(({ name }) => !OF_CONTENT.has(name))
  for (const { name } of found) {
    if (name.startsWith('security.') || kept.some((one) => one.name === name)) continue
    if (!requireCalls(given).remove(fd, name)) throw cannotKeep(given, name)
  }
  return kept.filter(({ name, value }) => !found.some((one) => one.name === name && one.value.equals(value)))
}

/** Gives a new file attributes of the one that it is to replace; all of them, or the change is refused. */
export function setAttributes(fd: number, attributes: readonly FileAttribute[], given: string): void {
  for (const attribute of attributes)
    if (!requireCalls(given).set(fd, attribute)) throw cannotKeep(given, attribute.name)
}

function cannotKeep(given: string, name: string): Error {
  const shown = /^[\w.:-]{1,80}$/.test(name) ? `the attribute ${name}` : 'an attribute with an odd name'
  return fileFault('NotSupported', given, `${shown} cannot be kept, so nothing was written`)
}

function requireCalls(given: string): AttributeCalls {
  try {
    return callsOf(declareCalls)
  } catch {
    throw fileFault('NotSupported', given, 'its attributes cannot be looked at on this system')
  }
}

function declareCalls(library: CLibrary): AttributeCalls {
  const buffer = Buffer.alloc(BYTES_MAX)
  const filled = (bytes: number) => (bytes < 0 ? undefined : buffer.subarray(0, bytes))
  const flist = library.func('long flistxattr(int fd, void *names, size_t bytes)')
  const list = library.func('long listxattr(const char *path, void *names, size_t bytes)')
  const get = library.func('long getxattr(const char *path, const void *name, void *value, size_t bytes)')
  const set = library.func(
    'int setxattr(const char *path, const void *name, const void *value, size_t bytes, int flags)',
  )
  const remove = library.func('int removexattr(const char *path, const void *name)')
  const { EBADF, ENOTSUP } = constants.errno
  return {
    list(fd) {
      const length = flist(fd, buffer, BYTES_MAX)
      if (length >= 0) return filled(length)
      // A descriptor that only names a file can be asked through its path.
      const named = library.errno() === EBADF ? list(itself(fd), buffer, BYTES_MAX) : length
      return filled(named < 0 && library.errno() === ENOTSUP ? 0 : named)
    },
    get: (fd, name) => filled(get(itself(fd), asBytes(name), buffer, BYTES_MAX)),
    set: (fd, { name, value }) => set(itself(fd), asBytes(name), value, value.length, 0) === 0,
    remove: (fd, name) => remove(itself(fd), asBytes(name)) === 0,
  }
}

function asBytes(name: string): Buffer {
  return Buffer.from(`${name}\0`, 'latin1')
}
