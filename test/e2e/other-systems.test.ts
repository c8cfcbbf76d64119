import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { type HubProcess, hubTokenOf, runProgram, spawnHub, temporaryHome } from './hub-process.fixture.ts'

let hub: HubProcess | undefined
afterEach(() => hub?.end('SIGKILL'))

/** Neither the C library's binding nor parsers, no bubblewrap, no /proc, no control groups; named as another system. */
const surroundings = (system: string) => ({
  NODE_OPTIONS: `--require ${join(PACKAGE_FOLDER, 'test/e2e/other-system.fixture.cjs')}`,
  PACKAGE_OF_TEST: PACKAGE_FOLDER,
  SYSTEM_OF_TEST: system,
})

describe.each(['darwin', 'win32', 'linux'])('named %s, without all that is Linux’s own', (system) => {
  const env = surroundings(system)

  test('the hub starts, and flows, tokens, sign-in, policy and the record work', async () => {
    using at = temporaryHome()
    hub = await spawnHub({ home: at.home.folder, env })
    const bearer = hubTokenOf(at.home)
    const ask = (path: string, more: object = {}) => send(hub?.url ?? '', { path, bearer, ...more })
    expect((await ask('/healthz')).status).toBe(200)
    expect((await ask('/api/v1/flows')).text).toContain('flow_research_brief')
    const made = await ask('/api/v1/tokens', { method: 'POST', body: JSON.stringify({ role: 'viewer' }) })
    expect(made.status).toBe(201)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    expect((await ask('/mcp', { method: 'POST', body, headers })).text).toContain('flow_list')
    const run = (...words: string[]) => runProgram([...words, '--home', at.home.folder], env)
    for (const [words, told] of [
      [['owner', 'login'], '/owner/link?link='],
      [['owner', 'connector', 'list'], 'RSS or Atom feed'],
      [['policy', 'gate', 'open', 'external_agent'], 'external_agent is open'],
      [['policy', 'gate', 'close', 'external_agent'], 'external_agent is closed'],
      [['audit', 'verify'], 'The audit log is intact'],
    ] as const)
      expect([words, await run(...words)]).toEqual([
        words,
        expect.objectContaining({ code: 0, stdout: expect.stringContaining(told) }),
      ])
    expect((await hub.end('SIGTERM')).code).toBe(0)
  }, 120_000)

  test('what is closed says so: the doctor, the tools', async () => {
    using at = temporaryHome()
    const project = join(at.folder, 'project')
    mkdirSync(join(project, 'service'), { recursive: true })
    cpSync(join(PACKAGE_FOLDER, 'LICENSE'), join(project, 'service/notes.txt'))
    writeFileSync(join(project, 'service/notes.test.js'), '')
    const home = ['--home', at.home.folder]
    expect(await runProgram(['owner', 'login', ...home], env)).toMatchObject({ code: 0 })
    const doctor = await runProgram(['doctor', ...home], env)
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('Everything is in order.') })
    expect(doctor.stdout).toMatch(
      system === 'linux' ? /tools run no commands: There is no bubblewrap/ : /need Linux/,
    )
    const seat = ['--project', project, '--service', 'service', '--json', ...home]
    for (const [tool, args] of [
      ['list_files', { path: '.' }],
      ['read_file', { path: 'notes.txt' }],
      ['search_file', { path: '.', regex: 'Apache' }],
      ['write_file', { path: 'new.txt', content: 'x' }],
      ['run_test', { target: 'notes.test.js' }],
      ['git_status', {}],
      ['find_usage', { symbol: 'x' }],
    ] as const) {
      const call = await runProgram(['tool', 'call', tool, '--args', JSON.stringify(args), ...seat], env)
      const { error } = JSON.parse(call.stdout) as { error: { code: string; message: string } }
      expect([tool, call.code, error.code]).toEqual([
        tool,
        1,
        expect.stringMatching(/^(NotSupported|SandboxUnavailable|NotConfigured)$/),
      ])
    }
  }, 120_000)
})
