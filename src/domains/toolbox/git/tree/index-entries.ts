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

const FLAGS = '\tflags: '
const ASSUMED_UNCHANGED = 0x8000
const SKIPPED = 0x40000000
const INTENDED = 0x20000000

/** Reads the list. It can be long, and a pattern with thirteen groups takes twice the time. */
export function parseIndexEntries(text: string): IndexEntry[] {
  const entries: IndexEntry[] = []
  const numbers: number[] = []
  for (let at = 0; at < text.length; ) {
    const id_at = after(text, ' ', at)
    const stage_at = after(text, ' ', id_at)
    const path_at = after(text, '\t', stage_at)
    const stat_at = after(text, '\0', path_at)
    const size_end = readNumbers(text, stat_at, numbers)
    const end = after(text, '\n', size_end)
    if (!text.startsWith(FLAGS, size_end)) unknownForm()
    const flags = Number.parseInt(text.slice(size_end + FLAGS.length, end), 16)
    const [ctime_s = 0, ctime_ns = 0, mtime_s = 0, mtime_ns = 0, , ino = 0, uid = 0, gid = 0, size = 0] =
      numbers
    entries.push({
      path: text.slice(path_at, stat_at - 1),
      mode: text.slice(at, id_at - 1),
      id: text.slice(id_at, stage_at - 1),
      stage: Number(text.slice(stage_at, path_at - 1)),
      stat: { ctime_s, ctime_ns, mtime_s, mtime_ns, ino, uid, gid, size },
      is_skipped: (flags & (ASSUMED_UNCHANGED | SKIPPED)) !== 0,
      is_intended: (flags & INTENDED) !== 0,
    })
    at = end
  }
  return entries
}

function after(text: string, sign: string, from: number): number {
  const place = text.indexOf(sign, from)
  return place < 0 ? unknownForm() : place + 1
}

const NUMBERS = 9
const [ZERO, NINE] = [48, 57]

/** Reads the numbers between git's words from a place on, and answers where the last one ends. */
function readNumbers(text: string, from: number, numbers: number[]): number {
  let at = from
  for (let index = 0; index < NUMBERS; index++) {
    let code = text.charCodeAt(at)
    while (code < ZERO || code > NINE) code = text.charCodeAt(++at)
    let value = 0
    for (; code >= ZERO && code <= NINE; code = text.charCodeAt(++at)) value = value * 10 + code - ZERO
    numbers[index] = value
  }
  return at
}

/** An entry that was passed over would make a change look like none. */
function unknownForm(): never {
  throw new Error('git lists its index in a form that is not known here')
}

/** When the index was last written; a file changed in the same moment could look unchanged by its times. */
export function indexWrittenAt(git_dir: string): IndexTime {
  const stat = lstatSync(join(git_dir, 'index'), { bigint: true, throwIfNoEntry: false })
  return stat ? treeStatOf(stat) : { mtime_s: 0, mtime_ns: 0 }
}
