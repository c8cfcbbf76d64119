import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BEFORE_NEWEST, cutPage, findPlace, type Place } from './page-cursor.ts'

const cursorAt = (place: Place) => cutPage([place, place], 1, (one) => one).next_cursor ?? ''

test('a place comes back from its cursor, and no other text is a place', () => {
  const time = fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(time, fc.stringMatching(/^conn_[0-9a-f]{24}$/), (date, id) => {
      const place = { at: date.toISOString(), id }
      expect(findPlace(cursorAt(place))).toEqual(place)
    }),
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      const found = findPlace(text)
      if (found) expect(findPlace(cursorAt(found))).toEqual(found)
    }),
  )
  expect(findPlace('nonsense')).toBeUndefined()
})

test('a list begins where it is told, and its last page has no cursor', () => {
  expect(findPlace(undefined)).toEqual(BEFORE_NEWEST)
  expect(cutPage([1, 2], 2, () => BEFORE_NEWEST)).toEqual({ items: [1, 2], next_cursor: null })
})
