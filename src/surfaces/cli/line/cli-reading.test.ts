import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

/** A line for the shell that goes on has a sign of it at its end. */
const words = (text: string) => text.split(/\s+/).filter((word) => word !== '' && word !== '\\')

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

  test.each(['help all', 'owner --help', 'flow project --help', 'boundary compose --help'])(
    'knowtation %s fits the terminal, and is whole where there is none',
    async (line) => {
      const cli = cliAt(temporaryFolder())
      const [shown, piped] = [await cli(line, { isTerminal: true, columns: 80 }), await cli(line)]
      expect(shown.stdout.split('\n').filter((one) => one.length > 80)).toEqual([])
      expect(piped.stdout.split('\n').some((one) => one.length > 80)).toBe(true)
      // Broken between words: but for the shorter sentences of the long list, nothing is lost.
      if (line !== 'help all') expect(words(shown.stdout)).toEqual(words(piped.stdout))
    },
  )

  test('a time is shortened before anything is cut, and never cut itself', async () => {
    const cli = cliAt(temporaryFolder(), { NO_COLOR: '1' })
    await cli('whoami')
    const shown = async (columns: number) => (await cli('audit list', { isTerminal: true, columns })).stdout
    expect(await shown(200)).toMatch(/^1 +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z +whoami +-/m)
    expect(await shown(82)).toMatch(/^1 +\d{4}-\d\d-\d\d \d\d:\d\dZ +whoami +-/m)
    expect(await shown(76)).toMatch(/^1 +\d\d-\d\d \d\d:\d\dZ +whoami +-/m)
    expect(await shown(40)).toMatch(/^1 +\d\d-\d\d \d\d:\d\dZ +/m)
    await cli('token create --role viewer --ttl 365d')
    const listed = await cli('token list', { isTerminal: true, columns: 60 })
    expect(listed.stdout).toMatch(/ \d{4}-\d\d-\d\d +\d{4}-\d\d-\d\d/)
  })

  test('the list of tools fits the terminal', async () => {
    const { stdout } = await cliAt(temporaryFolder())('tool list', { isTerminal: true, columns: 80 })
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(stdout).toMatch(/^read_file +Reads /m)
  })

  test('the list of tools takes the seat that a call takes', async () => {
    const cli = cliAt(temporaryFolder())
    const project = temporaryFolder()
    mkdirSync(join(project, 'shop'))
    const seat = `--project ${project} --service shop`
    for (const role of ['dev', 'sre', 'product_owner', 'stranger']) {
      const seated = await cli(`tool list ${seat} --role ${role}`)
      expect(seated).toEqual({ ...(await cli(`tool list --role ${role}`)), exit: 0 })
    }
    const nowhere = await cli(`tool list --project ${project} --service none --role dev`)
    expect([nowhere.exit, nowhere.stdout]).toEqual([2, ''])
  })

  test('the list of tools of a running hub takes no seat, and one of a role asks no hub', async () => {
    const refused = await cliAt(temporaryFolder())('tool list --url http://127.0.0.1:9 --role sre')
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('which no flag changes')])
    const env = { KNOWTATION_URL: 'http://127.0.0.1:9' }
    const looked = await cliAt(temporaryFolder(), env)('tool list --role sre')
    expect([looked.exit, looked.stdout]).toEqual([0, expect.stringMatching(/^system_ctl /m)])
  })

  test('help says what counts when a flag is left out', async () => {
    const { stdout } = await cliAt(temporaryFolder())('tool session create --help')
    expect(stdout).toMatch(/^ {2}--role NAME .*\(default dev\)$/m)
    expect(stdout).toMatch(/^ {2}--ttl DURATION .*\(default 28800\)$/m)
  })

  test('a table keeps ids whole on a narrow terminal: the next command needs them', async () => {
    const cli = cliAt(temporaryFolder(), { NO_COLOR: '1' })
    const made = await cli(
      'token create --role viewer --ttl 2h --label a-label-that-is-far-too-long-for-it --json',
    )
    const { token_id } = (JSON.parse(made.stdout) as { token: { token_id: string } }).token
    const { stdout } = await cli('token list', { isTerminal: true, columns: 44 })
    expect(stdout.split('\n')[1]).toMatch(new RegExp(`^${token_id} `))
    expect(stdout).toContain('…')
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
