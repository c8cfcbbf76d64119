import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { blocksOf, ROOT, readPage } from './run-guide.fixture.ts'

const run = promisify(execFile)
const PAGE = readPage('docs/running.md', 'An address of its own')
const PUBLIC = 'https://hub.example.test'

let folder: string
let cert: string
let key: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-public-'))
  ;[cert, key] = [join(folder, 'hub.pem'), join(folder, 'hub.key')]
  const subject = ['-subj', '/CN=hub.example.test', '-addext', 'subjectAltName=DNS:hub.example.test']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '60', ...subject]
  await run('openssl', [...made, '-keyout', key, '-out', cert])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The guide's settings with the places of this test in place of those of a server; `more` are other servers' settings. */
async function startNginx(hub: TestHub, port: number, change = (text: string) => text) {
  const home = mkdtempSync(join(folder, 'nginx-'))
  const [block = ''] = blocksOf(PAGE, 'nginx')
  const here = block
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('listen 80', `listen 127.0.0.1:${await freePort()}`)
    .replaceAll('/etc/ssl/hub.example.test.pem', cert)
    .replaceAll('/etc/ssl/hub.example.test.key', key)
    .replaceAll('http://127.0.0.1:4747', hub.url)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${home}/${kind};`,
  )
  const file = join(home, 'nginx.conf')
  const around = `daemon off; master_process off; pid ${home}/pid; error_log ${home}/error.log; events {}`
  writeFileSync(file, `${around}\nhttp { access_log off; ${kinds.join(' ')}\n${change(here)} }\n`)
  await run('/usr/sbin/nginx', ['-t', '-q', '-e', `${home}/error.log`, '-c', file])
  const nginx = spawn('/usr/sbin/nginx', ['-e', `${home}/error.log`, '-c', file], { stdio: 'ignore' })
  const ended = new Promise((resolve) => nginx.once('exit', resolve))
  await untilOpen(port)
  return {
    [Symbol.asyncDispose]: async () => {
      nginx.kill('SIGTERM')
      await ended
    },
  }
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const answer = await curl(port, '/healthz').catch(() => undefined)
    if (answer) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('Nothing listens.')
}

/** Asks at the public address as a program elsewhere does; the status, the headers and the body. */
async function curl(
  port: number,
  path: string,
  ...more: string[]
): Promise<{ status: number; text: string }> {
  const place = ['--cacert', cert, '--connect-to', `hub.example.test:443:127.0.0.1:${port}`]
  const { stdout } = await run('curl', ['-sSi', '--max-time', '20', ...place, ...more, `${PUBLIC}${path}`])
  return { status: Number(/^HTTP\/[\d.]+ (\d+)/.exec(stdout)?.[1]), text: stdout }
}

interface Doctored {
  healthy: boolean
  findings: { subject: string; state: string; detail: string }[]
}

async function doctor(hub: TestHub, port: number): Promise<{ exit: number; told: Doctored }> {
  const args = [join(ROOT, 'bin/knowtation.js'), 'doctor', '--public', '--at', `127.0.0.1:${port}`, '--json']
  const env = { ...hub.options.env, PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: cert }
  const { stdout, code = 0 } = (await run(process.execPath, args, { env }).catch(
    (error: { stdout: string; code: number }) => error,
  )) as { stdout: string; code?: number }
  return { exit: code, told: JSON.parse(stdout) as Doctored }
}

const wrongIn = ({ told }: { told: Doctored }) =>
  told.findings.filter(({ state }) => state === 'wrong').map(({ subject }) => subject)

describe('behind nginx, set up as the guide says', () => {
  let hub: TestHub
  beforeAll(async () => {
    hub = await startTestHub({ config: { public_url: PUBLIC, trusted_proxies: ['127.0.0.1'] } })
  })
  afterAll(() => hub.close())

  test('the hub answers under its own name, over TLS', async () => {
    const port = await freePort()
    await using _nginx = await startNginx(hub, port)
    const page = await curl(port, '/owner/sign-in')
    expect(page.status).toBe(200)
    expect(page.text).toContain('strict-transport-security')
    const token = ['-H', `Authorization: Bearer ${hub.credentials.bearers.hub}`]
    expect((await curl(port, '/api/v1/whoami', ...token)).status).toBe(401)
    expect((await curl(port, '/metrics', '-H', 'Host: localhost')).status).toBe(404)
    // What a client says of itself does not pass: one address is one, whatever it claims.
    const statuses = []
    for (let at = 0; at < 7; at++) {
      const claim = ['-H', `X-Forwarded-For: 192.0.2.${at}`, '-d', 'client_id=a']
      statuses.push((await curl(port, '/oauth/device_authorization', ...claim)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    expect(await doctor(hub, port)).toMatchObject({ exit: 0, told: { healthy: true } })
  })

  test('the doctor notices settings that let strangers in', async () => {
    const port = await freePort()
    const open = `server { listen 127.0.0.1:${port} ssl; server_name localhost 127.0.0.1;
      ssl_certificate ${cert}; ssl_certificate_key ${key}; location / { proxy_pass ${hub.url}; } }`
    await using _nginx = await startNginx(hub, port, (guide) => `${guide}\n${open}`)
    const found = await doctor(hub, port)
    expect([found.exit, wrongIn(found)]).toEqual([1, ['strangers']])
  })

  test.each([
    ['proxy_set_header X-Forwarded-Proto https;', '', ['address']],
    ['proxy_set_header Host hub.example.test;', '', ['address']],
    ['proxy_set_header Host hub.example.test;', 'proxy_set_header Host $http_host;', []],
    ['proxy_buffering off;', 'proxy_hide_header Strict-Transport-Security;', ['owner pages']],
    ['proxy_buffering off;', 'proxy_set_header Cookie "";', []],
  ])(
    'a guide that said otherwise than `%s` would be noticed, or harm nobody',
    async (line, instead, wrong) => {
      const port = await freePort()
      await using _nginx = await startNginx(hub, port, (guide) => guide.replace(line, instead))
      expect(wrongIn(await doctor(hub, port))).toEqual(wrong)
    },
  )
})

test("the hub's own TLS serves the public name alone, and follows its certificate", async () => {
  const port = await freePort()
  const tls = { cert, key, host: '127.0.0.1', port }
  await using hub = await startTestHub({ config: { public_url: PUBLIC, tls } })
  expect((await curl(port, '/owner/sign-in')).status).toBe(200)
  for (const host of [
    'localhost',
    '127.0.0.1',
    `127.0.0.1:${port}`,
    'other.example.test',
    'hub.example.test.',
  ])
    expect([host, (await curl(port, '/healthz', '-H', `Host: ${host}`)).status]).toEqual([host, 403])
  const told = [
    '-H',
    'X-Forwarded-For: 192.0.2.1',
    '-H',
    `Authorization: Bearer ${hub.credentials.bearers.admin}`,
  ]
  expect((await curl(port, '/api/v1/whoami', ...told)).status).toBe(401)
  // Plain HTTP on the loopback port stays what it was, and is not the public name.
  const plain = [
    '-sS',
    '-o',
    '/dev/null',
    '-w',
    '%{http_code}',
    '-H',
    'Host: hub.example.test',
    '-H',
    'X-Forwarded-Proto: https',
  ]
  expect((await run('curl', [...plain, `${hub.url}/healthz`])).stdout).toBe('403')
  await expect(run('curl', ['-sS', '--max-time', '5', `http://127.0.0.1:${port}/healthz`])).rejects.toThrow()
  await expect(curl(port, '/healthz', '--tls-max', '1.1')).rejects.toThrow()
  expect(await doctor(hub, port)).toMatchObject({ exit: 0, told: { healthy: true } })
})

test('the Caddy settings of the guide are such to Caddy', async () => {
  const [block = ''] = blocksOf(PAGE, 'caddy')
  const file = join(folder, 'Caddyfile')
  writeFileSync(file, block)
  const { stdout } = await run(
    '/usr/bin/caddy',
    ['adapt', '--config', file, '--adapter', 'caddyfile', '--validate'],
    {
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    },
  )
  expect(stdout).toContain('"dial":"127.0.0.1:4747"')
  expect(stdout).toContain('"Host":["hub.example.test"]')
})
