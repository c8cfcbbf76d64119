import { expect, test } from 'vitest'
import { type Redact, redactMembers } from './redact-name.ts'

function redactName(name: string, redact: Redact): string | undefined {
  return Object.keys(redactMembers({ [name]: 0 }, redact, (held) => held))[0]
}

test('a name without a secret is looked at once, one with a secret each time, and each by its own redactor', () => {
  const looked: string[] = []
  const look = (text: string) => {
    looked.push(text)
    return text.replace('secret', '[X]')
  }
  const redact = Object.assign(look, { clean_names: new Set<string>() })
  const names = ['plain', 'plain', 'my_secret', 'my_secret']
  expect(names.map((name) => redactName(name, redact))).toEqual(['plain', 'plain', 'my_[X]', 'my_[X]'])
  expect(looked).toEqual(['plain', 'my_secret', 'my_secret'])
  expect(redactName('plain', () => '[Y]')).toBe('[Y]')
})

test('it keeps no long name, and not more names than it should', () => {
  let looks = 0
  const look = (text: string) => (looks++, text)
  const redact = Object.assign(look, { clean_names: new Set<string>() })
  for (const name of ['x'.repeat(65), 'x'.repeat(65)]) redactName(name, redact)
  expect(looks).toBe(2)
  for (let at = 0; at < 1_001; at++) redactName(`n${at}`, redact)
  redactName('n0', redact)
  expect(looks).toBe(2 + 1_001 + 1)
})

const redactToOne: Redact = (text) => text.replace(/^k\d+$/, '[X]').replace('other', '[X] (2)')

test('names that become the same mark are told apart, and no member is lost', () => {
  const shown = redactMembers(
    { k1: 'a', other: 'b', k2: 'c', k3: 'd', __proto__: null },
    redactToOne,
    (held) => held,
  )
  expect(Object.entries(shown)).toEqual([
    ['[X]', 'a'],
    ['[X] (2)', 'b'],
    ['[X] (3)', 'c'],
    ['[X] (4)', 'd'],
  ])
})
