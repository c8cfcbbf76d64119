import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { allOperations } from '../../domains/index.ts'
import { GLOBAL_FLAGS } from './line/globals.ts'
import { flagNames } from './line/operation-flags.ts'
import { loadAllCommands } from './load-commands.ts'
import { cliAt, temporaryFolder } from './run-cli.fixture.ts'

const STARTERS = {
  flow_capture_to_note: 'personal',
  flow_research_brief: 'personal',
  flow_reviewed_writeback: 'personal',
  flow_session_to_flow: 'personal',
  flow_multi_repo_change: 'project',
  flow_overseer_handover: 'project',
}

describe('operations as commands', () => {
  verifies('FLOW-019', 'flow list of a fresh home shows the six starter flows at 0.1.0', async () => {
    const cli = cliAt(temporaryFolder())
    const { exit, stdout } = await cli('flow list --json')
    const { flows } = JSON.parse(stdout) as { flows: { flow_id: string; version: string; scope: string }[] }
    expect(exit).toBe(0)
    expect(Object.fromEntries(flows.map(({ flow_id, scope }) => [flow_id, scope]))).toEqual(STARTERS)
    expect(new Set(flows.map(({ version }) => version))).toEqual(new Set(['0.1.0']))
  })

  test('a person reads a table, a program the document and nothing else', async () => {
    const cli = cliAt(temporaryFolder())
    const table = await cli('flow ls')
    expect(table.stdout.split('\n')[0]).toMatch(/^FLOW +VERSION +SCOPE +STEPS +TITLE$/)
    expect(table.stdout).toMatch(/^flow_research_brief +0\.1\.0 +personal +5 +Write a research brief/m)
    const { stdout } = await cli('--json whoami')
    expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout))}\n`)
  })

  test('a refusal prints its code and ends with a hint; with --json it is the REST body', async () => {
    const cli = cliAt(temporaryFolder())
    const person = await cli('flow get flow_nope')
    expect(person).toMatchObject({ exit: 1, stdout: '' })
    expect(person.stderr).toMatch(/^Error \(unknown_flow\): .+\nHint: .+\n$/)
    const program = await cli('flow get flow_nope --json')
    expect(program).toMatchObject({ exit: 1, stderr: '' })
    expect(program.stdout).toMatch(/^\{"error":"unknown_flow","code":"unknown_flow","message":.+\}\n$/)
  })

  test('no text that is kept can drive the terminal', async () => {
    const cli = cliAt(temporaryFolder())
    const reason = 'a\x1b]0;owned\x07\x9b31m\u202eb'
    const made = await cli(['lock', 'agent', 'some-agent', '--reason', reason])
    const listed = await cli('lock list', { isTerminal: true, columns: 200 })
    expect(made.exit).toBe(0)
    expect(listed.stdout).toContain('a\\x1b]0;owned\\x07\\x9b31m\\u202eb')
    expect(stripVTControlCharacters(listed.stdout)).not.toMatch(/(?!\n)\p{Cc}|\u202e/u)
  })

  test('a proposal is shown to its very end', async () => {
    const home = temporaryFolder()
    const cli = cliAt(home, { FLOW_AUTHORING_WRITES: '1' })
    const { state_id, flow, steps } = JSON.parse(
      (await cli(['flow', 'check', (await cli('flow export flow_research_brief')).stdout, '--json'])).stdout,
    )
    const last = { ...steps.at(-1), owned_job: `${steps.at(-1).owned_job}\u00a0` }
    const bundle = { flow: { ...flow, version: '0.2.0' }, steps: [...steps.slice(0, -1), last] }
    const base = ['--base-version', flow.version, '--base-state-id', state_id]
    const words = ['flow', 'edit', flow.flow_id, '--bundle', '-', '--intent', 'x', ...base, '--json']
    const { proposal_id } = JSON.parse((await cli(words, { input: JSON.stringify(bundle) })).stdout)
    const { stdout } = await cli(['proposal', 'show', proposal_id])
    expect(stdout).toContain(`+${last.owned_job}\n`)
  })

  test('a new token is shown once, with a warning and how to use it', async () => {
    const cli = cliAt(temporaryFolder())
    const { exit, stdout } = await cli('token create --role viewer --ttl 2h')
    const bearer = /ktok_\w+/.exec(stdout)?.[0] ?? ''
    expect(exit).toBe(0)
    expect(stdout).toContain('only time it is shown')
    const { stdout: listed } = await cli('token list --json')
    const [token] = (JSON.parse(listed) as { tokens: { created_at: string; expires_at: string }[] }).tokens
    expect(Date.parse(token?.expires_at ?? '') - Date.parse(token?.created_at ?? '')).toBeGreaterThan(
      7_190_000,
    )
    expect(listed).not.toContain(bearer)
  })

  test('a document comes inline, from a file or from stdin', async () => {
    const folder = temporaryFolder()
    const cli = cliAt(join(folder, 'home'))
    const { stdout: bundle } = await cli('flow export flow_research_brief')
    writeFileSync(join(folder, 'bundle.json'), bundle)
    const inline = await cli(['flow', 'check', bundle, '--json'])
    const file = await cli(['flow', 'check', join(folder, 'bundle.json'), '--json'])
    const stdin = await cli('flow check - --json', { input: bundle })
    expect(inline.exit).toBe(0)
    expect(file).toEqual(inline)
    expect(stdin).toEqual(inline)
  })

  test('a document that repeats a key, is broken or too large is refused before it is sent', async () => {
    const cli = cliAt(temporaryFolder())
    const cases = ['{"flow":{},"flow":{}}', '{"flow":', `{"flow":"${'x'.repeat(1_048_577)}"}`]
    const codes = ['BAD_REQUEST', 'BAD_REQUEST', 'PAYLOAD_TOO_LARGE']
    for (const [at, input] of cases.entries()) {
      const { exit, stderr } = await cli('flow check -', { input })
      expect(exit).toBe(codes[at] === 'BAD_REQUEST' ? 2 : 1)
      expect(stderr).toContain(`Error (${codes[at]})`)
    }
  })

  verifies(
    'FLOW-070',
    'flow export gives the bundle {flow, steps} that flow check takes back unchanged',
    async () => {
      const folder = temporaryFolder()
      const cli = cliAt(join(folder, 'home'))
      const out = join(folder, 'bundle.json')
      for (const flow_id of Object.keys(STARTERS)) {
        expect((await cli(['flow', 'export', flow_id, '--out', out])).exit).toBe(0)
        const exported = JSON.parse((await cli(['flow', 'export', flow_id, '--json'])).stdout)
        const checked = JSON.parse((await cli(['flow', 'check', out, '--json'])).stdout)
        const { flow, steps } = JSON.parse((await cli(['flow', 'get', flow_id, '--json'])).stdout)
        expect(exported).toEqual({ flow, steps })
        expect({ flow: checked.flow, steps: checked.steps }).toEqual(exported)
      }
    },
  )
})

describe('wrong usage', () => {
  test.each([
    ['flow lst', 'Did you mean `knowtation flow list`'],
    ['flwo list', 'Did you mean `knowtation flow list`'],
    ['flow list --scop personal', 'Did you mean --scope'],
    ['flow list --limit', 'needs a value'],
    ['flow list extra', 'one word too many'],
    ['flow project flow_a --harness cli_runbook --check', '--out'],
    ['flow list --tag a --tag b', 'more than once'],
    ['flow list --url nonsense', 'not a web address'],
    ['flow list --url http://example.test --token secret', 'clear text'],
    ['flow list --url http://u:p@127.0.0.1', 'user name or password'],
    ['flow list --home /x --url http://127.0.0.1', 'exclude each other'],
    ['flow list --token secret', 'running hub'],
    ['serve --port 70000', '65535'],
    ['serve --url http://127.0.0.1', 'local home'],
    ['mcp config --client cursr', 'Did you mean cursor'],
    ['mcp config', '--client NAME is missing'],
    ['flow check /nowhere/bundle.json', 'cannot be read'],
    ['flow', 'knowtation flow <command>'],
    ['--jsn flow list', 'Did you mean --json'],
    ['--verison', 'Did you mean --version'],
    ['flow --lmit', 'Did you mean --limit'],
    ['--limit 3 flow list', 'as in `knowtation flow list --limit`'],
    ['flow list -x', 'There is no flag -x'],
    ['flow list -limt 3', 'Did you mean --limit'],
    ['flow list -limit 3', 'Did you mean --limit'],
    ['flow list --scope bogus', 'scope must be one of personal, project, org', 'BAD_REQUEST'],
    ['flow list --limit 0', 'limit must be at least 1', 'BAD_REQUEST'],
    ['flow check {"a"}', 'is not valid JSON (line 1, column 5)', 'BAD_REQUEST'],
    ['flow grant mint --input {"flow_version":"0.1.0"}', '<flow_id> is missing', 'BAD_REQUEST'],
    ['flow grant mint --input {"flow_id":1}', '<flow_id> in --input must be a text', 'BAD_REQUEST'],
    ['flow list --limit many', 'must be a number', 'BAD_REQUEST'],
    ['flow get', '<flow_id> is missing', 'BAD_REQUEST'],
    ['flow run get --run-id run_a', '<flow_id> is missing', 'BAD_REQUEST'],
    ['flow get flow_a --flow-id flow_b', '`flow_a` is one word too many'],
    ['flow project flow_a', '--harness', 'BAD_REQUEST'],
  ])('%s', async (line, said, code?: string) => {
    const { exit, stdout, stderr } = await cliAt(temporaryFolder())(line)
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toContain(said)
    if (line !== 'flow') expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^Hint: /)
    const program = await cliAt(temporaryFolder())(`--json ${line}`)
    expect(program).toMatchObject({ exit: 2, stderr: '' })
    const { error, ...rest } = JSON.parse(program.stdout) as { error: string }
    expect(rest).toEqual({ code: code ?? 'USAGE_ERROR', message: error, hint: expect.any(String) })
    if (line === 'flow') expect(error).toBe('`knowtation flow` is not a whole command.')
    else expect(stderr).toContain(`Error${code ? ` (${code})` : ''}: ${error}\n`)
  })

  test('a program is answered as JSON whichever way it asks for that, and only then', async () => {
    const cli = cliAt(temporaryFolder())
    const isJson = async (line: string) => (await cli(line)).stdout.startsWith('{"error":')
    for (const line of ['flow lst --json', 'flow lst --json=true', '--json', 'flow --no-json --json'])
      expect(await isJson(line), line).toBe(true)
    for (const line of [
      'flow lst',
      'flow lst --json=false',
      'flow lst --json --no-json',
      'flow lst -- --json',
    ])
      expect(await isJson(line), line).toBe(false)
    const unknown = await cli('--json flow list --json=perhaps')
    expect(unknown).toMatchObject({ exit: 2, stdout: '' })
  })

  test('a home that cannot be opened is a failure with a hint, also for programs', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    const cli = cliAt(join(folder, 'file', 'home'))
    expect((await cli('whoami')).stderr).toMatch(/^Error \(STORAGE_UNAVAILABLE\): .+\nHint: .+\n$/)
    const { exit, stdout } = await cli('whoami --json')
    expect(exit).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  })

  test('a credential that cannot be sent is not taken for a hub that is away', async () => {
    const env = { KNOWTATION_TOKEN: 'canary\nsecret', KNOWTATION_URL: 'http://127.0.0.1:1' }
    const { exit, stderr } = await cliAt(temporaryFolder(), env)('flow list')
    expect([exit, stderr]).toEqual([2, expect.stringContaining('The token holds a sign')])
    expect(stderr).not.toContain('secret')
  })

  test('a hub that does not answer is named, with a hint', async () => {
    const { exit, stderr } = await cliAt(temporaryFolder())('flow list --url http://127.0.0.1:1')
    expect(exit).toBe(1)
    expect(stderr).toMatch(
      /^Error \(HUB_UNREACHABLE\): No hub answers at http:\/\/127\.0\.0\.1:1.*\nHint: .+\n$/,
    )
  })
})

describe('help', () => {
  test('every command is in the help of all and has its own', async () => {
    const cli = cliAt(temporaryFolder())
    const top = await cli('--help')
    expect((await cli('')).stdout).toBe(top.stdout)
    expect((await cli('help')).stdout).toBe(top.stdout)
    const { stdout } = await cli('help all')
    for (const { words, summary, flags } of await loadAllCommands()) {
      expect(stdout).toContain(`  ${words.join(' ')}`)
      const own = await cli([...words, '--help'])
      expect(own.exit).toBe(0)
      expect(own.stdout).toContain(summary)
      for (const { name } of flags) expect(own.stdout).toContain(`--${name}`)
    }
  })

  test('every argument and flag says what it is for', async () => {
    const silent = (await loadAllCommands()).flatMap(({ words, positionals, flags }) =>
      [...positionals, ...flags]
        .filter(({ description }) => description.trim() === '')
        .map(({ name }) => [...words, name].join(' ')),
    )
    expect(silent).toEqual([])
  })

  test('the help of one command', async () => {
    const { stdout } = await cliAt(temporaryFolder())('token create -h')
    expect(stdout).toMatchInlineSnapshot(`
      "Create a local token for this vault. Its bearer is shown once.

      Usage: knowtation token create --role viewer|editor|evaluator|admin [--flags]

      Flags
        --role viewer|editor|evaluator|admin  What the token may do (required)
        --ttl DURATION                        Lifetime; without it the token does not expire (seconds, or 15m, 12h, 30d)
        --label TEXT                          A name to recognise it by

      Flags of every command
        --json            Print JSON; where there is a REST route, exactly what it answers
        --home DIR        The local home (else KNOWTATION_HOME, else ~/.knowtation)
        --url URL         Ask a running hub there instead (else KNOWTATION_URL)
        --token TOKEN     The credential for --url (else KNOWTATION_TOKEN)
        --vault ID        The vault to work in (default: default)
        --in-browser      Where something is opened, confirm it in the browser
        --password-stdin  Where something is opened, read the password from stdin
        -h, --help        Show what a command does and takes

      Example
        knowtation token create --role viewer --ttl 30d
      "
    `)
  })

  test('says that a list of objects is given as JSON, and reads it from a file too', async () => {
    const folder = temporaryFolder()
    const cli = cliAt(folder)
    expect((await cli('flow propose --help')).stdout).toMatch(/^ {2}--steps JSON\|FILE\|- /m)
    expect((await cli('flow grant mint --help')).stdout).toMatch(/^ {2}--requested-tools A,B /m)
    const steps = join(folder, 'steps.json')
    writeFileSync(steps, '[{"ordinal":]')
    const refused = await cli(['flow', 'propose', '--intent', 'x', '--flow', '{}', '--steps', steps])
    expect(refused.stderr).toContain(`${steps} is not valid JSON`)
  })
})

describe('the table of commands', () => {
  test('no input hides behind a flag that every command has', () => {
    const taken = GLOBAL_FLAGS.map(({ name }) => name)
    const hidden = allOperations
      .filter(({ cli }) => cli !== undefined)
      .flatMap(({ name, input }) =>
        Object.keys(input.shape).flatMap((key) => flagNames(key).map((flag) => [name, flag])),
      )
      .filter(([, flag]) => taken.includes(flag as string))
    expect(hidden).toEqual([])
  })
})
