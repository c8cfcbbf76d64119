import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wireText } from './wire-text.ts'

test('whatever the text, its bytes are those of UTF-8 and as many as told', () => {
  const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(anyText, fc.constantFrom(1, 3_000), (piece, times) => {
      const text = piece.repeat(times)
      const { body, bytes } = wireText(text)
      const sent = typeof body === 'string' ? Buffer.from(body, 'latin1') : body
      expect(sent).toEqual(Buffer.from(text, 'utf8'))
      expect(sent.length).toBe(bytes)
    }),
  )
})
