import { expect, test } from 'vitest'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

test('--input may hold what a command takes by place; a word that is typed wins over it', async () => {
  const cli = cliAt(temporaryFolder())
  const inputs = { flow_id: 'flow_nope', flow_version: '0.1.0', requested_tools: ['echo'] }
  const line = ['flow', 'grant', 'mint', '--input', JSON.stringify(inputs), '--json']
  expect(JSON.parse((await cli(line)).stdout).code).toBe('FLOW_EXTERNAL_AGENT_DISABLED')
  const open = cliAt(temporaryFolder(), { FLOW_EXTERNAL_AGENT_ENABLED: '1' })
  expect(JSON.parse((await open(line)).stdout).code).toBe('unknown_flow')
  const typed = JSON.parse((await open([...line, 'flow_research_brief'])).stdout)
  expect(typed.code).not.toBe('unknown_flow')
})
