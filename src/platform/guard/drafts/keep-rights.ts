import { type BigIntStats, fchmodSync, fchownSync, fstatSync } from 'node:fs'
import { errnoOf, fileFault } from '../faults.ts'
import type { FileRights } from '../guard.ts'
import { dropInherited, hasAccessList, setAttributes } from '../kernel/file-attributes.ts'

const PERMISSIONS = 0o777
const ALL_BITS = 0o7777
const READ = 0o444
const EXECUTE = 0o111
const READ_TO_EXECUTE = 2

/**
 * Gives a new file the rights of the one that it is to replace: owner and group as far as the process may, permission
 * bits, access control lists and other attributes. Never set-user-id and the like: what an agent wrote must not run with
 * somebody else's rights. An attribute that cannot be kept refuses the change.
 */
export function keepRights(fd: number, own: BigIntStats, kept: FileRights, given: string): void {
  const { attributes } = kept
  const owner = keepOwner(fd, own, kept)
  if (owner === 'other_group' && attributes && hasAccessList(attributes))
    throw fileFault('NotSupported', given, 'its group cannot be kept, which its access control list names')
  const missing = attributes ? dropInherited(fd, attributes, given) : []
  const mode = owner === 'other_group' ? withoutGroup(kept.mode) : kept.mode & PERMISSIONS
  if (owner !== 'kept' || (Number(own.mode) & ALL_BITS) !== mode) fchmodSync(fd, mode)
  // Last: where there is an access control list, the bits of the group are the list's mask.
  setAttributes(fd, missing, given)
}

/** Lets whoever may read a file run it too, or nobody; a list of access goes by its mask. */
export function keepExecutable(fd: number, is_executable: boolean): void {
  const mode = fstatSync(fd).mode & ALL_BITS
  const wanted = is_executable ? mode | ((mode & READ) >> READ_TO_EXECUTE) : mode & ~EXECUTE
  if (wanted !== mode) fchmodSync(fd, wanted)
}

/** Another group gets no more than everybody has. */
function withoutGroup(mode: number): number {
  const of_others = (mode & 0o007) << 3
  return mode & (0o707 | of_others)
}

function keepOwner(
  fd: number,
  own: BigIntStats,
  { uid, gid }: FileRights,
): 'kept' | 'changed' | 'other_group' {
  if (uid === undefined || gid === undefined) return 'kept'
  if (own.uid === BigInt(uid) && own.gid === BigInt(gid)) return 'kept'
  if (tryChown(fd, uid, gid)) return 'changed'
  // Only the superuser can give files away; anyone else keeps what they wrote, in a group of theirs.
  return own.gid === BigInt(gid) || tryChown(fd, Number(own.uid), gid) ? 'changed' : 'other_group'
}

function tryChown(fd: number, uid: number, gid: number): boolean {
  try {
    fchownSync(fd, uid, gid)
    return true
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error
    return false
  }
}
