import { expect, test } from 'vitest'
import { keptWith } from './kept-with.ts'

test('a thing is made once for each owner, or for what owners share', () => {
  const made: string[] = []
  const make = ({ name }: { name: string; db: object }) => {
    made.push(name)
    return { name }
  }
  const [db, other] = [{}, {}]
  const [one, part, two] = [
    { name: 'one', db },
    { name: 'part', db },
    { name: 'two', db: other },
  ]
  const ofEach = keptWith(make)
  expect([ofEach(one), ofEach(part), ofEach(one)].map(({ name }) => name)).toEqual(['one', 'part', 'one'])
  const shared = keptWith(make, (owner) => owner.db)
  expect([shared(one), shared(part), shared(two)].map(({ name }) => name)).toEqual(['one', 'one', 'two'])
  expect(made).toEqual(['one', 'part', 'one', 'two'])
})
