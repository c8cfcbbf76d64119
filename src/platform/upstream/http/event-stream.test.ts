import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventReader } from './event-stream.ts'

function eventsOf(text: string, cuts: number[]): string[] {
  const events: string[] = []
  const read = eventReader((data) => events.push(data))
  let from = 0
  for (const cut of [...cuts.map((at) => at % (text.length + 1)).toSorted((a, b) => a - b), text.length]) {
    read(text.slice(from, cut))
    from = cut
  }
  return events
}

test('the same events come out however the text was cut and whatever ends its lines', () => {
  const data = fc.string().filter((text) => !/[\r\n]/.test(text))
  const end = fc.constantFrom('\n', '\r', '\r\n')
  fc.assert(
    fc.property(fc.array(data), end, fc.array(fc.nat()), (sent, newline, cuts) => {
      const text = sent.map(
        (one) => `: note${newline}event: message${newline}data: ${one}${newline}${newline}`,
      )
      expect(eventsOf(text.join(''), cuts)).toEqual(sent)
    }),
  )
})

test('several data lines are one event; other fields and unfinished events are none', () => {
  const text = 'id: 1\nretry: 5\n\ndata: a\ndata:b\ndata\n\ndatax: no\n\ndata: unfinished\n'
  expect(eventsOf(text, [])).toEqual(['a\nb\n'])
})
