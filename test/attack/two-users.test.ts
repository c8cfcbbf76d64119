import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { homeAt } from '../../src/platform/basics/home.ts'
import { askingPolicy, pin } from '../external-agent/approvals.fixture.ts'
import type { Json } from '../external-agent/gate-hub.ts'
import { startEndpoint, toolFlow } from '../external-agent/tool-servers.ts'
import { PROGRAM } from '../harness/run-program.ts'

/** Users that own nothing; no accounts are made. */
const HUBS_USER = 64_001
const AGENTS_USER = 65_534

const ends: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const asUser = (uid: number, ...words: string[]) => [
  'setpriv',
  `--reuid=${uid}`,
  `--regid=${uid}`,
  '--clear-groups',
  ...words,
]

/** Runs a program to its end as a user. */
function runAs(uid: number, words: readonly string[], env: Record<string, string> = {}) {
  const [program = '', ...args] = asUser(uid, ...words)
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
  })
  return { status, stdout, stderr }
}

/** A hub that runs as a user of its own, with a flow, a grant and a token for an agent of another user. */
async function startOwnHub() {
  const folder = mkdtempSync(join(tmpdir(), 'two-users-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const home = homeAt(join(folder, 'home'), {})
  const endpoint = await startEndpoint()
  ends.push(endpoint.close)
  const policy = home.vaultPolicy('default')
  mkdirSync(dirname(policy), { recursive: true })
  writeFileSync(policy, JSON.stringify(askingPolicy(endpoint.url)))
  for (const path of [home.folder, dirname(dirname(policy)), dirname(policy), policy])
    chownSync(path, HUBS_USER, HUBS_USER)
  chmodSync(home.folder, 0o700)
  const env = { FLOW_EXTERNAL_AGENT_ENABLED: '1', PATH: process.env.PATH ?? '', HOME: folder }
  const words = ['serve', '--log', 'json', '--port', '0', '--home', home.folder]
  const [program = '', ...args] = asUser(HUBS_USER, process.execPath, PROGRAM, ...words)
  const child = spawn(program, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'ignore'] })
  ends.push(async () => {
    const gone = once(child, 'close')
    if (child.kill('SIGKILL')) await gone
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url } = JSON.parse(String(line)) as { url: string }
  const owner = (...argv: string[]): Json => {
    const done = runAs(HUBS_USER, [process.execPath, PROGRAM, ...argv, '--json', '--home', home.folder])
    if (done.status !== 0) throw new Error(done.stderr)
    return JSON.parse(done.stdout)
  }
  const bundle = join(folder, 'bundle.json')
  writeFileSync(bundle, JSON.stringify(toolFlow(pin.flow_id, ['post'])))
  chmodSync(bundle, 0o644)
  const env_on = { FLOW_EXTERNAL_AGENT_ENABLED: '1' }
  const { proposal_id } = owner('flow', 'propose', '--bundle', bundle, '--intent', 'It helps.')
  owner('proposal', 'approve', proposal_id)
  const { bearer: token } = owner('token', 'create', '--role', 'viewer')
  const mint = ['flow', 'grant', 'mint', pin.flow_id, '--flow-version', '1.0.0', '--requested-tools', 'post']
  const minted = runAs(
    HUBS_USER,
    [process.execPath, PROGRAM, ...mint, '--json', '--home', home.folder],
    env_on,
  )
  return { home, url, child, endpoint, owner, token, bearer: JSON.parse(minted.stdout).bearer as string }
}

/** What an agent with a shell tries: each line is a program; it succeeds with status 0. */
const TRIES = (home: { folder: string; database: string; hubToken: string; auditKey: string }, pid: number) =>
  ({
    'read the database': ['cat', home.database],
    'read the hub token': ['cat', home.hubToken],
    'read the audit key': ['cat', home.auditKey],
    'list the home': ['ls', home.folder],
    'change the policy': ['sh', '-c', `echo > ${home.folder}/vaults/default/policy.yaml`],
    'put a file beside it': ['touch', `${home.folder}/config.yaml`],
    'take the home away': ['mv', home.folder, `${home.folder}-gone`],
    'end the hub': ['sh', '-c', `kill -9 ${pid}`],
    'read its memory': ['cat', `/proc/${pid}/mem`],
    'read its surroundings': ['cat', `/proc/${pid}/environ`],
  }) as const

test('an agent of another user can neither read, decide nor change', { timeout: 120_000 }, async () => {
  // Only root can play two users.
  if (process.getuid?.() !== 0) return
  const hub = await startOwnHub()
  const { home, url, token, bearer, child, endpoint } = hub
  const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      // Programs that run to their end here keep this one from noticing that an idle connection is closed.
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        connection: 'close',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as Json }
  }
  const use = () =>
    ask(
      '/api/v1/flows/external-tools/post/invoke',
      { ...pin, payload: { text: 'secret words' } },
      { 'x-flow-external-bearer': bearer, prefer: 'wait=0' },
    )
  const { status, body } = await use()
  expect(status).toBe(202)
  const before = readFileSync(home.vaultPolicy('default'), 'utf8')
  for (const [name, words] of Object.entries(TRIES(home, child.pid ?? 0)))
    expect([name, runAs(AGENTS_USER, words).status]).not.toEqual([name, 0])
  for (const argv of [
    ['approval', 'list'],
    ['approval', 'show', body.approval_id],
    ['approval', 'approve', body.approval_id],
    ['token', 'create', '--role', 'admin'],
    ['lock', 'release', 'all'],
    ['owner', 'login'],
  ]) {
    const tried = runAs(AGENTS_USER, [process.execPath, PROGRAM, ...argv, '--home', home.folder])
    expect([argv.join(' '), tried.status, tried.stdout]).toEqual([argv.join(' '), expect.any(Number), ''])
    expect(tried.status).not.toBe(0)
  }
  const digest = `sha256:${'0'.repeat(64)}`
  const decision = { decision: 'approve', digest }
  const path = `/v1/owner/approvals/${body.approval_id}/decision`
  expect((await ask(path, decision)).status).toBe(403)
  expect((await ask(path, decision, { 'x-flow-external-bearer': bearer })).status).toBe(403)
  expect(readFileSync(home.vaultPolicy('default'), 'utf8')).toBe(before)
  expect((await use()).body.approval_id).toBe(body.approval_id)
  expect(endpoint.got).toEqual([])
  hub.owner('approval', 'approve', body.approval_id)
  expect((await use()).status).toBe(200)
  expect(endpoint.got).toHaveLength(1)
})
