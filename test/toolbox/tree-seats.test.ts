import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runGit } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { startTestHub } from '../harness/test-hub.ts'
import { makeAttacker } from './guard-races.fixture.ts'
import { startToolHub, type ToolHub } from './surface-hub.fixture.ts'
import { fingerprintOf } from './surface-project.fixture.ts'

const NODE_RUNS = { command: ['node', '{target}'], timeout_seconds: 120 }
const CONFIG = {
  tools: { whitelisted_binaries: ['node'] },
  toolchains: { '*': { test: NODE_RUNS, lint: NODE_RUNS } },
}
const ATTACK_MS = 4_000
const OUTER = { service: '.', agent_id: 'outer' }
const INNER = { service: 'services/web', agent_id: 'inner' }

/** Lets two names of the caller's service change places for a while. */
function attackScript(one: string, other: string): string {
  return `import { spawn } from 'node:child_process'
    import fs from 'node:fs'
    const child = spawn('./attacker', ['exchange', ${JSON.stringify(one)}, ${JSON.stringify(other)}])
    child.stdout.once('data', () => fs.writeFileSync('up', ''))
    setTimeout(() => child.kill('SIGTERM'), ${ATTACK_MS})
    await new Promise((end) => child.once('close', end))`
}

/** A script that stays until it is told to go. */
const STAY = `import fs from 'node:fs'
  fs.appendFileSync('log', 'begun ')
  fs.writeFileSync('up', '')
  while (!fs.existsSync('go')) await new Promise((later) => setTimeout(later, 20))
  fs.appendFileSync('log', 'ended ')`

const begun = (file: string) => expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true)

async function openTools(files: Record<string, string>) {
  const tools = await startToolHub(CONFIG)
  const outside = join(tools.project.base, 'outside')
  mkdirSync(outside)
  for (const [path, content] of Object.entries(files)) tools.project.write(path, content)
  return { tools, outside, at: (path: string) => join(tools.project.root, path) }
}

/** Calls a tool over and over until an attack is over, and once more; the codes that came. */
async function callWhile(attack: Promise<unknown>, call: () => Promise<string>): Promise<string[]> {
  const seen = { is_over: false }
  void attack.then(() => (seen.is_over = true))
  const codes: string[] = []
  while (!seen.is_over) codes.push(await call())
  return [...codes, await call()]
}

test('what swaps inside one service does not reach the outside through the sandbox of one around it', async () => {
  const probe = `import fs from 'node:fs'
    for (const name of ['d', 'link'])
      try { fs.writeFileSync('services/web/' + name + '/planted', '') } catch {}`
  const { tools, outside, at } = await openTools({
    'services/web/attack.mjs': attackScript('d', 'link'),
    'services/web/d/.env': 'SECRET=x',
    'probe.mjs': probe,
  })
  await using _hub = tools
  makeAttacker(at('services/web'))
  symlinkSync(outside, at('services/web/link'))
  const attack = tools.call('rest', 'run_test', { target: 'attack.mjs' }, INNER)
  await begun(at('services/web/up'))
  const codes = await callWhile(attack, () =>
    tools.codeOf('rest', 'run_test', { target: 'probe.mjs' }, OUTER),
  )
  expect((await attack).status).toBe('success')
  expect(readdirSync(outside)).toEqual([])
  expect(codes.at(-1)).toBe('success')
})

test('a service that is exchanged for a link as a whole runs nothing outside of the project', async () => {
  const plant = `import fs from 'node:fs'\nfs.writeFileSync('planted', '')`
  const { tools, outside, at } = await openTools({
    'attack.mjs': attackScript('services/other', 'services/link'),
    'services/other/x.mjs': plant,
  })
  await using _hub = tools
  makeAttacker(at('.'))
  writeFileSync(join(outside, 'x.mjs'), plant)
  symlinkSync(outside, at('services/link'))
  const other = { service: 'services/other', agent_id: 'other' }
  await tools.bearer(other)
  const attack = tools.call('rest', 'run_test', { target: 'attack.mjs' }, OUTER)
  await begun(at('up'))
  const codes = await callWhile(attack, () => tools.codeOf('rest', 'run_lint', { target: 'x.mjs' }, other))
  expect(readdirSync(outside)).toEqual(['x.mjs'])
  // Where the link has stayed, nothing can be done there at all.
  expect(['success', 'SecurityError', 'FileNotFound', 'NotADirectory']).toContain(codes.at(-1))
})

test('a link on the way to a service opens nothing of what lies behind it, to no tool', async () => {
  const { tools, outside, at } = await openTools({ 'services/other/y.txt': 'inside' })
  await using _hub = tools
  const other = { service: 'services/other', agent_id: 'other' }
  await tools.bearer(other)
  mkdirSync(join(outside, 'other'))
  writeFileSync(join(outside, 'other', 'x.txt'), 'outside')
  writeFileSync(join(outside, 'other', 'x.mjs'), `import fs from 'node:fs'; fs.writeFileSync('planted', '')`)
  renameSync(at('services'), at('were-services'))
  symlinkSync(outside, at('services'))
  for (const [tool, args] of [
    ['read_file', { path: 'x.txt' }],
    ['write_file', { path: 'planted', content: 'x' }],
    ['list_files', { path: '.' }],
    ['run_test', { target: 'x.mjs' }],
  ] as const)
    expect(await tools.codeOf('rest', tool, args, other), tool).toBe('SecurityError')
  expect(readdirSync(join(outside, 'other')).toSorted()).toEqual(['x.mjs', 'x.txt'])
})

test('a shared folder behind a link that was put on its way is shown to no tool', async () => {
  const tools = await startToolHub({ ...CONFIG, scope: { shared_paths: ['rules/policies/'] } })
  await using _hub = tools
  const { project } = tools
  const look = `import fs from 'node:fs'
    for (const name of ['rules', 'were-rules', '../outside'])
      try { console.log(fs.readFileSync('../../' + name + '/policies/p.md', 'utf8')) } catch {}`
  project.write('services/web/look.mjs', look)
  project.write('rules/policies/p.md', 'of the project')
  const calls = async () => [
    (await tools.call('rest', 'run_test', { target: 'look.mjs' }, INNER)).data?.stdout,
    await tools.codeOf('rest', 'read_file', { path: 'rules/policies/p.md' }, INNER),
  ]
  expect(await calls()).toEqual(['of the project\n', 'success'])
  mkdirSync(join(project.base, 'outside', 'policies'), { recursive: true })
  writeFileSync(join(project.base, 'outside', 'policies', 'p.md'), 'of the outside')
  renameSync(join(project.root, 'rules'), join(project.root, 'were-rules'))
  symlinkSync(join(project.base, 'outside'), join(project.root, 'rules'))
  expect(await calls()).toEqual(['', 'FileNotFound'])
})

/** A second hub with a home of its own that has a seat in the same project. */
async function callFromAnotherHome(project: string, service: string) {
  const hub = await startTestHub()
  const send = async (path: string, bearer: string, body: object) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    return (
      await fetch(`${hub.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    ).json() as any
  }
  const seat = { project, service, role: 'dev', agent_id: 'elsewhere' }
  const made = await sendAsOwner(hub, {
    method: 'POST',
    path: '/api/v1/tool-sessions',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(seat),
  })
  const { bearer } = JSON.parse(made.text) as { bearer: string }
  return {
    runTest: (target: string) => send('/api/v1/tools/run_test', bearer, { target }),
    [Symbol.asyncDispose]: () => hub.close(),
  }
}

test.each([
  ['the same folder, spelled otherwise', 'services/other/../web/'],
  ['the folder around it', '.'],
  ['a folder inside it', 'services/web/src'],
])('a hub with another home waits for a command in %s', async (_what, service) => {
  const { tools, at } = await openTools({ 'services/web/stay.mjs': STAY })
  await using _hub = tools
  symlinkSync(tools.project.root, join(tools.project.base, 'by-link'))
  tools.project.write(join(service, 'short.mjs'), `import fs from 'node:fs'; fs.writeFileSync('ran', '')`)
  await using other = await callFromAnotherHome(join(tools.project.base, 'by-link'), service)
  const staying = tools.call('mcp', 'run_test', { target: 'stay.mjs' }, INNER)
  await begun(at('services/web/up'))
  const waiting = other.runTest('short.mjs')
  await new Promise((later) => setTimeout(later, 1_000))
  expect(existsSync(join(at(service), 'ran'))).toBe(false)
  writeFileSync(at('services/web/go'), '')
  expect((await staying).status).toBe('success')
  expect((await waiting).status).toBe('success')
  expect(existsSync(join(at(service), 'ran'))).toBe(true)
  expect(readFileSync(at('services/web/log'), 'utf8')).toBe('begun ended ')
})

test('eight agents run their tests in eight services at the same time', async () => {
  const names = Array.from({ length: 8 }, (_, n) => `services/s${n}`)
  const { tools, at } = await openTools(Object.fromEntries(names.map((name) => [`${name}/stay.mjs`, STAY])))
  await using _hub: ToolHub = tools
  const runs = names.map((service, n) =>
    tools.codeOf('rest', 'run_test', { target: 'stay.mjs' }, { service, agent_id: `agent-${n}` }),
  )
  for (const name of names) await begun(at(`${name}/up`))
  for (const name of names) writeFileSync(at(`${name}/go`), '')
  expect(await Promise.all(runs)).toEqual(names.map(() => 'success'))
})

test('a switch of branches that waits for its own service keeps no other service waiting', async () => {
  const { tools, at } = await openTools({ 'services/web/stay.mjs': STAY, 'services/other/y.txt': 'theirs\n' })
  await using _hub = tools
  tools.project.git('branch', 'topic')
  const staying = tools.call('rest', 'run_test', { target: 'stay.mjs' }, INNER)
  await begun(at('services/web/up'))
  let is_over = false
  const switching = tools
    .codeOf('rest', 'git_checkout', { branch: 'topic' }, INNER)
    .finally(() => (is_over = true))
  // Whatever the switch does before it waits is done by then.
  await new Promise((later) => setTimeout(later, 500))
  const other = { service: 'services/other', agent_id: 'other' }
  expect(await tools.codeOf('rest', 'git_add', { files: ['y.txt'] }, other)).toBe('success')
  expect(is_over).toBe(false)
  writeFileSync(at('services/web/go'), '')
  expect((await staying).status).toBe('success')
  expect(await switching).toBe('success')
})

test('a link on the way to a service opens no repository behind it, to no tool', async () => {
  const { tools, outside, at } = await openTools({ 'services/other/y.txt': 'inside' })
  await using _hub = tools
  const folder = join(outside, 'other')
  mkdirSync(folder)
  const git = (...args: string[]) => runGit(folder, args)
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(join(folder, 'x.txt'), 'first\n')
  git('add', 'x.txt')
  git('commit', '--quiet', '--message', 'first')
  rmSync(join(folder, '.git', 'info'), { recursive: true })
  writeFileSync(join(folder, 'x.txt'), 'staged by the owner\n')
  git('add', 'x.txt')
  const before = fingerprintOf(join(folder, '.git'))
  const seats = (['dev', 'release_manager'] as const).map((role) => {
    return { service: 'services/other', agent_id: `other-${role}`, role }
  })
  for (const seat of seats) await tools.bearer(seat)
  renameSync(at('services'), at('were-services'))
  symlinkSync(outside, at('services'))
  const [dev, manager] = seats
  for (const [tool, args, seat] of [
    ['git_status', {}, dev],
    ['git_diff', {}, dev],
    ['git_diff', { staged: true }, dev],
    ['git_add', { files: ['x.txt'] }, dev],
    ['git_commit', { message: 'Not ours' }, dev],
    ['git_checkout', { branch: 'new', create_if_missing: true }, dev],
    ['git_push', { remote: 'origin', branch: 'main', confirm: true }, manager],
    ['get_related_tests', { file_path: 'x.txt' }, dev],
  ] as const) {
    const { status, error, text } = await tools.call('rest', tool, args, seat)
    expect([tool, status, error?.code]).toEqual([tool, 'error', 'SecurityError'])
    expect(text).not.toContain('staged by the owner')
  }
  expect(fingerprintOf(join(folder, '.git'))).toBe(before)
  expect(runGit(tools.project.remote, ['branch'])).toBe('')
})
