/** A place in a list that is ordered by time and then by id. */
export interface ListPlace {
  readonly created_at: string
  readonly connection_id: string
}

const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\|([A-Za-z0-9_-]{1,100})$/

/** A place as a text that only this list reads. */
export function placeOf({ created_at, connection_id }: ListPlace): string {
  return Buffer.from(`${created_at}|${connection_id}`).toString('base64url')
}

/** The place that a text stands for; nothing for one that is none of ours. */
export function findPlace(cursor: string): ListPlace | undefined {
  const [, created_at, connection_id] = PLACE.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  return created_at && connection_id ? { created_at, connection_id } : undefined
}
