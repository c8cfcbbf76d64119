import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { sandboxFindings } from '../../src/domains/admin/findings/sandbox-findings.ts'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { verifies } from '../requirements/verifies.ts'
import { startToolHub, type ToolHub } from './surface-hub.fixture.ts'

let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub()
})
afterAll(() => tools[Symbol.asyncDispose]())

const type = (...words: string[]) => runInProcess(words, tools.hub.options.env)
const said = async (...words: string[]) => (await type(...words)).stdout

/** Where the agent sits. */
const place = () => ['--project', tools.project.root, '--service', 'services/web']

describe('a person reads', () => {
  test('a new session with its bearer and how to end it', async () => {
    const made = await said('tool', 'session', 'create', ...place(), '--agent-id', 'ann', '--ttl', '1h')
    expect(made).toMatch(
      /^Session tses_\w{16}: agent ann, role dev, until \S+Z\.\nWorks in \S+services\/web\.\n/,
    )
    expect(made).toMatch(/^ {2}ktool_\w+$/m)
    expect(made).toContain('the only time it is shown')
    const [, id = ''] = /tool session revoke (\S+)/.exec(made) ?? []
    expect(await said('tool', 'session', 'list')).toMatch(
      new RegExp(`^${id} +ann +ann +dev +\\S+ +until `, 'm'),
    )
    expect(await said('tool', 'session', 'revoke', id)).toMatch(new RegExp(`^${id} .* revoked `, 'm'))
    const unknown = await type('tool', 'session', 'revoke', `tses_${'0'.repeat(16)}`)
    expect([unknown.exit, unknown.stderr]).toEqual([1, expect.stringContaining('Hint: ')])
  })

  test('sessions, violations, alerts and locks in plain words while there are none', async () => {
    await using fresh = await startToolHub()
    const read = async (...words: string[]) => (await runInProcess(words, fresh.hub.options.env)).stdout
    expect(await read('tool', 'session', 'list')).toContain('No sessions.')
    expect(await read('violation', 'list')).toBe('No violations.\n')
    expect(await read('alert', 'list')).toBe('No agent has been in Alert Mode.\n')
    expect(await read('lock', 'list')).toBe('Nothing is locked.\n')
  })

  test('what an agent tried, that it is in Alert Mode, and that it was looked at', async () => {
    for (let count = 0; count < 6; count++)
      await tools.call('rest', 'read_file', { path: '../other/x.txt' }, { agent_id: 'bob' })
    const page = await said('violation', 'list', '--agent-id', 'bob', '--limit', '2')
    expect(page).toMatch(/^AT +AGENT +SEVERITY +WHAT +PATH +CALL$/m)
    expect(
      page.match(/bob +WARNING +scope_outside +\.\.\/other\/x\.txt +read_file max_bytes=102400$/gm),
    ).toHaveLength(2)
    const [, before = ''] = /--before (\S+)/.exec(page) ?? []
    expect(await said('violation', 'list', '--agent-id', 'bob', '--before', before)).toContain('bob')
    expect(await said('alert', 'list')).toMatch(/^bob +OPEN +\S+ +\S+ +6$/m)
    expect(await said('alert', 'acknowledge', 'bob')).toMatch(/^bob +seen by local:local /m)
  })

  test('what is locked and how it is released', async () => {
    expect(await said('lock', 'agent', 'bob', '--reason', 'a look')).toBe(
      'Locked: agent bob. Calls go on after `knowtation lock release agent bob`.\n',
    )
    expect(await said('lock', 'all')).toContain('Locked: everything.')
    const list = await said('lock', 'list')
    expect(list).toMatch(/^agent +bob +a look +\S+ +local:local$/m)
    expect(await said('lock', 'release', 'agent', 'bob')).toBe('Released: agent bob.\n')
    expect(await said('lock', 'release', 'all')).toBe('Released: everything.\n')
  })

  test('whether commands can be jailed here, and how to get there', async () => {
    expect(await said('doctor')).toMatch(/^ok +sandbox {2}commands of tools are jailed by bubblewrap$/m)
    const [finding] = await sandboxFindings(openSandbox({ bwrap_paths: ['/nowhere/bwrap'] }))
    expect(finding).toMatchObject({
      state: 'off',
      detail: /no bubblewrap/,
      fix: /apt-get install bubblewrap/,
    })
  })
})

describe('the command line', () => {
  const read = ['tool', 'call', 'read_file', '--args']

  verifies('TOOL-009', 'prints a result laid out, or as one line, and ends with its outcome', async () => {
    const good = await type(...read, '{"path":"docs/a.md"}', ...place())
    expect([good.exit, good.stdout]).toEqual([0, expect.stringMatching(/^\{\n {2}"status": "success",\n/)])
    const bad = await type(...read, '{"path":"none"}', ...place(), '--json')
    expect([bad.exit, bad.stdout.split('\n')]).toEqual([
      1,
      [expect.stringMatching(/^\{"status":"error"/), ''],
    ])
    const wrong = await type(...read, '{"path":', ...place())
    expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining('not valid JSON')])
  })

  test('asks a running hub with the bearer of a session, and is told the same', async () => {
    const remote = ['--url', tools.hub.url, '--token', await tools.bearer(), '--json']
    const good = await type(...read, '{"path":"docs/a.md"}', ...remote)
    expect([good.exit, JSON.parse(good.stdout)]).toEqual([0, expect.objectContaining({ status: 'success' })])
    const outside = await type(...read, '{"path":"../other/x.txt"}', ...remote)
    expect([outside.exit, JSON.parse(outside.stdout).error.code]).toEqual([1, 'SecurityError'])
    const none = await type('tool', 'call', 'run_command', '--args', '{}', ...remote)
    expect([none.exit, JSON.parse(none.stdout).error.code]).toEqual([1, 'ToolNotFound'])
    const member = ['--url', tools.hub.url, '--token', tools.hub.credentials.bearers.admin ?? '', '--json']
    const refused = await type(...read, '{"path":"docs/a.md"}', ...member)
    expect([refused.exit, JSON.parse(refused.stdout).error.code]).toEqual([1, 'PermissionDenied'])
  })

  test('does not act as if a flag could change the seat of a session', async () => {
    const remote = ['--url', tools.hub.url, '--token', await tools.bearer()]
    for (const flag of [['--role', 'sre'], ['--service', 'services/other'], place()]) {
      const { exit, stdout, stderr } = await type(...read, '{"path":"docs/a.md"}', ...remote, ...flag)
      expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining('no flag changes')])
    }
  })

  test('shows a person the tools of the session, and who has none why', async () => {
    const remote = ['--url', tools.hub.url, '--token']
    const docs = await said('tool', 'list', ...remote, await tools.bearer({ role: 'product_owner' }))
    expect(docs).toMatch(/^read_file +Reads a UTF-8 text file/m)
    expect(docs).not.toContain('write_file')
    const member = await type('tool', 'list', ...remote, tools.hub.credentials.bearers.admin ?? '')
    expect([member.exit, member.stderr]).toEqual([1, expect.stringContaining('Error (FORBIDDEN)')])
  })

  test('waits for a tool of a running hub as long as tests may take, and not so long for a list', async () => {
    const limits = vi.spyOn(AbortSignal, 'timeout')
    onTestFinished(() => limits.mockRestore())
    const remote = ['--url', tools.hub.url, '--token', await tools.bearer(), '--json']
    await type('tool', 'call', 'run_test', '--args', '{"target":"src"}', ...remote)
    await type('flow', 'tool', 'invoke', 'echo', ...remote)
    await type('tool', 'list', ...remote)
    expect(limits.mock.calls).toEqual([[290_000], [290_000], [30_000]])
  })
})
