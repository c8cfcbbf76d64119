import type { Stats } from 'node:fs'

/** What tells whether a file is still the one that was read. */
export type FileIdentity = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>

/** Whether nothing was written to a file, nor another put in its place, since it was looked at. */
export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs
  )
}
