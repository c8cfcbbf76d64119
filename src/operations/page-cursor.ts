import { z } from 'zod'

/** Where a page of a list ends: the moment and the id of its last record. */
export interface Place {
  readonly at: string
  readonly id: string
}

/** Before the newest record: sorts after every moment. */
export const BEFORE_NEWEST: Place = { at: '~', id: '~' }
/** Before the oldest record: sorts before every moment. */
export const BEFORE_OLDEST: Place = { at: '', id: '' }

/** Some ids are chosen by others, and may hold any sign that can be seen. */
const FORM = /^([0-9TZ:.-]{20,32})\|([^\p{Cc}]{1,520})$/u

const CURSOR_CHARS = 512

/** How many records a list is asked for. */
export function limitInput(most: number, usual: number) {
  return z.int().min(1).max(most).optional().describe(`At most so many; ${usual} when left out`)
}

/** The inputs that a list takes, by whatever else it is narrowed. */
export function pageInputs(most: number, usual: number, cursor_chars = CURSOR_CHARS) {
  return {
    limit: limitInput(most, usual),
    cursor: z.string().max(cursor_chars).optional().describe('next_cursor of the page before'),
  }
}

/** The place that a cursor stands for: the beginning without one, undefined for a text that is not ours. */
export function findPlace(cursor: string | undefined, beginning = BEFORE_NEWEST): Place | undefined {
  if (cursor === undefined) return beginning
  const [, at, id] = FORM.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return at !== undefined && id !== undefined ? { at, id } : undefined
}

/** A page out of one record more than it may hold, and the cursor of the next one where there is one. */
export function cutPage<Item>(found: readonly Item[], limit: number, placeOf: (item: Item) => Place) {
  const items = found.slice(0, limit)
  const last = found.length > limit ? items.at(-1) : undefined
  if (!last) return { items, next_cursor: null }
  const { at, id } = placeOf(last)
  return { items, next_cursor: Buffer.from(`${at}|${id}`).toString('base64url') }
}
