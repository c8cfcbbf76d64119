import { expect, test } from 'vitest'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

const CALL = '"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":{}}'
const REFUSED: [string, string, string][] = [
  ['a repeated key', `{${CALL},"method":"ping"}`, 'BAD_REQUEST'],
  ['a key misspelt by case', `{${CALL},"Method":"ping"}`, 'BAD_REQUEST'],
  ['no JSON', 'not json', 'BAD_REQUEST'],
  ['no message', '{"id":1}', 'BAD_REQUEST'],
  ['a line that is too long', `{${CALL},"more":"${'x'.repeat(1_100_000)}"}`, 'PAYLOAD_TOO_LARGE'],
]

test.each(REFUSED)('%s over stdio runs nothing, and is recorded as refused', async (_what, line, code) => {
  const cli = cliAt(temporaryFolder())
  const served = await cli('mcp', { input: `${line}\n` })
  expect([served.exit, JSON.parse(served.stdout)]).toMatchObject([0, { error: { code: expect.any(Number) } }])
  const { stdout } = await cli('audit export')
  const lines = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(
    lines.filter(({ operation }) => operation !== undefined && operation !== 'audit_export'),
  ).toMatchObject([
    { operation: 'mcp_request', surface: 'mcp', outcome: 'denied', code, caller_kind: 'local' },
  ])
})
