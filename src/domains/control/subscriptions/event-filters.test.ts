import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EventFilters, isWanted } from './event-filters.ts'
import { EVENT_TYPES } from './event-types.ts'

const name = fc.constantFrom('one', 'two', 'three')
const some = <Item>(item: fc.Arbitrary<Item>) => fc.uniqueArray(item, { minLength: 1, maxLength: 3 })
const filters = fc.record(
  { streams: some(name), connection_ids: some(name), types: some(fc.constantFrom(...EVENT_TYPES)) },
  { requiredKeys: [] },
)
const event = fc
  .tuple(fc.constantFrom(...EVENT_TYPES), fc.option(name, { nil: undefined }), name)
  .map(([type, stream, connection_id]) => ({
    type,
    connection_id,
    ...(stream !== undefined && { stream }),
  }))

test('an event is wanted when every filter that is there names it', () => {
  fc.assert(
    fc.property(filters, event, (wanted, given) => {
      expect(EventFilters.parse(wanted)).toEqual(wanted)
      const judged = [
        [wanted.streams, 'stream' in given ? given.stream : 'none'],
        [wanted.connection_ids, given.connection_id],
        [wanted.types, given.type],
      ] as const
      const expected = judged.every(([list, value]) => !list || (list as string[]).includes(value))
      expect(isWanted(wanted, given)).toBe(expected)
    }),
  )
})
