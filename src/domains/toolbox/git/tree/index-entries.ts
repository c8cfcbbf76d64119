import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type TreeStat, treeStatOf } from '../../../../platform/guard/tree/tree-stat.ts'

/** One entry of git's index, as `git ls-files --stage --debug -z` tells it. */
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

/** The command that lists what is in the index below the service. */
export const LIST_INDEX = ['ls-files', '--stage', '--debug', '-z'] as const
/** Of the lists that git gives of its index. */
export const MAX_LIST_BYTES = 256 * 1024 * 1024
export const SUBMODULE = '160000'
export const LINK = '120000'

const ENTRY =
  /(\d{6}) ([0-9a-f]+) (\d)\t([^\0]+)\0 +ctime: (\d+):(\d+)\n +mtime: (\d+):(\d+)\n +dev: \d+\tino: (\d+)\n +uid: (\d+)\tgid: (\d+)\n +size: (\d+)\tflags: ([0-9a-f]+)\n/y
const ASSUMED_UNCHANGED = 0x8000
const SKIPPED = 0x40000000
const INTENDED = 0x20000000

/** Reads the list. */
export function parseIndexEntries(text: string): IndexEntry[] {
  const entries: IndexEntry[] = []
  ENTRY.lastIndex = 0
  for (let found = ENTRY.exec(text); found !== null; found = ENTRY.exec(text)) {
    const [, mode = '', id = '', stage, path = ''] = found
    const number = (place: number) => Number(found?.[place])
    const flags = Number.parseInt(found[13] ?? '', 16)
    entries.push({
      path,
      mode,
      id,
      stage: Number(stage),
      stat: {
        ctime_s: number(5),
        ctime_ns: number(6),
        mtime_s: number(7),
        mtime_ns: number(8),
        ino: number(9),
        uid: number(10),
        gid: number(11),
        size: number(12),
      },
      is_skipped: (flags & (ASSUMED_UNCHANGED | SKIPPED)) !== 0,
      is_intended: (flags & INTENDED) !== 0,
    })
  }
  return entries
}

/** When the index was last written; a file changed in the same moment could look unchanged by its times. */
export function indexWrittenAt(git_dir: string): IndexTime {
  const stat = lstatSync(join(git_dir, 'index'), { bigint: true, throwIfNoEntry: false })
  return stat ? treeStatOf(stat) : { mtime_s: 0, mtime_ns: 0 }
}
