import { expect, test } from 'vitest'
import { createToolLists, pageOf } from './tool-list.ts'

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const described = Array.from({ length: 1_234 }, (_, at) => ({
  name: `tool_${at}`,
  description: 'A tool.',
  inputSchema: { type: 'object' },
  annotations,
}))

test('a long list comes page by page, each tool once', () => {
  const { tools, text } = createToolLists()(described)
  const names: string[] = []
  let cursor: string | undefined
  do {
    const page = pageOf(tools, cursor)
    names.push(...page.tools.map(({ name }) => name))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(names).toEqual(described.map(({ name }) => name))
  const first = JSON.parse(`{${text}}`) as { tools: object[]; nextCursor: string }
  expect([first.tools.length, first.nextCursor]).toEqual([500, 'from-500'])
})
