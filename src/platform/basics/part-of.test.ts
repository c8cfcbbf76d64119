import { expect, test } from 'vitest'
import { partOf } from './part-of.ts'

test('a part is opened once, also for a copy of its owner, and each way of opening makes one of its own', () => {
  const owner = { name: 'one', parts: new Map<unknown, unknown>() }
  const open = ({ name }: typeof owner) => ({ name })
  const part = partOf(owner, open)
  expect(partOf({ ...owner, name: 'copy' }, open)).toBe(part)
  expect(partOf(owner, ({ name }) => ({ name }))).not.toBe(part)
  expect(partOf({ name: 'two', parts: new Map() }, open)).toEqual({ name: 'two' })
})
