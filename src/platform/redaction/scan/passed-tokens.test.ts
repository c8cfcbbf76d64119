import { expect, test } from 'vitest'
import { passedTokens } from './passed-tokens.ts'

test('what a token was judged by is told once, and only for another look', () => {
  const passed = passedTokens()
  let told = 0
  const tell = (sight: string) => () => {
    told++
    return sight
  }
  for (let at = 0; at < 100; at++) {
    expect(passed.has(tell(`token ${at}`))).toBe(false)
    passed.add(tell(`token ${at}`))
  }
  expect(told).toBe(0)
  passed.lookAgain()
  passed.lookAgain()
  expect(told).toBe(100)
  expect(passed.has(tell('token 7'))).toBe(true)
  expect(passed.has(tell('another token'))).toBe(false)
})
