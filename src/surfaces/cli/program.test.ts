import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { withoutAdvice } from '../../../test/harness/call-cli.ts'
import { BIN, childEnv, runProgram } from '../../../test/harness/run-program.ts'
import { allOperations } from '../../domains/index.ts'
import { openHub } from '../../operations/hub.ts'
import { runOperation } from '../../operations/run-operation.ts'
import { homeAt } from '../../platform/basics/home.ts'
import { plainLog } from '../../platform/basics/plain-log.ts'
import { realSystem } from '../../platform/basics/system.ts'
import { localCaller } from '../../platform/identity/caller.ts'
import { temporaryFolder } from './run-cli.fixture.ts'

/** The answer that the pipeline itself gives, without any surface. */
async function answerDirectly(home: string, name: string, input: object): Promise<string> {
  const log = plainLog(() => {}, realSystem.now)
  const hub = await openHub({ home: homeAt(home, {}), env: {}, system: realSystem, log })
  const operation = allOperations.find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`no operation ${name}`)
  const caller = localCaller('knowtation')
  const call = { operation, surface: 'cli' as const, caller, address: 'local', vault: undefined, input }
  const { text } = await runOperation(hub, call)
  await hub.close()
  return text
}

/** Starts `serve` as people do and answers its address once it is ready. */
async function startServe(home: string): Promise<string> {
  const args = [BIN, 'serve', '--port', '0', '--log', 'json', '--home', home]
  const child = spawn(process.execPath, args, { env: childEnv({}), stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return (JSON.parse(line) as { url: string }).url
}

describe('the built program', () => {
  test('--json prints byte for byte what the pipeline answers, on files and over HTTP', async () => {
    const home = temporaryFolder()
    const cases = [
      {
        argv: ['flow', 'list', '--tag', 'research', '--limit', '1'],
        name: 'flow_list',
        input: { tag: 'research', limit: 1 },
      },
      {
        argv: ['flow', 'get', 'flow_research_brief'],
        name: 'flow_get',
        input: { flow_id: 'flow_research_brief' },
      },
      { argv: ['flow', 'get', 'flow_nope'], name: 'flow_get', input: { flow_id: 'flow_nope' } },
      { argv: ['flow', 'list', '--limit', '0'], name: 'flow_list', input: { limit: 0 } },
    ]
    const url = await startServe(home)
    const KNOWTATION_TOKEN = readFileSync(join(home, 'hub-token'), 'utf8').trim()
    for (const { argv, name, input } of cases) {
      const expected = `${await answerDirectly(home, name, input)}\n`
      const atHome = await runProgram([BIN, ...argv, '--json', '--home', home], {})
      const remote = await runProgram([BIN, ...argv, '--json', '--url', url], { KNOWTATION_TOKEN })
      expect(withoutAdvice(atHome.stdout)).toBe(expected)
      expect(withoutAdvice(remote.stdout)).toBe(expected)
      const exit = expected.startsWith('{"error"') ? (expected.includes('"BAD_REQUEST"') ? 2 : 1) : 0
      expect([atHome.exit, remote.exit]).toEqual([exit, exit])
    }
  })

  test.each([
    ['KNOWTATION_JWKS_URL', 'http://192.0.2.1/jwks.json'],
    ['KNOWTATION_JWT_SECRET', 'short'],
  ])('does not serve with a wrong %s, and says so by a code of its own', async (name, value) => {
    const env = { KNOWTATION_JWT_ISSUER: 'https://gateway.example.test', [name]: value }
    const argv = [BIN, 'serve', '--port', '0', '--home', temporaryFolder()]
    const told = await runProgram(argv, env)
    expect([told.exit, told.stdout]).toEqual([1, ''])
    expect(told.stderr).toContain(`Error (SETTING_INVALID): ${name} must`)
  })

  test('a document from stdin reaches a running hub', async () => {
    const home = temporaryFolder()
    const url = await startServe(home)
    const env = {
      KNOWTATION_TOKEN: readFileSync(join(home, 'hub-token'), 'utf8').trim(),
      KNOWTATION_URL: url,
    }
    const { stdout: bundle } = await runProgram([BIN, 'flow', 'export', 'flow_capture_to_note'], env)
    const { exit, stdout } = await runProgram([BIN, 'flow', 'check', '-', '--json'], env, bundle)
    expect(exit).toBe(0)
    expect(JSON.parse(stdout).flow).toEqual(JSON.parse(bundle).flow)
  })

  test('a stranger is told how to get in', async () => {
    const url = await startServe(temporaryFolder())
    const { exit, stderr } = await runProgram([BIN, 'flow', 'list', '--url', url], {})
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^Error \(UNAUTHENTICATED\): .+\nHint: .*--token.*\n$/)
  })

  test('exit codes', async () => {
    const home = temporaryFolder()
    const exits = await Promise.all(
      [
        ['--version'],
        ['flow', 'list', '--home', home],
        ['flow', 'get', 'flow_nope', '--home', home],
        ['nonsense'],
      ].map(async (argv) => (await runProgram([BIN, ...argv], {})).exit),
    )
    expect(exits).toEqual([0, 0, 1, 2])
  })

  test('an old Node gets a sentence that says how to use the newer one', async () => {
    const old =
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })'
    const { exit, stdout, stderr } = await runProgram(['--import', `data:text/javascript,${old}`, BIN], {})
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' })
    expect(stderr).toMatch(
      /^Knowtation needs Node 22 or newer; this is Node 20\.1\.0\. .*npx knowtation.*\n$/,
    )
  })

  test('a reader that leaves early ends it quietly', async () => {
    const home = temporaryFolder()
    const child = spawn(process.execPath, [BIN, 'flow', 'list', '--json', '--home', home], {
      env: childEnv({}),
    })
    child.stdout.destroy()
    let said = ''
    child.stderr.on('data', (chunk) => (said += String(chunk)))
    await once(child, 'close')
    expect(said).toBe('')
  })

  test('mcp speaks to a client over stdin and stdout and ends with it', async () => {
    const home = temporaryFolder()
    const lines = [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'cursor', version: '1' },
        },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } },
    ]
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const { exit, stdout } = await runProgram([BIN, 'mcp', '--home', home], {}, input)
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(exit).toBe(0)
    expect(answers.find(({ id }) => id === 2).result.structuredContent).toMatchObject({
      caller_kind: 'local',
    })
    const { stdout: log } = await runProgram([BIN, 'audit', 'list', '--json', '--home', home], {})
    expect(JSON.parse(log).records[0]).toMatchObject({
      operation: 'whoami',
      surface: 'mcp',
      client: 'cursor',
    })
  })

  test('mcp ends in order when it is interrupted', async () => {
    const home = temporaryFolder()
    const child = spawn(process.execPath, [BIN, 'mcp', '--home', home], { env: childEnv({}) })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    child.stdin.write(`${JSON.stringify(ping)}\n`)
    let said = ''
    child.stderr.on('data', (chunk) => (said += String(chunk)))
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([0, null])
    expect(said).toBe('')
  })

  test('a backup brings a home back', async () => {
    const folder = temporaryFolder()
    const [home, copy, other] = [join(folder, 'home'), join(folder, 'copy'), join(folder, 'other')]
    await runProgram([BIN, 'token', 'create', '--role', 'viewer', '--home', home], {})
    expect((await runProgram([BIN, 'backup', 'create', copy, '--home', home], {})).exit).toBe(0)
    expect((await runProgram([BIN, 'backup', 'restore', copy, '--home', other], {})).exit).toBe(0)
    const again = await runProgram([BIN, 'backup', 'restore', copy, '--home', other], {})
    expect(again).toMatchObject({ exit: 1 })
    expect(again.stderr).toContain('Error (BACKUP_FAILED)')
    const { stdout } = await runProgram([BIN, 'token', 'list', '--json', '--home', other], {})
    expect(JSON.parse(stdout).tokens).toHaveLength(1)
  })
})
