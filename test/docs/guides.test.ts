import { expect, test } from 'vitest'
import { readPage, runPage } from './run-guide.fixture.ts'

test('the guide to external agents runs as written', async () => {
  const output = await runPage(readPage('docs/external-agents.md'))
  const told = [
    'status    proposed',
    'status      approved',
    'knowtation.agent_bundle/v0',
    'Echo: hello',
    'The call would be let through',
    'revoked 2',
  ]
  for (const text of [...told, 'Error (FLOW_EXTERNAL_GRANT_REVOKED)', 'The audit log is intact']) {
    expect(output).toContain(text)
  }
  expect(output.match(/^Error/gm)).toHaveLength(1)
}, 120_000)
