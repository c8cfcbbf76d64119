import { describe, expect, test } from 'vitest'
import { cliAt, temporaryFolder } from './run-cli.fixture.ts'

describe('what a person reads', () => {
  test('a table fits the terminal', async () => {
    const cli = cliAt(temporaryFolder(), { NO_COLOR: '1' })
    const { stdout } = await cli('flow list', { isTerminal: true, columns: 60 })
    const widths = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.length)
    expect(Math.max(...widths)).toBeLessThanOrEqual(60)
    expect(stdout).toContain('…')
  })

  test('a table keeps ids whole on a narrow terminal: the next command needs them', async () => {
    const cli = cliAt(temporaryFolder(), { NO_COLOR: '1' })
    const made = await cli('token create --role viewer --ttl 2h --json')
    const { token_id } = (JSON.parse(made.stdout) as { token: { token_id: string } }).token
    const { stdout } = await cli('token list', { isTerminal: true, columns: 60 })
    expect(stdout.split('\n')[1]).toMatch(new RegExp(`^${token_id} .*…`))
    expect((await cli(['token', 'revoke', token_id])).exit).toBe(0)
    const target = await cli('audit list --operation token_revoke', { isTerminal: true, columns: 60 })
    expect(target.stdout).toContain(token_id)
  })

  test('a part of an answer that has nothing in it is a dash', async () => {
    const cli = cliAt(temporaryFolder())
    const { exit, stdout } = await cli('owner subscription create http://127.0.0.1:65000/')
    expect(exit).toBe(0)
    expect(stdout).toMatch(/^filters +-$/m)
  })

  test('who invokes a tool without a grant is told where its bearer goes', async () => {
    const cli = cliAt(temporaryFolder(), { FLOW_EXTERNAL_AGENT_ENABLED: '1' })
    const { stderr } = await cli('flow tool invoke echo --flow-id flow_research_brief --flow-version 0.1.0')
    expect(stderr).toMatch(/^Error \(FLOW_EXTERNAL_GRANT_DENIED\): .+\nHint: .*KNOWTATION_GRANT_BEARER.*\n$/)
  })

  test('colour is for terminals whose reader does not mind', async () => {
    const home = temporaryFolder()
    const terminal = { isTerminal: true, columns: 80 }
    expect((await cliAt(home)('flow list', terminal)).stdout).toContain('\x1b[1m')
    expect((await cliAt(home, { NO_COLOR: '1' })('flow list', terminal)).stdout).not.toContain('\x1b')
    expect((await cliAt(home)('flow list')).stdout).not.toContain('\x1b')
  })
})
