import { describe, expect, test } from 'vitest'
import { VaultPolicy } from '../../platform/policy/vault-policy.ts'
import { keepProjections } from './kept-projections.ts'

const documentWith = (instruction: string, tools: readonly string[] = []) =>
  JSON.stringify({
    flow: { flow_id: 'flow_kept', version: '1.0.0' },
    steps: [{ instruction, skill_refs: tools.map((id) => ({ kind: 'external_tool', id })) }],
  })

const policyOf = (...ids: string[]) =>
  VaultPolicy.parse({ external_agent: { allowed_tools: ids.map((id) => ({ id })) } })

/** Renders a text and counts how often. */
function counter(text: string): { render(): string; times(): number } {
  let times = 0
  const render = () => {
    times++
    return text
  }
  return { render, times: () => times }
}

describe('keepProjections', () => {
  test('a text is rendered once for a document and a key', () => {
    const documentOf = keepProjections()
    const one = counter('one')
    for (let turn = 0; turn < 3; turn++)
      expect(documentOf(documentWith('Read.')).text('a', one.render)).toBe('one')
    expect(one.times()).toBe(1)
    expect(documentOf(documentWith('Read.')).text('b', () => 'two')).toBe('two')
  })

  test('a document that differs in one letter has nothing of the other', () => {
    const documentOf = keepProjections()
    documentOf(documentWith('Read.', ['web_search'])).text('a', () => 'one')
    const other = documentOf(documentWith('Read!', ['mail', 'mail']))
    expect(other.text('a', () => 'two')).toBe('two')
    expect(other.offeredUnder(policyOf('mail', 'web_search')).tools).toEqual(['mail'])
  })

  test('what is offered follows the policy, from one revision to the next and back', () => {
    const document = keepProjections()(documentWith('Read.', ['web_search', 'mail', 'mail']))
    const [both, one, none] = [policyOf('web_search', 'mail'), policyOf('mail'), policyOf()]
    for (let turn = 0; turn < 2; turn++) {
      expect(document.offeredUnder(both)).toEqual({ tools: ['mail', 'web_search'], key: 'mail\0web_search' })
      expect(document.offeredUnder(one)).toEqual({ tools: ['mail'], key: 'mail' })
      expect(document.offeredUnder(none)).toEqual({ tools: [], key: '' })
    }
  })

  test('a long document is not kept', () => {
    const documentOf = keepProjections()
    const long = documentWith('x'.repeat(300_000))
    const one = counter('one')
    for (let turn = 0; turn < 2; turn++) documentOf(long).text('a', one.render)
    expect(one.times()).toBe(2)
  })

  test('what is kept is bounded in number and size', () => {
    const documentOf = keepProjections()
    const first = counter('first')
    documentOf(documentWith('Read.')).text('a', first.render)
    for (let at = 0; at < 64; at++) documentOf(documentWith('Read.')).text(`other ${at}`, () => '')
    documentOf(documentWith('Read.')).text('a', first.render)
    expect(first.times()).toBe(2)
    for (let at = 0; at < 40; at++) documentOf(documentWith(`${at}${'x'.repeat(250_000)}`))
    documentOf(documentWith('Read.')).text('a', first.render)
    expect(first.times()).toBe(3)
  })
})
