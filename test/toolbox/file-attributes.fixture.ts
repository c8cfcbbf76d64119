import { constants } from 'node:os'
import { callsOf } from '../../src/platform/basics/c-library.ts'

const VERSION = 2
const NOBODY_IN_PARTICULAR = 0xffffffff
const TAGS = { user_obj: 0x01, user: 0x02, group_obj: 0x04, group: 0x08, mask: 0x10, other: 0x20 } as const
const BYTES_MAX = 65_536

export const ACCESS = 'system.posix_acl_access'
export const DEFAULT = 'system.posix_acl_default'

/** One line of an access control list: whom it is for, what they may, and which user or group it names. */
export type AclLine = readonly [tag: keyof typeof TAGS, permissions: number, id?: number]

/** A list as the kernel takes it, so that no program has to be installed. */
export function accessList(...lines: AclLine[]): Buffer {
  const bytes = Buffer.alloc(4 + 8 * lines.length)
  bytes.writeUInt32LE(VERSION)
  for (const [at, [tag, permissions, id = NOBODY_IN_PARTICULAR]] of lines.entries()) {
    bytes.writeUInt16LE(TAGS[tag], 4 + 8 * at)
    bytes.writeUInt16LE(permissions, 6 + 8 * at)
    bytes.writeUInt32LE(id, 8 + 8 * at)
  }
  return bytes
}

const library = callsOf((one) => one)
const set = library.func(
  'int setxattr(const char *path, const char *name, const void *value, size_t bytes, int flags)',
)
const get = library.func('long getxattr(const char *path, const char *name, void *value, size_t bytes)')
const list = library.func('long listxattr(const char *path, void *names, size_t bytes)')

export function setAttribute(path: string, name: string, value: Buffer): void {
  if (set(path, name, value, value.length, 0) !== 0) throw new Error(`${name}: ${library.errno()}`)
}

/** All attributes of a file, by name, in hex; but for labels that the system gives by itself. */
export function attributesOf(path: string): Record<string, string> {
  const names = Buffer.alloc(BYTES_MAX)
  const length = list(path, names, BYTES_MAX)
  if (length < 0 && library.errno() !== constants.errno.ENOTSUP) throw new Error(`list: ${library.errno()}`)
  const found = names.toString('latin1', 0, Math.max(0, length)).split('\0').slice(0, -1)
  const kept = found.filter((name) => !/^security\.(?!capability)/.test(name)).toSorted()
  return Object.fromEntries(kept.map((name) => [name, valueOf(path, name)]))
}

function valueOf(path: string, name: string): string {
  const value = Buffer.alloc(BYTES_MAX)
  return value.toString('hex', 0, get(path, name, value, BYTES_MAX))
}
