import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findPlace, placeOf } from './list-cursor.ts'

test('a place comes back from its text, and no other text is a place', () => {
  const time = fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(time, fc.stringMatching(/^conn_[0-9a-f]{24}$/), (date, connection_id) => {
      const place = { created_at: date.toISOString(), connection_id }
      expect(findPlace(placeOf(place))).toEqual(place)
    }),
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      const found = findPlace(text)
      if (found) expect(findPlace(placeOf(found))).toEqual(found)
    }),
  )
  expect(findPlace('nonsense')).toBeUndefined()
})
