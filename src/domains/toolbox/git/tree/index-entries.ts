import { join } from 'node:path'
import { type TreeStat, treeStatOf } from '../../../../platform/guard/tree/tree-stat.ts'
import { ToolFault } from '../../tool-fault.ts'
import { readPlainFile } from '../repository/read-plainly.ts'
import type { Repository } from '../repository/repository.ts'
import { notSupported } from '../repository/trusted-config.ts'

/** One entry of git's index. */
export interface IndexEntry {
  /** Relative to the service. */
  readonly path: string
  /** Octal, as git prints it. */
  readonly mode: string
  readonly id: string
  /** 0, or in a conflict 1 for the common base, 2 for ours, 3 for theirs. */
  readonly stage: number
  readonly stat: IndexStat
  /** The owner told git to take the file for unchanged, or not to have it in the work tree. */
  readonly is_skipped: boolean
  readonly is_intended: boolean
}

/** What the file was when git last looked at it. */
export type IndexStat = Omit<TreeStat, 'mode'>

export type IndexTime = Pick<TreeStat, 'mtime_s' | 'mtime_ns'>

/** What git wrote into its index, and when. */
export interface Index {
  readonly entries: readonly IndexEntry[]
  /** A file changed in the same moment could look unchanged by its times. */
  readonly written: IndexTime
}

/** Of the lists that git gives of its index. */
export const MAX_LIST_BYTES = 256 * 1024 * 1024
export const SUBMODULE = '160000'
export const LINK = '120000'

const MAX_INDEX_BYTES = 256 * 1024 * 1024
const HEADER_BYTES = 12
/** More than the kernel takes. */
const MAX_NAME_BYTES = 16 * 1024
const VERSIONS = new Set([2, 3, 4])
/** Up to here an entry has its times and numbers, each of four bytes. */
const STAT_BYTES = 40
const ASSUMED_UNCHANGED = 0x8000
const EXTENDED = 0x4000
const STAGE_PLACE = 12
/** Of the second flags, which only an extended entry has. */
const SKIPPED = 0x4000
const INTENDED = 0x2000
const BEYOND_ASCII = /[^\0-\x7f]/

/** Reads what git's index has below the service, as git itself writes it. Without an index there is nothing in it. */
export function readIndex({ git_dir, prefix, settings }: Repository): Index {
  const found = findIndexFile(join(git_dir, 'index'))
  if (found === undefined) return { entries: [], written: { mtime_s: 0, mtime_ns: 0 } }
  const is_long = settings.format.some(
    ({ name, value }) => name === 'extensions.objectformat' && value === 'sha256',
  )
  return { entries: parseIndex(found.bytes, is_long ? 32 : 20, prefix), written: treeStatOf(found.stat) }
}

function findIndexFile(path: string) {
  try {
    const found = readPlainFile(path, MAX_INDEX_BYTES)
    if (found === undefined) throw notSupported('.git/index is no plain file, or too large')
    return found
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** An entry that was passed over would make a change look like none, so what is not understood is refused as a whole. */
export function parseIndex(bytes: Buffer, id_bytes: number, prefix: string): IndexEntry[] {
  try {
    return readEntries(bytes, id_bytes, prefix)
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error
  }
}

function readEntries(bytes: Buffer, id_bytes: number, prefix: string): IndexEntry[] {
  const version = bytes.readUInt32BE(4)
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || !VERSIONS.has(version)) throw damaged()
  const entries: IndexEntry[] = []
  let at = HEADER_BYTES
  let name = ''
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const begin = at
    const flags_at = at + STAT_BYTES + id_bytes
    const flags = bytes.readUInt16BE(flags_at)
    const more = flags & EXTENDED ? bytes.readUInt16BE(flags_at + 2) : 0
    at = flags_at + (flags & EXTENDED ? 4 : 2)
    let kept = 0
    // Version 4 tells how much of the name before it does not have.
    if (version === 4) [kept, at] = readKept(bytes, at, name.length)
    const end = bytes.indexOf(0, at)
    if (end < 0) throw damaged()
    if (end - at + kept > MAX_NAME_BYTES) throw damaged()
    name = name.slice(0, kept) + bytes.toString('latin1', at, end)
    at = version === 4 ? end + 1 : begin + ((end - begin + 8) & ~7)
    const path = BEYOND_ASCII.test(name) ? Buffer.from(name, 'latin1').toString() : name
    if (path.startsWith(prefix))
      entries.push(entryAt(bytes, begin, id_bytes, path.slice(prefix.length), flags, more))
  }
  checkRest(bytes, at, bytes.length - id_bytes)
  return entries
}

function entryAt(
  bytes: Buffer,
  at: number,
  id_bytes: number,
  path: string,
  flags: number,
  more: number,
): IndexEntry {
  return {
    path,
    mode: bytes.readUInt32BE(at + 24).toString(8),
    id: bytes.toString('hex', at + STAT_BYTES, at + STAT_BYTES + id_bytes),
    stage: (flags >> STAGE_PLACE) & 3,
    stat: {
      ctime_s: bytes.readUInt32BE(at),
      ctime_ns: bytes.readUInt32BE(at + 4),
      mtime_s: bytes.readUInt32BE(at + 8),
      mtime_ns: bytes.readUInt32BE(at + 12),
      ino: bytes.readUInt32BE(at + 20),
      uid: bytes.readUInt32BE(at + 28),
      gid: bytes.readUInt32BE(at + 32),
      size: bytes.readUInt32BE(at + 36),
    },
    is_skipped: (flags & ASSUMED_UNCHANGED) !== 0 || (more & SKIPPED) !== 0,
    is_intended: (more & INTENDED) !== 0,
  }
}

/** A number in pieces of seven bits, each counted from one above the last of the shorter ones. */
function readKept(bytes: Buffer, from: number, length: number): [kept: number, at: number] {
  let at = from
  let byte = bytes.readUInt8(at++)
  let dropped = byte & 127
  while (byte & 128) {
    byte = bytes.readUInt8(at++)
    dropped = (dropped + 1) * 128 + (byte & 127)
  }
  if (dropped > length) throw damaged()
  return [length - dropped, at]
}

/** What follows the entries may be passed over where git says so, by a capital letter. */
function checkRest(bytes: Buffer, from: number, end: number): void {
  let at = from
  while (at < end) {
    const kind = bytes.toString('latin1', at, at + 4)
    if (kind === 'link')
      throw notSupported('its index is split (`git update-index --no-split-index` joins it)')
    if (kind === 'sdir')
      throw notSupported('its index is sparse (`git sparse-checkout reapply --no-sparse-index`)')
    if (!/^[A-Z]/.test(kind)) throw damaged()
    at += 8 + bytes.readUInt32BE(at + 4)
  }
  if (at !== end) throw damaged()
}

function damaged(): ToolFault {
  return new ToolFault(
    'CommandFailed',
    'The index of the repository is damaged, or in a form that is not known here.',
    'Ask the owner to look at it with `git status`.',
  )
}
