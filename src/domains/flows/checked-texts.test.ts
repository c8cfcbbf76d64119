import { describe, expect, it } from 'vitest'
import { keepCheckedTexts } from './checked-texts.ts'

describe('texts kept by their hash', () => {
  it('gives back what was kept and nothing else', () => {
    const kept = keepCheckedTexts()
    kept.keep('a', 'text')
    expect(kept.find('a')).toBe('text')
    expect(kept.find('b')).toBeUndefined()
  })

  it('holds a bounded amount, forgetting the longest unused first', () => {
    const kept = keepCheckedTexts()
    const text = 'x'.repeat(262_144)
    for (let at = 0; at < 32; at++) kept.keep(`${at}`, text)
    kept.find('0')
    kept.keep('one more', text)
    expect(kept.find('0')).toBe(text)
    expect(kept.find('1')).toBeUndefined()
    expect(kept.find('one more')).toBe(text)
  })

  it('does not keep a text that would push out many others', () => {
    const kept = keepCheckedTexts()
    kept.keep('long', 'x'.repeat(262_145))
    expect(kept.find('long')).toBeUndefined()
  })
})
