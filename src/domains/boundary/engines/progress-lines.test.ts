import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EngineProgress } from './engine-end.ts'
import { plainNote, progressReader } from './progress-lines.ts'

function read(...pieces: string[]): EngineProgress[] {
  const found: EngineProgress[] = []
  const take = progressReader((progress) => found.push(progress))
  pieces.forEach(take)
  return found
}

test('reports are found among whatever else is written, however it is cut', () => {
  const text = 'hello\n{"progress":0.25}\n{"progress":1,"note":"done"}\nTraceback: {"progress":0.5}\n'
  const expected = [
    { share: 0.25, note: null },
    { share: 1, note: 'done' },
  ]
  expect(read(text)).toEqual(expected)
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((end, at) => text.slice(places[at], end))
      expect(read(...pieces)).toEqual(expected)
    }),
  )
})

test('what is no report is passed over', () => {
  const wrong = [
    '{"progress":2}',
    '{"progress":"1"}',
    '{"progress":0.1,"x":1}',
    '{"progress":0.1',
    '[0.1]',
    '0.1',
    '',
  ]
  expect(read(`${wrong.join('\n')}\n`)).toEqual([])
  expect(read(`{"progress":0.1,"note":"${'n'.repeat(2_000)}"}\n`)).toEqual([])
  expect(read('{"progress":0.1}')).toEqual([])
})

test('a note is read as it was said, and shown as one short line', () => {
  const said = `a\n\u0007b${'c'.repeat(500)}`
  const [found] = read(`{"progress":0.1,"note":${JSON.stringify(said)}}\n`)
  expect(found?.note).toBe(said)
  expect(plainNote(said)).toBe(`a b${'c'.repeat(117)}`)
})

test('no text makes it fail or keep much', () => {
  fc.assert(fc.property(fc.array(fc.string()), (pieces) => void read(...pieces)))
  expect(read('x'.repeat(1_000_000), '\n{"progress":0.5}\n')).toEqual([{ share: 0.5, note: null }])
})
