import { expect, test } from 'vitest'
import { findPasswordFault, hashPassword, isPassword, PASSWORD_MIN_CHARS } from './owner-password.ts'

const COMPOSED = 'Pâté für Zoë, ½ Ångström'.normalize('NFC')
/** The same letters as other keyboards and systems give them. */
const FORMS = {
  decomposed: COMPOSED.normalize('NFD'),
  'compatible and decomposed': COMPOSED.normalize('NFKD'),
  'of full width': COMPOSED.replace('P', '\uff30').replace(' ', '\u3000'),
}

test.each(Object.entries(FORMS))('the same password, %s, is the password both ways', async (_what, form) => {
  expect(form).not.toBe(COMPOSED)
  expect(await isPassword(form, await hashPassword(COMPOSED))).toBe(true)
  expect(await isPassword(COMPOSED, await hashPassword(form))).toBe(true)
})

test('another case, a letter without its mark and a space more are other passwords', async () => {
  const stored = await hashPassword(COMPOSED)
  for (const other of [COMPOSED.toLowerCase(), COMPOSED.replace('â', 'a'), `${COMPOSED} `])
    expect(await isPassword(other, stored)).toBe(false)
})

test('without a stored hash no password is right', async () => {
  expect(await isPassword(COMPOSED, undefined)).toBe(false)
})

test('the length counts the characters of the normal form', () => {
  const fault = `The password needs at least ${PASSWORD_MIN_CHARS} characters.`
  const composed = 'âéîöûčďğħł'
  expect([...composed.normalize('NFKC')]).toHaveLength(10)
  // Written apart these are more signs, but no more characters.
  expect([...composed.normalize('NFD')].length).toBeGreaterThanOrEqual(PASSWORD_MIN_CHARS)
  expect(findPasswordFault(composed.normalize('NFD'))).toBe(fault)
  for (const [count, expected] of [
    [11, fault],
    [12, undefined],
    [256, undefined],
    [257, 'The password may have at most 256 characters.'],
  ] as const)
    expect(findPasswordFault('abcde'.repeat(52).slice(0, count))).toBe(expected)
  const repeats = 'The password repeats too few characters: it would be guessed at once.'
  expect(findPasswordFault('abcd'.repeat(4))).toBe(repeats)
  expect(findPasswordFault('abcde'.repeat(4))).toBeUndefined()
  expect(findPasswordFault(`abc\uff41${'abcd'.repeat(4)}`)).toBe(repeats)
})
