import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { PUBLIC_NPM_REGISTRY } from '../../src/domains/toolbox/commands/install/public-registries.ts'
import { installDependencies } from '../../src/domains/toolbox/commands/install-dependencies.ts'
import { verifies } from '../requirements/verifies.ts'
import { makeService, npmFolder, type TestService } from './commands-service.fixture.ts'

/** Waits until it is told to go on, then says what it sees of the service and whom it reaches. */
const LOOKER = `#!${process.execPath}
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs')
const at = process.argv.indexOf('--manifest-path')
const file = at > 0 ? process.argv[at + 1] : existsSync('package.json') ? 'package.json' : 'pyproject.toml'
const folder = at > 0 ? require('node:path').dirname(file) : '.'
async function look() {
  if (existsSync('stop')) writeFileSync('stopped', '')
  while (existsSync('stop')) await new Promise((go) => setTimeout(go, 20))
  const manifest = readFileSync(file, 'utf8')
  const [address] = /http:[^"]+/.exec(manifest) ?? []
  const reached = await fetch(address ?? 'http://127.0.0.1:1').then(() => true, () => false)
  const names = readdirSync(folder, { recursive: true }).sort()
  console.log(JSON.stringify({ names, manifest, reached }))
}
look()
`
let folder: string
let server: Server
let asked: string[] = []
let tarball: Buffer
let looker: Record<string, string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'commands-lent-'))
  mkdirSync(join(folder, 'bin'))
  for (const name of ['npm', 'cargo', 'poetry'])
    writeFileSync(join(folder, 'bin', name), LOOKER, { mode: 0o755 })
  looker = { KNOWTATION_TOOLCHAIN_PATH: join(folder, 'bin') }
  mkdirSync(join(folder, 'package'))
  writeFileSync(join(folder, 'package/package.json'), '{"name":"tiny","version":"1.0.0"}')
  tarball = execFileSync('tar', ['czf', '-', '-C', folder, 'package'])
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end(tarball)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
afterAll(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})
let service: TestService | undefined
afterEach(() => {
  service?.remove()
  asked = []
})

function address(path: string): string {
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/${path}`
}

const EMPTY_LOCK = JSON.stringify({ lockfileVersion: 3, packages: { '': {} } })

verifies('TOOL-091', 'a manifest that is replaced while npm runs leads to nobody', async () => {
  const files = { 'package.json': '{"name":"mine","config":{}}', 'package-lock.json': EMPTY_LOCK, stop: '' }
  const { root, call } = (service = makeService({ env: looker, files }))
  const report = call(installDependencies, { manager: 'npm' })
  await vi.waitFor(() => expect(existsSync(join(root, 'stopped'))).toBe(true), { timeout: 20_000 })
  writeFileSync(join(root, 'new'), JSON.stringify({ dependencies: { foo: address('any') } }))
  renameSync(join(root, 'new'), join(root, 'package.json'))
  rmSync(join(root, 'stop'))
  const { reached, names } = JSON.parse((await report).stdout)
  expect(reached).toBe(false)
  // The name that npm prefers is taken too: nothing can come to stand there meanwhile.
  expect(names).toEqual(expect.arrayContaining(['npm-shrinkwrap.json', 'package-lock.json']))
  expect(asked).toEqual([])
})

const SUM = 'a'.repeat(64)
const POETRY_LOCK = `[[package]]\nname = "x"\nversion = "1"\nfiles = [\n    {file = "x", hash = "sha256:${SUM}"},\n]\n`

function member(name: string): string {
  return `[package]\nname = "${name}"\nversion.workspace = true\n`
}

verifies('TOOL-091', 'poetry and cargo see what was checked and nothing else of the service', async () => {
  const files = {
    'pyproject.toml': '[project]\nname = "mine"\ndependencies = ["x>=1 ; python_version > \'3\'"]\n',
    'poetry.lock': POETRY_LOCK,
    'poetry.toml': '[virtualenvs]\nin-project = true\n',
    'Cargo.toml':
      '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/old"]\n[workspace.package]\nversion = "0.1.0"\n' +
      '[workspace.dependencies]\nitoa = { version = "1", features = ["std"] }\n[profile.release]\nlto = true\n',
    'Cargo.lock': 'version = 4\n',
    'crates/a/Cargo.toml': `${member('a')}[dependencies]\nitoa.workspace = true\nb = { path = "../b" }\n`,
    'crates/b/Cargo.toml': `${member('b')}links = "z"\nbuild = "b.rs"\n[[bin]]\nname = "x"\npath = "x.rs"\n`,
    'crates/old/Cargo.toml': member('old'),
    'crates/README.md': '',
    '.cargo/config.toml': '[source.crates-io]\nreplace-with = "x"\n',
    'rust-toolchain.toml': '[toolchain]\nchannel = "nightly"\n',
  }
  const { call } = (service = makeService({ env: looker, files }))
  const poetry = JSON.parse((await call(installDependencies, { manager: 'poetry' })).stdout)
  expect(poetry).toMatchObject({
    names: ['poetry.lock', 'pyproject.toml'],
    manifest: files['pyproject.toml'],
  })
  const cargo = JSON.parse((await call(installDependencies, { manager: 'cargo' })).stdout)
  const crates = ['a', 'b'].flatMap((name) => [name, `${name}/Cargo.toml`, `${name}/lib.rs`])
  expect(cargo.names).toEqual([
    'Cargo.lock',
    'Cargo.toml',
    'crates',
    ...crates.map((path) => `crates/${path}`),
  ])
  expect(cargo.manifest).toContain('members = [ "crates/a", "crates/b" ]')
})

test('workspaces are installed with their links and programs, from addresses of the registry', async () => {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const own = { name: 'own', version: '1.0.0', bin: { own: 'own.js' }, dependencies: { tiny: '^1.0.0' } }
  const root = { name: 'mine', version: '1.0.0', devDependencies: { alias: 'npm:tiny@1' } }
  const locked = { version: '1.0.0', resolved: address('tiny/-/tiny-1.0.0.tgz'), integrity }
  const packages = {
    '': { ...root, workspaces: ['packages/*'] },
    // An address of the public registry stands for the one that is used.
    'node_modules/alias': {
      ...locked,
      name: 'tiny',
      dev: true,
      resolved: `${PUBLIC_NPM_REGISTRY}tiny/-/tiny-1.0.0.tgz`,
    },
    'node_modules/own': { resolved: 'packages/own', link: true },
    'node_modules/tiny': locked,
    'packages/own': { ...own, name: undefined },
  }
  const files = {
    'package.json': JSON.stringify({
      ...root,
      workspaces: ['packages/*'],
      overrides: { a: { '.': '1', b: '2' } },
    }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
    'packages/own/package.json': JSON.stringify(own),
    'packages/own/own.js': '#!/usr/bin/env node\n',
    'packages/new/package.json': JSON.stringify({ name: 'new', dependencies: { foo: address('any') } }),
  }
  const env = { ...npmFolder(), KNOWTATION_NPM_REGISTRY: address('') }
  service = makeService({ env, files })
  await service.call(installDependencies, { manager: 'npm' })
  const modules = join(service.root, 'node_modules')
  expect(readdirSync(modules).toSorted()).toEqual(['.bin', '.package-lock.json', 'alias', 'own', 'tiny'])
  expect(readlinkSync(join(modules, 'own'))).toBe('../packages/own')
  expect(readdirSync(join(modules, '.bin'))).toEqual(['own'])
  expect(new Set(asked)).toEqual(new Set(['/tiny/-/tiny-1.0.0.tgz']))
})
