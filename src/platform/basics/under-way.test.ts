import fc from 'fast-check'
import { expect, test } from 'vitest'
import { underWay } from './under-way.ts'

const id = fc.oneof(
  fc.integer({ min: -3, max: 5 }),
  fc.constantFrom<string | number>('1', '-1', '', '__proto__', 'constructor', '"1', 1.5, 2 ** 40),
)
const step = fc.record({ act: fc.constantFrom('set', 'delete', 'get'), id, value: fc.integer() })

test('it is a map', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const table = underWay<number>()
      const map = new Map<string | number, number>()
      for (const { act, id: key, value } of steps) {
        if (act === 'set') {
          table.set(key, value)
          map.set(key, value)
        } else if (act === 'delete') {
          table.delete(key)
          map.delete(key)
        }
        expect(table.get(key)).toBe(map.get(key))
        expect(table.size).toBe(map.size)
        expect(table.values().toSorted()).toEqual([...map.values()].toSorted())
      }
    }),
  )
})
