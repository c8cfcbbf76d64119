import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PACKAGE_VERSION } from '../../src/platform/basics/package-folder.ts'
import { startProgram } from '../consent/clients.fixture.ts'
import { freePort } from '../harness/free-port.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import {
  askStdio,
  bytesOf,
  type Installed,
  installOldestNode,
  installPackage,
  type Person,
  personWith,
  serve,
  type,
} from './installed.fixture.ts'
import { beOwnerAndClient, firstCommands, typeFirstCommands } from './quickstart.fixture.ts'

const MOST_BYTES = 120_000_000
const NOBODY = 65_534

let installed: Installed
let oldest: string
beforeAll(async () => {
  installed = await installPackage()
  oldest = await installOldestNode(installed.folder)
}, 300_000)
afterAll(() => installed?.[Symbol.dispose]())

test('takes 120 MB at most with all that it brings along', () => {
  const bytes = bytesOf(installed.package)
  console.log(`installed: ${(bytes / 1e6).toFixed(1)} MB`)
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
})

test('has no script that runs when it is installed', () => {
  const { scripts } = JSON.parse(readFileSync(join(installed.package, 'package.json'), 'utf8'))
  for (const name of ['preinstall', 'install', 'postinstall']) expect(scripts).not.toHaveProperty(name)
})

test('every link of its pages leads to a file that is in it', () => {
  const pages = globSync('**/*.md', { cwd: installed.package, exclude: ['node_modules'] })
  expect(pages).toContain('docs/running.md')
  const links = pages.flatMap((page) =>
    [...readFileSync(join(installed.package, page), 'utf8').matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(
      ([, to = '']) => ({ page, to }),
    ),
  )
  const dead = links.filter(
    ({ page, to }) => !/^https?:/.test(to) && !existsSync(join(installed.package, dirname(page), to)),
  )
  expect(links.length).toBeGreaterThan(75)
  expect(dead).toEqual([])
})

test('every file that a program of it loads is in it, and loads', async () => {
  const dist = join(installed.package, 'dist')
  const named = globSync('*.js', { cwd: dist }).flatMap((file) =>
    [...readFileSync(join(dist, file), 'utf8').matchAll(/import\([`"'](\.\/[\w-]+\.js)[`"']\)/g)].map(
      ([, to = '']) => to,
    ),
  )
  const files = new Set(named)
  expect(files.size).toBeGreaterThan(100)
  for (const file of files) expect([file, existsSync(join(dist, file))]).toEqual([file, true])
  const parts = [...files].filter((file) => file.startsWith('./part-'))
  for (const file of parts)
    expect(Object.keys(await import(pathToFileURL(join(dist, file)).href))).not.toEqual([])
})

test('a program that imports it gets the client and the contract of engines', async () => {
  const person = personWith(installed)
  mkdirSync(join(person.cwd, 'node_modules'))
  const script =
    "Promise.all([import('knowtation/client'), import('knowtation/boundary')]).then((all) => console.log(all.map((one) => Object.keys(one).length > 0).join()))"
  symlinkSync(installed.package, join(person.cwd, 'node_modules/knowtation'))
  expect(await type(person, process.execPath, '-e', script)).toBe('true,true\n')
})

test('npx runs it from the file, in an empty folder', async () => {
  const person = personWith(installed)
  const { npm_config_cache = join(process.env.HOME ?? '', '.npm') } = process.env
  const asked = { ...person, env: { ...person.env, npm_config_cache } }
  const words = ['--yes', '--ignore-scripts', '--prefer-offline', '--loglevel=error', '--package']
  expect(await type(asked, 'npx', ...words, installed.tarball, 'knowtation', 'version')).toBe(
    `knowtation ${PACKAGE_VERSION}\n`,
  )
}, 120_000)

test('from nothing to a first call of a client, by the README alone', async () => {
  const person = personWith(installed)
  expect(firstCommands().length).toBeLessThanOrEqual(5)
  const program = await typeFirstCommands(person, installed)
  const link = await program.says(/http:\S+\/owner\/link\?link=klink_\w+/)
  const pid = Number(/\(kill (\d+)\)/.exec(program.said())?.[1])
  onTestFinished(() => void process.kill(pid))
  await program.says(/Waiting for it to sign in/)
  expect(await beOwnerAndClient(person, link)).toBe('viewer')
  await program.says(/connected: .*flow_list/)
  await program.done()
  expect(program.child.exitCode).toBe(0)
  const list = await type(person, 'knowtation', 'audit', 'list', '--limit', '100', '--json')
  expect(list).toContain('"caller_kind":"mcp_client"')
  // Waiting is a look now and then, not one after the other.
  expect(JSON.parse(list).records[0].seq).toBeLessThan(100)
}, 300_000)

test('quickstart takes servers behind the hub, finds the hub that runs, and no stranger for one', async () => {
  const person = personWith(installed)
  const servers = {
    tracker: { command: 'npx', args: ['a-tracker'], env: { TRACKER_TOKEN: 'a-secret-of-ann' } },
  }
  writeFileSync(join(person.cwd, '.mcp.json'), JSON.stringify({ mcpServers: servers }))
  const stranger = createServer((_, response) => response.end('{"status":"ok"}')).listen(0, '127.0.0.1')
  onTestFinished(() => void stranger.close())
  await once(stranger, 'listening')
  const { port } = stranger.address() as AddressInfo
  const quickstart = (...words: string[]) =>
    type(person, 'knowtation', 'quickstart', '--yes', '--json', ...words)
  const refused = await quickstart('--port', String(port)).catch(({ stdout }: { stdout: string }) => stdout)
  expect(refused).toMatch(/Another program listens.*NOT_STARTED/)
  const began = JSON.parse(await quickstart('--port', String(await freePort())))
  onTestFinished(() => void process.kill(began.pid))
  expect(began).toMatchObject({ imported: [join(person.cwd, '.mcp.json')], client: null })
  // The provider is there, its credential in a private file, and none of its tools is open.
  const policy = readFileSync(join(person.cwd, '.knowtation/vaults/default/policy.yaml'), 'utf8')
  expect(policy).toContain('tracker')
  expect(policy).not.toContain('a-secret-of-ann')
  expect(policy).not.toContain('allowed_tools')
  const again = JSON.parse(await quickstart())
  expect([again.address, 'pid' in again, again.imported]).toEqual([began.address, false, []])
}, 60_000)

test('the start line of the unit runs as an ordinary user, and ends when it is told to', async () => {
  const person = personWith(installed, oldest)
  const unit = await type(person, 'knowtation', 'quickstart', '--service', 'systemd')
  const [, start = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []
  const home = join(person.cwd, 'home')
  mkdirSync(home, { mode: 0o700 })
  // systemd changes the user, which root alone can.
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const folder of [installed.folder, person.cwd]) chmodSync(folder, 0o755)
  if (isRoot) chownSync(home, NOBODY, NOBODY)
  const as = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
  const [program = '', ...words] = [...as, ...start.split(' '), '--port', '0']
  const hub = startProgram(program, words, { ...person.env, KNOWTATION_HOME: home })
  onTestFinished(() => hub.end())
  await hub.says(/"event":"ready"/)
  expect(statSync(join(home, 'hub-token')).uid).toBe(isRoot ? NOBODY : process.getuid?.())
  hub.child.kill('SIGTERM')
  await hub.done()
  expect(hub.child.exitCode).toBe(0)
}, 60_000)

describe.each(['24', '22'])('on Node %s', (major) => {
  let person: Person
  beforeAll(async () => {
    person = personWith(installed, major === '22' ? oldest : process.execPath)
    expect(await type(person, 'node', '--version')).toMatch(`v${major}.`)
  })
  const knowtation = (...words: string[]) => type(person, 'knowtation', ...words)

  test('the command line: version, flows, what is on, a link to sign in, connectors', async () => {
    expect(await knowtation('version')).toBe(`knowtation ${PACKAGE_VERSION}\n`)
    expect(await knowtation('flow', 'list')).toContain('flow_research_brief')
    expect(await knowtation('doctor')).toContain('Everything is in order.')
    expect(await knowtation('owner', 'login')).toContain('/owner/link?link=klink_')
    expect(await knowtation('owner', 'connector', 'list')).toContain('RSS or Atom feed')
    expect(await knowtation('audit', 'verify')).toContain('The audit log is intact')
  }, 60_000)

  test('the hub: its page, its console, its address for MCP, its API', async () => {
    const url = await serve(person)
    // The owner's pages have a name of their own, which a browser finds on this machine and only the owner is told.
    const front = await send(url, { path: '/console' })
    expect([front.status, front.text.includes('Not set up yet') || front.text.includes('Sign in')]).toEqual([
      200,
      true,
    ])
    const link = /http\S+\/owner\/link\?link=\w+/.exec(await knowtation('owner', 'login'))?.[0] ?? ''
    const { host } = new URL(link)
    const page = await send(url, { path: '/console', headers: { host } })
    expect(page.status).toBe(200)
    for (const [path, text] of [
      ['/healthz', '"status":"ok"'],
      ['/', '"name":"knowtation"'],
      ['/openapi.json', '"openapi":"3'],
      ['/metrics', 'knowtation_build_info'],
      ['/.well-known/oauth-protected-resource/mcp', '/mcp'],
    ] as const) {
      const answer = await fetch(`${url}${path}`)
      expect([path, answer.status]).toEqual([path, 200])
      expect([path, (await answer.text()).replaceAll('": "', '":"')]).toEqual([
        path,
        expect.stringContaining(text),
      ])
    }
  }, 60_000)

  test('MCP over stdin and stdout', async () => {
    const [began, listed] = await askStdio(person, [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'a-test', version: '1' },
        },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ])
    expect(began).toMatchObject({ result: { serverInfo: { name: 'knowtation' } } })
    expect(JSON.stringify(listed)).toContain('"flow_list"')
  }, 60_000)

  test('connect, without writing anything', async () => {
    const told = JSON.parse(await knowtation('connect', 'cursor', '--print', '--json', '--wait', '0'))
    expect(told).toMatchObject({ written: false, settings: { mcpServers: { knowtation: {} } } })
  }, 60_000)

  test('the toolbox: files, a search, an edit by syntax, a symbol', async () => {
    const project = join(person.cwd, 'project')
    mkdirSync(join(project, 'service'), { recursive: true })
    writeFileSync(join(project, 'service/shop.py'), 'def price(order):\n    return order.total\n')
    const call = async (tool: string, args: object) => {
      const seat = ['--project', project, '--service', 'service', '--json']
      return JSON.parse(await knowtation('tool', 'call', tool, '--args', JSON.stringify(args), ...seat))
    }
    expect(await call('list_files', { path: '.' })).toMatchObject({ data: { files: ['shop.py'] } })
    expect(JSON.stringify(await call('search_file', { path: '.', regex: 'pri.e' }))).toContain('def price')
    expect(await call('find_usage', { symbol: 'price', path: 'shop.py' })).toMatchObject({
      data: { usages: [{ file: 'shop.py', line: 1, kind: 'definition' }] },
    })
    const edits = [{ operation: 'replace', match_mode: 'ast', spec: 'return $X', content: 'return 7' }]
    expect(await call('edit_file', { path: 'shop.py', edits })).toMatchObject({ status: 'success' })
    expect(readFileSync(join(project, 'service/shop.py'), 'utf8')).toBe('def price(order):\n    return 7\n')
  }, 60_000)

  test('the contract of engines', async () => {
    const input = join(installed.package, 'engines/python/input.json')
    expect(await knowtation('boundary', 'check', '--input', input)).toBe('The input is valid.\n')
  }, 60_000)
})
