import { expect, test } from 'vitest'
import { cliAt, temporaryFolder } from '../../run-cli.fixture.ts'

test('without a word about rights the client is a viewer; more has to be said', async () => {
  const cli = cliAt(temporaryFolder())
  const argsOf = async (...flags: string[]) => {
    const { stdout } = await cli(['mcp', 'config', '--client', 'cursor', '--json', ...flags])
    return (JSON.parse(stdout).settings.mcpServers.knowtation.args as string[]).slice(-2)
  }
  expect(await argsOf()).toEqual(['--role', 'viewer'])
  for (const role of ['viewer', 'editor', 'evaluator', 'admin'])
    expect(await argsOf('--role', role)).toEqual(['--role', role])
})

test('the role that is written is the one that counts', async () => {
  const cli = cliAt(temporaryFolder())
  const ask = async (role: string) => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const lines = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
      { jsonrpc: '2.0', id: 3, method: 'tools/list' },
    ]
    const input = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`
    const { stdout } = await cli(['mcp', '--role', role], { input })
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const tools = answers.find(({ id }) => id === 3).result.tools as { name: string }[]
    const { role: told } = answers.find(({ id }) => id === 2).result.structuredContent
    return { told, writes: tools.some(({ name }) => name === 'flow_run_start') }
  }
  expect(await ask('viewer')).toEqual({ told: 'viewer', writes: false })
  expect(await ask('admin')).toEqual({ told: 'admin', writes: true })
})

test.each([
  [['--role', 'owner'], 'There is no role owner.'],
  [['--role', 'Admin'], 'There is no role Admin.'],
  [['--role', 'viewer', '--role', 'admin'], 'There is no role'],
  [['--role', 'admin', '--service', '.'], 'There is no role admin.'],
  [['--role', 'admin', '--url', 'http://127.0.0.1:4747'], 'the token decides'],
])('%j is refused, and nothing is printed', async (flags, told) => {
  const { exit, stdout, stderr } = await cliAt(temporaryFolder())([
    'mcp',
    'config',
    '--client',
    'cursor',
    ...flags,
  ])
  expect([exit, stdout]).toEqual([2, ''])
  expect(stderr).toContain(told)
})
