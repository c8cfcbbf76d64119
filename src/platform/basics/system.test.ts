import { expect, test } from 'vitest'
import { realSystem } from './system.ts'

test('gives as many bytes as asked for, from few to more than are drawn at once', () => {
  for (const bytes of [0, 1, 12, 16, 4_095, 4_096, 4_097, 10_000])
    expect(realSystem.random(bytes)).toMatch(new RegExp(`^[0-9a-f]{${bytes * 2}}$`))
})

test('gives nothing twice, however often the store of them is filled again', () => {
  const drawn = Array.from({ length: 5_000 }, () => realSystem.random(12))
  expect(new Set(drawn).size).toBe(drawn.length)
  expect(drawn.some((one) => /^0+$/.test(one))).toBe(false)
})
