import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hashSecret } from '../../src/platform/basics/secret-hash.ts'
import {
  type HubProcess,
  hubTokenOf,
  runProgram,
  spawnHub,
  temporaryHome,
} from '../e2e/hub-process.fixture.ts'
import { freePort } from '../harness/free-port.ts'
import { makeSelfSigned } from '../harness/self-signed.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { startReceiver } from './receiver.fixture.ts'

let folder: string
const closing: (() => unknown)[] = []
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'knowtation-sinks-'))))
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  rmSync(folder, { recursive: true, force: true })
})

type Home = ReturnType<typeof temporaryHome>['home']

function configure(home: Home, sinks: object[]): void {
  mkdirSync(home.folder, { recursive: true, mode: 0o700 })
  writeFileSync(home.config, JSON.stringify({ audit: { sinks } }))
}

async function start(home: Home, env: Record<string, string> = {}): Promise<HubProcess> {
  const hub = await spawnHub({ home: home.folder, env })
  closing.push(() => hub.end('SIGKILL'))
  return hub
}

/** Makes calls, each with its record, and answers how many were answered. */
async function work({ url }: HubProcess, home: Home, count: number): Promise<number> {
  const headers = { authorization: `Bearer ${hubTokenOf(home)}` }
  const calls = Array.from({ length: count }, () =>
    fetch(`${url}/api/v1/whoami`, { headers }).then(
      (answer) => answer.arrayBuffer().then(() => 1),
      () => 0,
    ),
  )
  return (await Promise.all(calls)).reduce<number>((sum, one) => sum + one, 0)
}

/** What another program finds in a copy: it knows nothing of ours. */
function verify(text: string) {
  const { status, stdout, stderr } = spawnSync(
    '/usr/bin/python3',
    [join(import.meta.dirname, 'verify_audit.py')],
    {
      input: text,
      encoding: 'utf8',
    },
  )
  return { status, said: (stdout + stderr).trim() }
}

async function until(isDone: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 20_000
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`It did not come to this: ${what}`)
    await new Promise((go) => setTimeout(go, 50))
  }
}

const countOf = (text: string, operation: string) => text.split(`"operation":"${operation}"`).length - 1

describe('a file beside the hub', () => {
  test('has every record, is turned over when it is full, and is checked by a program that is not ours', async () => {
    using at = temporaryHome()
    const path = join(folder, 'audit.jsonl')
    configure(at.home, [{ name: 'archive', kind: 'file', path, max_megabytes: 1, keep: 20 }])
    const hub = await start(at.home)
    // Records have no size to speak of, so one that is full already stands in for many.
    writeFileSync(`${path}.1`, 'of before\n')
    writeFileSync(path, `${'x'.repeat(1_000_000)}\n`)
    expect(await work(hub, at.home, 50)).toBe(50)
    await until(() => countOf(readFileSync(path, 'utf8'), 'whoami') === 50, 'all records are in the file')
    expect(readdirSync(folder).toSorted()).toEqual(['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2'])
    expect(readFileSync(`${path}.2`, 'utf8')).toBe('of before\n')
    const text = readFileSync(path, 'utf8')
    expect(verify(text)).toMatchObject({ status: 0 })
    // One changed letter, and one missing line, are noticed.
    const lines = text.trim().split('\n')
    const changed = (lines[9] as string).replace(/"caller_id":"[^"]+"/, '"caller_id":"someone"')
    expect(verify(lines.with(9, changed).join('\n')).said).toMatch(/not as it was written/)
    expect(verify(lines.toSpliced(9, 1).join('\n')).said).toMatch(/missing before/)
    const doctor = await runProgram(['doctor', '--json', '--home', at.home.folder])
    expect(doctor.stdout).toContain('audit sink archive')
  })

  test('loses no record of a hub that is killed again and again', { timeout: 120_000 }, async () => {
    using at = temporaryHome()
    const path = join(folder, 'audit.jsonl')
    configure(at.home, [{ name: 'archive', kind: 'file', path }])
    let answered = 0
    for (let round = 0; round < 6; round++) {
      const hub = await start(at.home)
      const working = work(hub, at.home, 400)
      await new Promise((go) => setTimeout(go, 40 * round))
      await hub.end('SIGKILL')
      answered += await working
    }
    const hub = await start(at.home)
    const head = async () => {
      const { stdout } = await runProgram(['audit', 'verify', '--json', '--home', at.home.folder])
      return (JSON.parse(stdout) as { last_seq: number }).last_seq
    }
    const last = await head()
    await until(
      () => existsSync(path) && readFileSync(path, 'utf8').includes(`"seq":${last},`),
      'the file has come as far as the log',
    )
    await hub.end('SIGTERM')
    const text = readFileSync(path, 'utf8')
    expect(verify(text)).toMatchObject({ status: 0, said: expect.stringMatching(/^\d+ records, 1 to \d+$/) })
    expect(new Set(text.match(/"operation":"whoami".*?"hash":"\w+"/g)).size).toBeGreaterThanOrEqual(answered)
  })
})

test('rsyslog gets every record over TLS, before and after it was away', { timeout: 90_000 }, async () => {
  using at = temporaryHome()
  const port = await freePort()
  const { certFile, keyFile } = certificateIn(folder)
  const got = join(folder, 'got.log')
  const conf = join(folder, 'rsyslog.conf')
  writeFileSync(
    conf,
    `global(workDirectory="${folder}" maxMessageSize="64k" defaultNetstreamDriver="gtls"
  defaultNetstreamDriverCAFile="${certFile}" defaultNetstreamDriverCertFile="${certFile}"
  defaultNetstreamDriverKeyFile="${keyFile}")
module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="text" type="string" string="%syslogfacility-text% %syslogseverity-text% %app-name% %msg%\\n")
input(type="imtcp" port="${port}" address="127.0.0.1")
action(type="omfile" file="${got}" template="text")
`,
  )
  const startServer = () => {
    const server = spawn('/usr/sbin/rsyslogd', ['-n', '-f', conf, '-i', join(folder, 'pid')], {
      stdio: 'ignore',
    })
    const end = async () => {
      if (server.exitCode !== null) return
      server.kill('SIGTERM')
      await once(server, 'exit')
    }
    closing.push(end)
    return { end }
  }
  const read = () => (existsSync(got) ? readFileSync(got, 'utf8') : '')
  const server = startServer()
  configure(at.home, [
    {
      name: 'siem',
      kind: 'syslog',
      host: '127.0.0.1',
      port,
      ca_file: certFile,
      server_name: 'localhost',
      format: 'ocsf',
    },
  ])
  const hub = await start(at.home)
  await work(hub, at.home, 30)
  await until(() => countOf(read(), 'whoami') >= 30, 'rsyslog has the records')
  expect(read()).toMatch(/^(?:audit|13|security|console|logaudit)\S* info knowtation/m)
  await server.end()
  await work(hub, at.home, 30)
  await until(async () => {
    const { stdout } = await runProgram(['doctor', '--json', '--home', at.home.folder])
    return /audit sink siem.*tries failed/s.test(stdout)
  }, 'doctor tells that nothing is taken')
  startServer()
  await until(() => new Set(read().match(/\\"seq\\":\d+/g)).size >= 60, 'rsyslog has what came meanwhile')
  await hub.end('SIGTERM')
  const lines = read()
    .split('\n')
    .map((line) => line.slice(line.indexOf('{')))
  expect(verify(lines.join('\n'))).toMatchObject({ status: 0 })
  expect(JSON.parse(lines[0] as string)).toMatchObject({ class_uid: 6003, metadata: { log_name: 'audit' } })
})

test('a receiver of OTLP gets each record once from two hubs on one PostgreSQL, in order', {
  timeout: 90_000,
}, async () => {
  const receiver = await startReceiver()
  closing.push(receiver.close)
  using one = temporaryHome()
  using two = temporaryHome()
  const token_file = join(folder, 'token')
  writeFileSync(token_file, 'Bearer of-the-receiver\n')
  const sink = {
    name: 'otel',
    kind: 'otlp',
    url: `${receiver.url}/v1/logs`,
    format: 'ecs',
    authorization_file: token_file,
  }
  const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl(), KNOWTATION_AUDIT_KEY: hashSecret('key') }
  for (const { home } of [one, two]) configure(home, [sink])
  const hubs = [await start(one.home, env), await start(two.home, env)]
  await Promise.all([work(hubs[0] as HubProcess, one.home, 40), work(hubs[1] as HubProcess, two.home, 40)])
  const texts = () => receiver.logs().map(({ text }) => text)
  await until(
    () =>
      countOf(texts().join('\n'), 'whoami') +
        texts().filter((text) => text.includes('"action":"whoami"')).length >=
      80,
    'all came',
  )
  for (const hub of hubs) await hub.end('SIGTERM')
  const numbers = texts().map((text) => JSON.parse(text).event.sequence as number)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
  expect(verify(texts().join('\n'))).toMatchObject({ status: 0 })
  expect(receiver.text()).not.toContain(hubTokenOf(one.home))
})

test('audit export --follow tells what is there and what comes', async () => {
  using at = temporaryHome()
  const hub = await start(at.home)
  await work(hub, at.home, 5)
  const child = spawn(
    process.execPath,
    ['src/main.ts', 'audit', 'export', '--follow', '--format', 'ecs', '--home', at.home.folder],
    { cwd: join(import.meta.dirname, '../..'), env: { PATH: process.env.PATH } },
  )
  closing.push(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (text) => void (said += text))
  await until(
    () => countOf(said, 'whoami') + said.split('"action":"whoami"').length - 1 >= 5,
    'what is there',
  )
  await work(hub, at.home, 3)
  await until(() => said.split('"action":"whoami"').length - 1 >= 8, 'what came')
  expect(verify(said)).toMatchObject({ status: 0 })
  const wrong = await runProgram(['audit', 'export', '--follow', '--format', 'xml', '--home', at.home.folder])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('own, ocsf, ecs')])
})

function certificateIn(where: string) {
  const { cert, key } = makeSelfSigned()
  const [certFile, keyFile] = [join(where, 'cert.pem'), join(where, 'key.pem')]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  return { certFile, keyFile }
}
