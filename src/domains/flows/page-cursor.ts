/** Where a page of a list ends: the moment and the id of its last record. */
export interface Place {
  at: string
  id: string
}

/** Before the newest record: sorts after every moment. */
export const FIRST_PLACE: Place = { at: '~', id: '~' }

const FORM = /^([0-9TZ:.-]{20,32})\|([a-z0-9_]{1,64})$/

/** The place as an opaque word that a caller hands back. */
export function renderPlace({ at, id }: Place): string {
  return Buffer.from(`${at}|${id}`).toString('base64url')
}

/** The place that a word stands for, or nothing when it is not one of ours. */
export function findPlace(cursor: string): Place | undefined {
  const [, at, id] = FORM.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return at !== undefined && id !== undefined ? { at, id } : undefined
}
