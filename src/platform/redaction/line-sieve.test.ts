import { describe, expect, it } from 'vitest'
import { anchorTable } from './anchor-table.ts'
import { FOREIGN_WORDS } from './foreign-words.ts'
import { KEY_QUALIFIERS, PASSWORD_WORDS, SECRET_WORDS } from './key-names.ts'
import { isPlainLead, openLineSieve } from './line-sieve.ts'
import { ASIDES, WORDS } from './line-words.ts'

function said(saying: 'password' | 'secret'): string[] {
  return [...WORDS[saying], ...ASIDES.filter(([, says]) => says === saying).map(([text]) => text)]
}

describe('what a quick look goes by', () => {
  it.each([...PASSWORD_WORDS])('%s has a word for a password in it', (word) => {
    const isSaid = said('password').some((part) => word.includes(part))
    expect(isSaid || /pass(?:$|e$|[copw])/.test(word)).toBe(true)
  })

  it.each([...SECRET_WORDS])('%s has a word for a secret in it, or a key that is qualified', (word) => {
    const isKey = [...KEY_QUALIFIERS].some((qualifier) => new RegExp(`${qualifier}key(?:id)?$`).test(word))
    expect(isKey || said('secret').some((part) => word.includes(part))).toBe(true)
  })
})

describe('a word in another script', () => {
  const beyondAscii = Array.from({ length: 0x11_0000 - 0x80 }, (_, at) => String.fromCodePoint(at + 0x80))
  const isTold = (letter: string) => {
    const form = new RegExp(`^${letter}$`, 'iu')
    const written = beyondAscii.filter((char) => form.test(char))
    return written.length > 0 && written.every((char) => !isPlainLead(Buffer.from(char)[0] as number))
  }

  it.each(FOREIGN_WORDS)('%s has a letter whose first byte no sign begins with', (word) => {
    const letters = Array.from(word).filter((letter) => letter > '\u007f')
    expect(letters.some(isTold)).toBe(true)
  })
})

describe('lines', () => {
  const sieve = openLineSieve(anchorTable([], []))
  const found = (text: string) => {
    const ranges = sieve.find(Buffer.from(text)) ?? []
    return Array.from({ length: ranges.length / 2 }, (_, at) =>
      Buffer.from(text).toString('utf8', ranges[2 * at], ranges[2 * at + 1]),
    )
  }

  it('of ordinary code are passed over, though they have words for secrets on them', () => {
    const lines = [
      'import { createToken } from "./token.ts"',
      'const key = keys[index]',
      '  if (!session.isOpen) return undefined // passed by the caller',
      'export function signatureOf(key: string): Signature {',
      ' * See https://example.com/docs/auth for what is passed on.',
      '— a sign, “quotes” and a key —',
    ]
    expect(found(lines.join('\n'))).toEqual(['— a sign, “quotes” and a key —'])
  })

  it('of interest are told apart from the others, those beside each other as one', () => {
    const secret = 'password = "hunter2"'
    expect(found(`one\n${secret}\ntwo\n${secret}\n${secret}\r\nthree`)).toEqual([
      secret,
      `${secret}\n${secret}\r`,
    ])
    expect(found(`${'long '.repeat(4_000)}\nshort`)).toHaveLength(1)
  })
})
