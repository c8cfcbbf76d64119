import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cliAt, temporaryFolder } from './run-cli.fixture.ts'

const EXAMPLE = join(import.meta.dirname, '../../../docs/examples/flow_say_it_back.json')

/** Commands that make two of a thing, and the list that shows them one by one. */
const LISTS: [list: string, make: readonly string[]][] = [
  ['audit list --operation whoami --limit 1', ['whoami', 'whoami']],
  ['flow run list flow_research_brief --limit 1', Array(2).fill('flow run start flow_research_brief')],
  ['owner intent list --limit 1', Array(2).fill('owner intent create feed')],
  ['token list --limit 1', Array(2).fill('token create --role viewer')],
  ['lock list --limit 1', ['lock agent first', 'lock agent second']],
  ['proposal list --limit 1', Array(2).fill(`flow propose --intent try --bundle ${EXAMPLE}`)],
]

describe('a list', () => {
  test.each(LISTS)('%s says how to see more, and stops saying so at its end', async (list, make) => {
    const cli = cliAt(temporaryFolder(), { FLOW_AUTHORING_WRITES: '1', FLOW_RUN_WRITES_ENABLED: '1' })
    for (const command of make) expect(await cli(command)).toMatchObject({ exit: 0, stderr: '' })
    const first = (await cli(list)).stdout.trimEnd().split('\n')
    expect(first).toHaveLength(3)
    expect(first[2]).toMatch(/^More: --(cursor|before-seq) \S+$/)
    const second = (await cli(`${list} ${first[2]?.slice('More: '.length)}`)).stdout.trimEnd().split('\n')
    expect(second[0]?.split(/ +/)).toEqual(first[0]?.split(/ +/))
    expect(second[1]).not.toBe(first[1])
    const last = await cli(list.replace('--limit 1', '--limit 100'))
    expect(last.stdout).not.toContain('More:')
  })
})

test('every list that is empty says so in a sentence', async () => {
  const cli = cliAt(temporaryFolder(), { FLOW_EXTERNAL_AGENT_ENABLED: '1' })
  const { stdout: help } = await cli('help all')
  const lists = help.match(/^ {2}[a-z -]+ (?:list|engines|live)(?= {2})/gm) ?? []
  expect(lists.length).toBeGreaterThan(15)
  const full = ['audit list', 'flow list', 'owner connector list', 'owner event list', 'tool list']
  for (const list of lists.map((line) => line.trim()).filter((line) => !full.includes(line)))
    expect((await cli(list)).stdout, list).toMatch(/^(No|Nothing|Nobody) .*\.\n$/)
})

test('one of a thing is told in the singular', async () => {
  const cli = cliAt(temporaryFolder())
  await cli([
    'ledger',
    'append',
    '--tenant-id',
    't1',
    '--source',
    'crm',
    '--type',
    'signal',
    '--payload',
    '{}',
  ])
  expect((await cli('ledger verify')).stdout).toBe('The ledger is intact: 1 entry of 1 tenant.\n')
})

test('a key without the export that it signed is refused, not passed over', async () => {
  const cli = cliAt(temporaryFolder())
  for (const chain of ['audit', 'ledger']) {
    const { exit, stdout, stderr } = await cli(`${chain} verify --public-key key.pem`)
    expect([exit, stdout]).toEqual([2, ''])
    expect(stderr).toContain('--public-key goes with --file.')
  }
})

test('an agent is named by one flag everywhere; its former spelling counts too', async () => {
  const folder = temporaryFolder()
  const cli = cliAt(temporaryFolder())
  for (const flag of ['--agent-id', '--agent'])
    await cli(['tool', 'call', 'list_files', '--project', folder, '--service', folder, flag, `by${flag}`])
  const { records } = JSON.parse((await cli('audit list --operation list_files --json')).stdout) as {
    records: { caller_id: string }[]
  }
  expect(records.map(({ caller_id }) => caller_id)).toEqual(['by--agent', 'by--agent-id'])
})

test('the help of a command tells which harnesses it refuses, and which argument may be left out', async () => {
  const cli = cliAt(temporaryFolder())
  expect((await cli('flow project --help')).stdout).toContain(
    'cursor_skill and mcp_prompt are refused as yet',
  )
  expect((await cli('backup create --help')).stdout).toMatch(/^ {2}\[path\] /m)
})

test('a flow run that is not there is met with the list of those that are', async () => {
  const { stderr } = await cliAt(temporaryFolder())('flow run get flow_research_brief run_0000000000000000')
  expect(stderr).toContain('flow run list')
})
