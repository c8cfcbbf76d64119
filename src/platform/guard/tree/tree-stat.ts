import { type BigIntStats, constants } from 'node:fs'

/** What version control knows a file by. Numbers are cut to 32 bits, as git's index keeps them. */
export interface TreeStat {
  /** Kind and permissions. */
  readonly mode: number
  readonly size: number
  readonly ino: number
  readonly uid: number
  readonly gid: number
  readonly ctime_s: number
  readonly ctime_ns: number
  readonly mtime_s: number
  readonly mtime_ns: number
}

const LOW_WORD = 0xffff_ffffn
const SECOND_NS = 1_000_000_000n

function low(value: bigint): number {
  return Number(value & LOW_WORD)
}

/** What version control keeps of what Node tells. */
export function treeStatOf(stat: BigIntStats): TreeStat {
  return {
    mode: Number(stat.mode),
    size: low(stat.size),
    ino: low(stat.ino),
    uid: low(stat.uid),
    gid: low(stat.gid),
    ctime_s: low(stat.ctimeNs / SECOND_NS),
    ctime_ns: Number(stat.ctimeNs % SECOND_NS),
    mtime_s: low(stat.mtimeNs / SECOND_NS),
    mtime_ns: Number(stat.mtimeNs % SECOND_NS),
  }
}

const { S_IFMT, S_IFREG, S_IFLNK, S_IFDIR } = constants

export function isFile({ mode }: TreeStat): boolean {
  return (mode & S_IFMT) === S_IFREG
}

export function isLink({ mode }: TreeStat): boolean {
  return (mode & S_IFMT) === S_IFLNK
}

export function isFolder({ mode }: TreeStat): boolean {
  return (mode & S_IFMT) === S_IFDIR
}
