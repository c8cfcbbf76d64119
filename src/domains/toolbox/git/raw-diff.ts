/** One path of a raw diff, as `git diff --raw -z` prints it. */
export interface RawChange {
  readonly old_mode: string
  readonly new_mode: string
  readonly old_id: string
  readonly new_id: string
  /** A for added, D, M, R for renamed, T for another type, U for unmerged. */
  readonly status: string
  readonly path: string
  /** Of a renamed or copied file. */
  readonly from: string | undefined
}

const RECORD = /:([0-7]{6}) ([0-7]{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*\0([^\0]+)\0/y
const NEXT_PATH = /([^\0]+)\0/y

/** Reads the records at the start of a text; `end` is where they end. */
export function parseRawDiff(text: string): { changes: RawChange[]; end: number } {
  const changes: RawChange[] = []
  let end = 0
  RECORD.lastIndex = 0
  for (let found = RECORD.exec(text); found !== null; found = RECORD.exec(text)) {
    const [, old_mode = '', new_mode = '', old_id = '', new_id = '', status = '', first = ''] = found
    end = RECORD.lastIndex
    const has_two = status === 'R' || status === 'C'
    NEXT_PATH.lastIndex = end
    const second = has_two ? NEXT_PATH.exec(text)?.[1] : undefined
    if (second !== undefined) end = NEXT_PATH.lastIndex
    RECORD.lastIndex = end
    const [path, from] = second === undefined ? [first, undefined] : [second, first]
    changes.push({ old_mode, new_mode, old_id, new_id, status, path, from })
  }
  return { changes, end }
}
