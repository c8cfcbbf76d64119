import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakePrivateKey, fakeProviderTokens, fakeText } from './fixtures/fake-secrets.ts'
import { createRedactor } from './redactor.ts'

const redactor = createRedactor({ environment: { FOO: 'plainvalue123' }, patterns: ['zz-...'] })
const text = [
  'an ordinary line',
  ...Object.values(fakeProviderTokens()),
  fakePrivateKey(),
  'echo plainvalue123 and zz-abcdefgh123',
  `token: |\n  ${fakeText(30)}`,
  `apiVersion: v1\nkind: Secret\ndata:\n  a: ${Buffer.from('hunter2').toString('base64')}`,
  'words '.repeat(6_000),
  '\u001b[33mcoloured\u001b[0m '.repeat(2_000),
  `\u001b[36mAPI_TOKEN\u001b[0m: \u001b[33m${fakeText(30, 9)}\u001b[0m`,
  `password="${fakeText(20_000)}" more`,
  'the end',
].join('\n')
const whole = redactor.redact(text)

function inPieces(cuts: readonly number[]): string {
  const stream = redactor.stream()
  const bounds = [0, ...cuts.toSorted((a, b) => a - b), text.length]
  const shown = bounds.slice(1).map((end, at) => stream.push(text.slice(bounds[at], end)))
  return shown.join('') + stream.end()
}

test('any split of a text gives what the whole gives', () => {
  const cuts = fc.array(fc.nat({ max: text.length }), { maxLength: 40 })
  fc.assert(
    fc.property(cuts, (at) => inPieces(at) === whole),
    { numRuns: 60 },
  )
  expect(inPieces(Array.from({ length: text.length }, (_, at) => at))).toBe(whole)
})

test('no more than a window is held back', () => {
  const stream = redactor.stream()
  let shown = 0
  for (let pushed = 1; pushed <= 100; pushed++) {
    shown += stream.push('abc def, '.repeat(100)).length
    expect(pushed * 900 - shown).toBeLessThan(20_000)
  }
  expect(shown + stream.end().length).toBe(90_000)
})

test('whole lines are shown at once', () => {
  expect(redactor.stream().push('one\ntwo\nthr')).toBe('one\ntwo\n')
})
