import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutLine, cutText, findTime, MAX_TEXT_CHARS, renderPlainText } from './source-text.ts'

describe('the text of HTML', () => {
  test.each([
    ['<p>One</p><p>Two</p>', 'One\n\nTwo'],
    ['a &lt; b &amp;&nbsp;c &#65;&#x42; &unknown;', 'a < b & c AB &unknown;'],
    ['<style>p{}</style>x<SCRIPT>alert(1)</SCRIPT>y', 'xy'],
    ['<script>never ends', ''],
    ['1 < 2', '1 < 2'],
    ['no tags', 'no tags'],
  ])('%s', (html, text) => {
    expect(renderPlainText(html)).toBe(text)
  })

  test('of whatever is given has no tags left that it knew, and is never longer', () => {
    const part = fc.constantFrom(
      '<p>',
      '</p>',
      '<',
      '>',
      '<script',
      '</script>',
      '&',
      '&#0;',
      'text',
      ' ',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string()), { maxLength: 30 }), (parts) => {
        const html = parts.join('')
        const text = renderPlainText(html)
        expect(text.length).toBeLessThanOrEqual(html.length)
        expect(text).not.toMatch(/<\/?p>/)
      }),
    )
  })

  test('is made of large and malicious input too', () => {
    for (const piece of ['<', '<a', '<script>', '&', '&#', '<p ', ' ', '\n', '<!--']) {
      expect(renderPlainText(piece.repeat(500_000)).length).toBeLessThanOrEqual(3_000_000)
    }
  })
})

test('texts and lines are cut, and stay well formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(cutText(`${text}\uD800\0`).text.isWellFormed()).toBe(true)
      expect(cutLine(`${text}\uD800\n`, 20)).toMatch(/^\P{Cc}{0,20}$/u)
    }),
  )
  expect(cutText('😀'.repeat(MAX_TEXT_CHARS))).toMatchObject({ is_cut: true })
})

test('a time that cannot be read is none', () => {
  expect([findTime('Tue, 10 Jun 2025 04:00:00 GMT'), findTime('soon'), findTime(undefined)]).toEqual([
    '2025-06-10T04:00:00.000Z',
    null,
    null,
  ])
})
