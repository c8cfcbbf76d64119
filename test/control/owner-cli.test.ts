import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWebServer } from '../../src/domains/control/connectors/web-server.fixture.ts'
import { runCli } from '../../src/surfaces/cli/run-cli.ts'
import { type CliRun, runInProcess } from '../harness/call-cli.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { recorded, send, startRestHub } from '../rest/rest-hub.fixture.ts'
import { PASSWORD, setUpOwner, visitorOf } from './owner-visitor.ts'

let hub: TestHub
let agentHome: string
beforeAll(async () => {
  hub = await startRestHub()
  agentHome = mkdtempSync(join(tmpdir(), 'knowtation-agent-'))
})
afterAll(async () => {
  await hub.close()
  rmSync(agentHome, { recursive: true, force: true })
})

/** The command line on the hub's own home. */
const atHome = (...argv: string[]) => runInProcess(argv, hub.options.env)
/** The same for what opens something, with the owner's password. */
const opening = (...argv: string[]) =>
  runInProcess([...argv, '--password-stdin'], hub.options.env, `${PASSWORD}\n`)
/** The command line of an agent, which has a home of its own and reaches the hub over HTTP. */
const asAgent = (...argv: string[]) => runInProcess(argv, { KNOWTATION_HOME: agentHome })

const CREDENTIALS = () => join(agentHome, 'owner-agents')

const CODES = JSON.stringify({
  device_code: 'd',
  user_code: 'BBBB-CCCC',
  verification_uri_complete: 'http://localhost/device',
  interval: 0.01,
  expires_in: 60,
})

describe('owner login', () => {
  test('prints a link that sets up first and signs in later, on the port of the running hub', async () => {
    const first = await atHome('owner', 'login')
    const url = /http:\/\/kn-[0-9a-f]{20}\.localhost:(\d+)\/owner\/link\?link=klink_[0-9a-f]{64}/.exec(
      first.stdout,
    )
    expect(url?.[1]).toBe(new URL(hub.url).port)
    expect(first.stdout).toContain('set up your hub')
    await setUpOwner(hub)
    const { result: later, records } = await recorded(hub, () => opening('owner', 'login', '--json'))
    const body = JSON.parse(later.stdout) as { url: string; purpose: string }
    expect(body.purpose).toBe('sign_in')
    expect(records).toMatchObject([
      { operation: 'owner_link_create', caller_kind: 'local', target_kind: 'owner_link' },
    ])
    expect(JSON.stringify(records)).not.toContain('klink_')
    const { pathname, search, searchParams } = new URL(body.url)
    const visitor = visitorOf(hub)
    await visitor.get(`${pathname}${search}`)
    const entered = await visitor.post('/owner/link', { link: searchParams.get('link') as string })
    expect(entered.headers.location).toBe('/console')
  })
})

describe('owner agent', () => {
  test('login waits for the owner, and keeps the bearer where only its user can read it', async () => {
    const { user_code, run } = await beginLogin('--name', 'Night shift', '--json')
    const approved = await opening('owner', 'device', 'approve', user_code)
    expect(approved.stdout).toContain('Night shift')
    const { exit, stdout, stderr } = await run
    expect(exit).toBe(0)
    expect(stderr).toContain(user_code)
    const told = JSON.parse(stdout) as { agent_id: string; credential_file: string }
    const saved = readFileSync(told.credential_file, 'utf8')
    const { access_token } = JSON.parse(saved) as { access_token: string }
    expect(access_token).toMatch(/^kown_/)
    expect(`${stdout}${stderr}`).not.toContain(access_token)
    expect(statSync(told.credential_file).mode & 0o777).toBe(0o600)
    expect(statSync(CREDENTIALS()).mode & 0o777).toBe(0o700)
    expect(readdirSync(CREDENTIALS())).toHaveLength(1)
    expect((await send(hub.url, { path: '/v1/owner/control', bearer: access_token })).status).toBe(200)
  })

  test('list shows the owner all agents, and an agent what its own bearer is worth', async () => {
    const all = JSON.parse((await atHome('owner', 'agent', 'list', '--json')).stdout) as {
      data: { agent_id: string }[]
    }
    const table = await atHome('owner', 'agent', 'list')
    expect(table.stdout).toContain('Night shift')
    const own = JSON.parse((await asAgent('owner', 'agent', 'list', '--url', hub.url, '--json')).stdout)
    expect(own).toMatchObject({ agent_id: all.data[0]?.agent_id, state: 'live' })
    const none = await asAgent('owner', 'agent', 'list', '--url', 'http://127.0.0.1:9')
    expect([none.exit, none.stderr.includes('NOT_LOGGED_IN')]).toEqual([1, true])
  })

  test('with --url alone, commands show the bearer that the login saved, to the hub that gave it', async () => {
    const listed = await asAgent('owner', 'connection', 'list', '--url', hub.url)
    expect([listed.exit, listed.stderr]).toEqual([0, ''])
    const mediated = await asAgent('owner', 'run', 'live', '--url', hub.url)
    expect([mediated.exit, mediated.stderr]).toEqual([1, expect.stringContaining('takes the owner')])
    const token = await asAgent('owner', 'connection', 'list', '--url', hub.url, '--token', 'kown_other')
    expect([token.exit, token.stderr]).toEqual([1, expect.stringContaining('(authentication_error)')])
    // The vaults are none of an owner agent's business, and are not shown its bearer.
    const { result: flows, records } = await recorded(hub, () => asAgent('flow', 'list', '--url', hub.url))
    expect(flows.exit).toBe(1)
    expect(JSON.stringify(records)).not.toContain('owner_agent')
    const [name] = readdirSync(CREDENTIALS()) as [string]
    const path = join(CREDENTIALS(), name)
    const saved = readFileSync(path, 'utf8')
    writeFileSync(path, JSON.stringify({ ...JSON.parse(saved), url: 'https://elsewhere.example' }))
    const elsewhere = await asAgent('owner', 'connection', 'list', '--url', hub.url)
    expect([elsewhere.exit, elsewhere.stderr]).toEqual([1, expect.stringContaining('owner agent login')])
    writeFileSync(path, saved)
  })

  test('a credential that others could read is not used', async () => {
    const path = join(CREDENTIALS(), readdirSync(CREDENTIALS())[0] as string)
    chmodSync(path, 0o644)
    const { exit, stderr } = await asAgent('owner', 'agent', 'list', '--url', hub.url)
    expect([exit, stderr.includes('CREDENTIAL_EXPOSED')]).toEqual([1, true])
    const listed = await asAgent('owner', 'connection', 'list', '--url', hub.url)
    expect([listed.exit, listed.stderr.includes('CREDENTIAL_EXPOSED')]).toEqual([1, true])
    chmodSync(path, 0o600)
  })

  test('revoke gives the bearer back and forgets it', async () => {
    const path = join(CREDENTIALS(), readdirSync(CREDENTIALS())[0] as string)
    const { agent_id, access_token } = JSON.parse(readFileSync(path, 'utf8'))
    const others = await asAgent('owner', 'agent', 'revoke', `oagt_${'0'.repeat(16)}`, '--url', hub.url)
    expect([others.exit, existsSync(path)]).toEqual([2, true])
    const { exit, stdout } = await asAgent('owner', 'agent', 'revoke', agent_id, '--url', hub.url)
    expect([exit, stdout.includes('is revoked'), existsSync(path)]).toEqual([0, true, false])
    expect((await send(hub.url, { path: '/v1/owner/control', bearer: access_token })).status).toBe(401)
    const again = await atHome('owner', 'agent', 'revoke', agent_id, '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({ agent_id, state: 'revoked' })
  })

  test('login ends with the owner’s no', async () => {
    const { user_code, run } = await beginLogin()
    await atHome('owner', 'device', 'deny', user_code)
    const { exit, stderr } = await run
    expect([exit, stderr.includes('access_denied')]).toEqual([1, true])
    expect(readdirSync(CREDENTIALS())).toEqual([])
  })

  test('login asks nobody where the bearer could not be kept', async () => {
    for (const place of ['/proc/nowhere/agent.json', agentHome]) {
      const { result, records } = await recorded(hub, () =>
        asAgent('owner', 'agent', 'login', '--url', hub.url, '--credential', place),
      )
      expect([result.exit, result.stderr]).toEqual([1, expect.stringContaining('(CREDENTIAL_NOT_SAVED)')])
      expect([records, result.stderr.includes('Open ')]).toEqual([[], false])
    }
  })

  test('login gives the bearer back that it cannot keep after all', async () => {
    const place = join(agentHome, 'later', 'agent.json')
    const { user_code, run } = await beginLogin('--credential', place)
    rmSync(join(agentHome, 'later'), { recursive: true })
    writeFileSync(join(agentHome, 'later'), '')
    await opening('owner', 'device', 'approve', user_code)
    const { exit, stderr } = await run
    expect([exit, stderr]).toEqual([1, expect.stringContaining('(CREDENTIAL_NOT_SAVED)')])
    const { data } = JSON.parse((await atHome('owner', 'agent', 'list', '--json')).stdout)
    expect(data.map(({ state }: { state: string }) => state)).not.toContain('live')
  })

  test('login outlasts a hub that is away for a moment', async () => {
    let asked = 0
    const bearer = { access_token: 'kown_a', agent_id: 'oagt_b', expires_in: 60 }
    await using other = await startWebServer((request, response) => {
      if (request.url !== '/oauth/token') return response.end(CODES)
      asked++
      return asked === 1 ? response.destroy() : response.end(JSON.stringify(bearer))
    })
    const place = join(agentHome, 'patient.json')
    const { exit } = await asAgent('owner', 'agent', 'login', '--url', other.url, '--credential', place)
    expect([exit, asked, existsSync(place)]).toEqual([0, 2, true])
  })

  test.each([
    ['anything with an empty document', '{}', '{}'],
    ['a list', '[]', '[]'],
    ['codes, and then no bearer', CODES, '{}'],
    [
      'codes, and then a bearer without an end',
      CODES,
      '{"access_token":"a","agent_id":"b","expires_in":1e300}',
    ],
  ])('login is not taken in by a program that answers %s', async (_what, codes, bearer) => {
    await using other = await startWebServer((request, response) =>
      response.end(request.url === '/oauth/token' ? bearer : codes),
    )
    const { exit, stdout, stderr } = await asAgent('owner', 'agent', 'login', '--url', other.url)
    expect([exit, stdout, stderr]).toEqual([1, '', expect.stringContaining('(HUB_UNEXPECTED)')])
    expect(stderr).not.toContain('undefined')
    expect(readdirSync(CREDENTIALS())).toEqual([])
  })

  test('login tells of an answer that is cut off or without end', async () => {
    await using cut = await startWebServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{')
      setImmediate(() => response.destroy())
    })
    const broken = await asAgent('owner', 'agent', 'login', '--url', cut.url)
    expect([broken.exit, broken.stderr]).toEqual([1, expect.stringContaining('(HUB_UNREACHABLE)')])
    await using endless = await startWebServer((_, response) => {
      const pour = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      }
      response.on('drain', pour)
      pour()
    })
    const flooded = await asAgent('owner', 'agent', 'login', '--url', endless.url)
    expect([flooded.exit, flooded.stderr]).toEqual([1, expect.stringContaining('(HUB_UNEXPECTED)')])
  })
})

/** Begins a login, and answers the code that it shows, with the run that goes on. */
async function beginLogin(...more: string[]): Promise<{ user_code: string; run: Promise<CliRun> }> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const out = text(stdout)
  let err = ''
  const io = { stdin, stdout, stderr, isTerminal: false, isErrorTerminal: false, columns: 80 }
  const exit = runCli(
    ['owner', 'agent', 'login', '--url', hub.url, ...more],
    { KNOWTATION_HOME: agentHome },
    io,
  )
  const shown = new Promise<string>((resolve) => {
    stderr.on('data', (part: Buffer) => {
      err += part.toString()
      const code = /code ([B-Z]{4}-[B-Z]{4})/.exec(err)?.[1]
      if (code) resolve(code)
    })
  })
  const run = exit.then(async (code) => {
    stdout.end()
    return { exit: code, stdout: await out, stderr: err }
  })
  return { user_code: await shown, run }
}
