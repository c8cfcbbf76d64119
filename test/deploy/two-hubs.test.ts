import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { homeAt } from '../../src/platform/basics/home.ts'
import { ROOT } from '../docs/run-guide.fixture.ts'
import { type HubProcess, runProgram, spawnHub } from '../e2e/hub-process.fixture.ts'
import { freePort } from '../harness/free-port.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'

const run = promisify(execFile)
const FOLDER = join(ROOT, 'deploy/docker')
const NAME = 'hub.example.test'

let folder: string
let hubs: [HubProcess, HubProcess]
let port: number
let stopProxy: () => Promise<unknown>
let env: Record<string, string>
let home: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-two-hubs-'))
  home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  // The proxy of the containers has an address of its own; here it is this machine.
  const config = readFileSync(join(FOLDER, 'config.yaml'), 'utf8').replace('172.30.47.10', '127.0.0.1')
  writeFileSync(join(home, 'config.yaml'), config)
  env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
  const first = await spawnHub({ home, env })
  hubs = [first, await spawnHub({ home, env })]
  await startProxy()
}, 120_000)
afterAll(async () => {
  await stopProxy?.()
  await Promise.all(hubs?.map((hub) => hub.end('SIGKILL')) ?? [])
  rmSync(folder, { recursive: true, force: true })
})

/** nginx as the containers have it, with the places of this machine. */
async function startProxy(): Promise<void> {
  const tls = join(folder, 'tls')
  mkdirSync(tls)
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', ...subject]
  await run('openssl', [...made, '-keyout', join(tls, 'hub.key'), '-out', join(tls, 'hub.pem')])
  port = await freePort()
  const [a, b] = hubs.map(({ url }) => new URL(url).host) as [string, string]
  const settings = readFileSync(join(FOLDER, 'nginx.conf'), 'utf8')
    .replace('hub-a:4747', a)
    .replace('hub-b:4747', b)
    .replaceAll('/etc/nginx/tls', tls)
    .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${await freePort()}`)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const file = join(folder, 'nginx.conf')
  const around = `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {}`
  const log = `log_format hub '$upstream_addr $status'; access_log ${folder}/access.log hub;`
  writeFileSync(file, `${around}\nhttp { ${log} ${kinds.join(' ')}\n${settings} }\n`)
  const words = ['-e', `${folder}/error.log`, '-c', file]
  await run('/usr/sbin/nginx', ['-t', '-q', ...words])
  const nginx = spawn('/usr/sbin/nginx', words, { stdio: 'ignore' })
  const ended = new Promise((resolve) => nginx.once('exit', resolve))
  stopProxy = () => {
    nginx.kill('SIGTERM')
    return ended
  }
  for (let tries = 0; tries < 100; tries++) {
    if ((await ask('/owner/sign-in').catch(() => 0)) === 200) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The proxy does not answer.')
}

/** The status of an answer at the public name. */
async function ask(path: string, ...more: string[]): Promise<number> {
  const place = ['--cacert', join(folder, 'tls/hub.pem'), '--connect-to', `${NAME}:443:127.0.0.1:${port}`]
  const words = ['-sS', '--max-time', '20', '-o', '/dev/null', '-w', '%{http_code}', ...place, ...more]
  return Number((await run('curl', [...words, `https://${NAME}${path}`])).stdout)
}

const answeredBy = () =>
  new Set([...readFileSync(join(folder, 'access.log'), 'utf8').matchAll(/^(\S+) 200$/gm)].map(([, at]) => at))

test('both hubs answer under the one name, over TLS', async () => {
  for (let at = 0; at < 6; at++) expect(await ask('/owner/sign-in')).toBe(200)
  expect(answeredBy()).toEqual(new Set(hubs.map(({ url }) => new URL(url).host)))
  expect(await ask('/mcp', '-X', 'POST')).toBe(401)
  const token = readFileSync(homeAt(home, {}).hubToken, 'utf8').trim()
  expect(await ask('/api/v1/whoami', '-H', `Authorization: Bearer ${token}`)).toBe(401)
})

test('as a stranger sees it, nothing is open that should not be', async () => {
  const own = join(folder, 'elsewhere')
  mkdirSync(own, { mode: 0o700 })
  cpSync(join(home, 'config.yaml'), join(own, 'config.yaml'))
  const words = ['doctor', '--public', '--at', `127.0.0.1:${port}`, '--home', own]
  const more = { NODE_EXTRA_CA_CERTS: join(folder, 'tls/hub.pem') }
  expect(await runProgram(words, more)).toMatchObject({ code: 0 })
})

test('when one hub is killed, calls are answered by the other', async () => {
  await hubs[0].end('SIGKILL')
  const statuses = []
  for (let at = 0; at < 8; at++) statuses.push(await ask('/owner/sign-in'))
  expect(statuses).toEqual(statuses.map(() => 200))
  // The record of both is one, and whole.
  expect(await runProgram(['audit', 'verify', '--home', home], env)).toMatchObject({ code: 0 })
}, 60_000)
