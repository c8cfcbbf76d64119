import { expect, test } from 'vitest'
import { presentInvocation } from './present-invoke.ts'

const page = { dim: (text: string) => text } as never
const shown = (result: unknown) => presentInvocation({ tool_id: 'echo', result } as never, page)
const text = (words?: string) => ({ type: 'text', text: words })

test('an answer in text alone is shown as text, any other one as JSON', () => {
  expect(shown({ content: [text('one'), text('two')] })).toBe('one\ntwo')
  expect(shown({ content: [text(), text('\u001b[2J')] })).not.toContain('\u001b')
  for (const result of [null, 7, 'x', {}, { content: 'x' }, { content: [text('one'), { type: 'image' }] }])
    expect(shown(result)).toBe(`result\n${JSON.stringify(result, null, 2)}`)
  expect(shown({ content: [null] })).toContain('"content"')
  expect(shown(undefined)).toContain('echo was accepted and counted.')
})
