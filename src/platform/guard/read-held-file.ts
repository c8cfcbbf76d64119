import { closeSync, openSync, readSync } from 'node:fs'
import { isStillItself } from './barrier.ts'
import { fileFault } from './faults.ts'
import { type FoundFile, GuardDenied } from './guard.ts'
import { itself, READ_KNOWN } from './kernel/descriptors.ts'
import { isInStore, type OpenScope } from './open-scope.ts'
import { type Leaf, rightsOf } from './trail.ts'
import { folderPathOf, pathOfPlace, requireFile, type UsedPlace, usePlace } from './use-place.ts'

/** How often a file is read anew that others were changing meanwhile. */
export const READ_ATTEMPTS = 10

/** Where a named file lies, as far as reading it needs to know. */
export interface ReadFrom {
  readonly given: string
  readonly folder_fd: number
  readonly folder_path: string
  readonly root_path: string
  readonly name: string
  readonly may_have_names: boolean
}

/** Reads a file whole, or not at all. */
export function readFile(scope: OpenScope, given: string, max_bytes: number): FoundFile {
  if (!Number.isSafeInteger(max_bytes) || max_bytes < 0)
    throw fileFault('ValidationError', given, 'the limit on bytes is not a number that can be used')
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt += 1) {
    const found = usePlace(scope, given, 'read', (place) =>
      readLeaf(requireFile(place), readFromPlace(place), max_bytes),
    )
    if (found) return found
  }
  throw new GuardDenied('changed', given)
}

/** Reads a file that is named already; answers nothing if it was changed or swapped meanwhile. */
export function readLeaf(leaf: Leaf, from: ReadFrom, max_bytes: number): FoundFile | undefined {
  const { fd, stat } = leaf
  if (stat.size > BigInt(max_bytes)) throw tooLarge(from.given, max_bytes, stat.size)
  const open_fd = openSync(itself(fd), READ_KNOWN)
  try {
    const bytes = readUpTo(open_fd, Number(stat.size), max_bytes)
    if (!isStillItself({ ...from, fd: open_fd, changed_at: stat.ctimeNs })) return undefined
    if (bytes === undefined) throw tooLarge(from.given, max_bytes)
    return { bytes, ...rightsOf(leaf) }
  } finally {
    closeSync(open_fd)
  }
}

/** All bytes of an open file, or nothing if there are more than allowed. The size is a hint: a file may grow. */
export function readUpTo(fd: number, size_hint: number, max_bytes: number): Buffer | undefined {
  let buffer = Buffer.allocUnsafe(Math.min(size_hint, max_bytes) + 1)
  let length = 0
  for (;;) {
    const count = readSync(fd, buffer, length, buffer.length - length, null)
    length += count
    // A regular file gives less than asked for only at its end.
    if (length < buffer.length) return buffer.subarray(0, length)
    if (length > max_bytes) return undefined
    buffer = Buffer.concat([buffer], Math.min(buffer.length * 2, max_bytes + 1))
  }
}

function readFromPlace(place: UsedPlace): ReadFrom {
  return {
    given: place.given,
    folder_fd: place.folder_fd,
    folder_path: folderPathOf(place),
    root_path: place.root.path,
    name: place.names.at(-1) ?? '',
    may_have_names: isInStore(place.scope, () => pathOfPlace(place)),
  }
}

function tooLarge(given: string, max_bytes: number, size?: bigint): Error {
  const has = size === undefined ? '' : `, it has ${size}`
  return fileFault('FileTooLarge', given, `is larger than ${max_bytes} bytes${has}`)
}
