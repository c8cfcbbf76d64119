import { expect, test } from 'vitest'
import { failureOf } from '../fixtures/test-upstreams.fixture.ts'
import { askUntilWhole } from './asking-back.ts'

test.each<[string, object, number]>([
  ['without end', { requestState: 'again' }, 9],
  ['for words of a model', { inputRequests: { a: { method: 'sampling/createMessage', params: {} } } }, 1],
  ['for nothing that is known', { inputRequests: { a: null } }, 1],
  ['with a note that is no text', { requestState: 7 }, 1],
])('a server that asks back %s is given up', async (_, asking, times) => {
  let asked = 0
  const ask = async () => {
    asked++
    return { resultType: 'input_required', ...asking }
  }
  expect(await failureOf(askUntilWhole(ask, { name: 'say' }))).toBe('protocol sent')
  expect(asked).toBe(times)
})

test('a note goes back as it came, without what was not asked; the answer says nothing of rounds', async () => {
  const heard: object[] = []
  const answers = [
    { resultType: 'input_required', requestState: ' {"a" :1}' },
    { resultType: 'input_required', inputRequests: { q: { method: 'elicitation/create' } } },
    { resultType: 'complete', content: [] },
  ]
  const ask = async (params: object) => {
    heard.push(params)
    return answers[heard.length - 1]
  }
  expect(await askUntilWhole(ask, { name: 'say' })).toEqual({ content: [] })
  expect(heard).toEqual([
    { name: 'say' },
    { name: 'say', requestState: ' {"a" :1}' },
    { name: 'say', inputResponses: { q: { action: 'decline' } } },
  ])
})
