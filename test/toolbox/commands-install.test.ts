import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PUBLIC_NPM_REGISTRY } from '../../src/domains/toolbox/commands/install/public-registries.ts'
import { installDependencies } from '../../src/domains/toolbox/commands/install-dependencies.ts'
import { GuardDenied } from '../../src/platform/guard/guard.ts'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import { verifies } from '../requirements/verifies.ts'
import {
  faultOf,
  npmFolder,
  openService,
  type ServiceOptions,
  type TestService,
} from './commands-service.fixture.ts'

let service: TestService
let folder: string
let registry: Server
let tarball: Buffer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'commands-install-'))
  tarball = packHostilePackage()
  registry = createServer((request, response) => {
    if (request.url === '/tiny/-/tiny-1.0.0.tgz') return response.end(tarball)
    if (request.url !== '/tiny') return response.writeHead(404).end()
    const dist = { tarball: `${address()}tiny/-/tiny-1.0.0.tgz`, integrity: integrityOf(tarball) }
    const versions = { '1.0.0': { name: 'tiny', version: '1.0.0', dist } }
    response.end(JSON.stringify({ name: 'tiny', 'dist-tags': { latest: '1.0.0' }, versions }))
  })
  await new Promise<void>((listening) => registry.listen(0, '127.0.0.1', listening))
  mkdirSync(join(folder, 'bin'))
  for (const name of ['npm', 'poetry', 'cargo']) {
    const script = '#!/bin/sh\nprintf "%s\\n" "$0" "$@"; env; touch "$PWD/ran-here" 2>/dev/null || true\n'
    writeFileSync(join(folder, 'bin', name), script, { mode: 0o755 })
  }
})
afterAll(() => {
  registry.close()
  rmSync(folder, { recursive: true, force: true })
})
function open(options?: ServiceOptions): TestService {
  service = openService(options)
  return service
}

function address(): string {
  return `http://127.0.0.1:${(registry.address() as { port: number }).port}/`
}

function integrityOf(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`
}

/** A package that would plant a file if any of its scripts were run. */
function packHostilePackage(): Buffer {
  const inside = join(folder, 'package')
  mkdirSync(inside)
  const plant = 'touch "$INIT_CWD/planted-by-dependency"'
  const scripts = { preinstall: plant, install: plant, postinstall: plant, prepare: plant }
  writeFileSync(join(inside, 'package.json'), JSON.stringify({ name: 'tiny', version: '1.0.0', scripts }))
  writeFileSync(join(inside, 'index.js'), 'module.exports = "tiny"')
  return execFileSync('tar', ['czf', '-', '-C', folder, 'package'])
}

function lockWith(entry: object, place = 'node_modules/tiny'): string {
  const packages = { '': { name: 'mine', version: '1.0.0', dependencies: { tiny: '1.0.0' } }, [place]: entry }
  return JSON.stringify({ name: 'mine', version: '1.0.0', lockfileVersion: 3, requires: true, packages })
}

const MANIFEST = {
  name: 'mine',
  version: '1.0.0',
  dependencies: { tiny: '1.0.0' },
  scripts: {
    preinstall: 'touch planted-by-us',
    install: 'touch planted-by-us',
    prepare: 'touch planted-by-us',
  },
}
const CARGO_LOCK = '# generated\nversion = 4\n\n[[package]]\nname = "mine"\nversion = "0.1.0"\n'
const POETRY_LOCK =
  '[[package]]\nname = "x"\nversion = "1"\nfiles = [\n    {file = "x", hash = "sha256:' +
  `${'a'.repeat(64)}"},\n]\n`

verifies('TOOL-091', 'each manager is started with its lockfile-based command and nothing else', async () => {
  const env = { KNOWTATION_TOOLCHAIN_PATH: join(folder, 'bin') }
  const files = {
    'package.json': JSON.stringify(MANIFEST),
    'package-lock.json': lockWith({ version: '1.0.0', integrity: integrityOf(tarball) }),
    'pyproject.toml': '[project]\nname = "mine"\n',
    'poetry.lock': POETRY_LOCK,
    'Cargo.toml': '[package]\nname = "mine"\nversion = "0.1.0"\n',
    'Cargo.lock': CARGO_LOCK,
  }
  open({ env, files })
  const linesOf = async (manager: string): Promise<string[]> =>
    (await service.call(installDependencies, { manager })).stdout.split('\n')
  const npm = await linesOf('npm')
  expect(npm.slice(0, 3)).toEqual([join(folder, 'bin/npm'), 'ci', '--ignore-scripts'])
  const closing = ['--script-shell=/bin/false', '--git=/bin/false', '--allow-git=none', '--allow-remote=none']
  const unread = ['--userconfig=/tmp/no-user-config', '--globalconfig=/tmp/no-global-config']
  expect(npm).toEqual(
    expect.arrayContaining([...closing, ...unread, '--offline', `--registry=${PUBLIC_NPM_REGISTRY}`]),
  )
  const poetry = await linesOf('poetry')
  const options = ['--no-root', '--no-plugins', '--no-interaction', '--no-ansi']
  expect(poetry.slice(0, 6)).toEqual([join(folder, 'bin/poetry'), 'install', ...options])
  expect(poetry).toEqual(
    expect.arrayContaining([
      'POETRY_VIRTUALENVS_CREATE=true',
      'POETRY_VIRTUALENVS_IN_PROJECT=false',
      // An archive of sources is built by code of its own.
      'POETRY_INSTALLER_ONLY_BINARY=:all:',
      'POETRY_CONFIG_DIR=/tmp/poetry-config',
      'POETRY_KEYRING_ENABLED=false',
    ]),
  )
  const cargo = await linesOf('cargo')
  const manifest = join(service.root, 'Cargo.toml')
  expect(cargo.slice(0, 5)).toEqual([
    join(folder, 'bin/cargo'),
    'fetch',
    '--locked',
    '--manifest-path',
    manifest,
  ])
  expect(cargo.find((line) => line.startsWith('CARGO_HOME='))).toContain(service.home)
  expect(cargo).toContain('CARGO_NET_GIT_FETCH_WITH_CLI=false')
  expect(cargo.find((line) => line.startsWith('PWD='))).not.toContain(service.root)
})

verifies(
  ['TOOL-091', 'TOOL-093'],
  'npm ci installs what the lockfile says and runs no script of anybody',
  async () => {
    open({
      env: { ...npmFolder(), KNOWTATION_NPM_REGISTRY: address() },
      files: {
        'package.json': JSON.stringify(MANIFEST),
        'package-lock.json': lockWith({ version: '1.0.0', integrity: integrityOf(tarball) }),
        '.npmrc':
          'ignore-scripts=false\nregistry=http://127.0.0.1:1/\nscript-shell=/bin/sh\nnode-options=--require=./evil.cjs\n',
        'evil.cjs': 'require("node:fs").writeFileSync("planted-by-npmrc", "")',
      },
    })
    const report = await service.call(installDependencies, { manager: 'npm' })
    expect(report.stdout).toContain('added 1 package')
    expect(readFileSync(join(service.root, 'node_modules/tiny/index.js'), 'utf8')).toContain('tiny')
    const rest = ['.npmrc', 'evil.cjs', 'node_modules', 'package-lock.json', 'package.json']
    expect(readdirSync(service.root).toSorted()).toEqual(rest)
  },
)

test('a package that is not what the lockfile promises is not installed', async () => {
  open({
    env: { ...npmFolder(), KNOWTATION_NPM_REGISTRY: address() },
    files: {
      'package.json': JSON.stringify(MANIFEST),
      'package-lock.json': lockWith({ version: '1.0.0', integrity: integrityOf(Buffer.from('another')) }),
    },
  })
  const fault = await faultOf(service.call(installDependencies, { manager: 'npm' }))
  expect(fault.code).toBe('CommandFailed')
  expect(fault.details?.stderr).toContain('EINTEGRITY')
  expect(existsSync(join(service.root, 'node_modules/tiny'))).toBe(false)
})

verifies('TOOL-094', 'pip is refused with the way that is open, and nothing is started', async () => {
  open({ env: { KNOWTATION_TOOLCHAIN_PATH: join(folder, 'bin') }, files: { 'requirements.txt': 'x' } })
  for (const manager of ['pip', 'pip3', 'pip3.12']) {
    const fault = await faultOf(service.call(installDependencies, { manager }))
    expect(fault).toMatchObject({
      code: 'PolicyViolation',
      violation: { violation_type: 'dangerous_command' },
    })
    expect(fault.suggestion).toContain('poetry install')
  }
  const unknown = await faultOf(service.call(installDependencies, { manager: 'toString' }))
  expect(unknown.code).toBe('ValidationError')
  expect(readdirSync(service.root)).toEqual(['requirements.txt'])
})

verifies(
  'TOOL-091',
  'without its lockfile, or with one that names anything else, nothing is started',
  async () => {
    const good = { version: '1.0.0', integrity: integrityOf(tarball) }
    const env = { KNOWTATION_TOOLCHAIN_PATH: join(folder, 'bin') }
    const attempts: Record<string, string | undefined> = {
      FileNotFound: undefined,
      'PolicyViolation git': lockWith({ ...good, resolved: 'git+ssh://git@host/x.git#abc' }),
      'PolicyViolation host': lockWith({ ...good, resolved: 'https://evil.example/tiny.tgz' }),
      'PolicyViolation link': lockWith({ resolved: '../other', link: true }),
      'PolicyViolation place': lockWith(good, 'node_modules/../../other'),
      'PolicyViolation sum': lockWith({ version: '1.0.0' }),
      'ValidationError version': JSON.stringify({ lockfileVersion: 1, packages: {} }),
      'ValidationError text': '{',
    }
    for (const [what, lock] of Object.entries(attempts)) {
      const files = { 'package.json': '{}', ...(lock === undefined ? {} : { 'package-lock.json': lock }) }
      const fault = await faultOf(open({ env, files }).call(installDependencies, { manager: 'npm' }))
      expect(fault.code, what).toBe(what.split(' ')[0])
      expect(readdirSync(service.root), what).not.toContain('ran-here')
      service.remove()
    }
    open({ env, files: { 'package.json': '{}' } })
    writeFileSync(join(service.project, 'outside.json'), lockWith(good))
    symlinkSync('../../outside.json', join(service.root, 'package-lock.json'))
    await expect(service.call(installDependencies, { manager: 'npm' })).rejects.toBeInstanceOf(GuardDenied)
  },
)

verifies('TOOL-091', 'nothing is fetched from a mirror in the open, or with a password', async () => {
  const mirrors = ['http://mirror.example/', 'https://me@mirror.example/', 'https://:word@mirror.example/']
  const files = { 'package.json': '{}', 'package-lock.json': lockWith({ link: true }) }
  for (const mirror of [...mirrors, 'ftp://127.0.0.1/', 'mirror.example', 'mirror']) {
    const env = { KNOWTATION_TOOLCHAIN_PATH: join(folder, 'bin'), KNOWTATION_NPM_REGISTRY: mirror }
    const fault = await faultOf(open({ env, files }).call(installDependencies, { manager: 'npm' }))
    expect(fault, mirror).toMatchObject({ code: 'NotConfigured' })
    expect(fault.message).not.toContain('word@')
    expect(readdirSync(service.root), mirror).not.toContain('ran-here')
    service.remove()
  }
})

verifies('TOOL-019', 'a task that may not run a manager does not', async () => {
  const files = { 'Cargo.toml': '', 'Cargo.lock': CARGO_LOCK }
  open({ env: { KNOWTATION_TOOLCHAIN_PATH: join(folder, 'bin') }, files, allowed_commands: ['npm'] })
  const fault = await faultOf(service.call(installDependencies, { manager: 'cargo' }))
  expect(fault).toMatchObject({ code: 'PolicyViolation', violation: { command_args: ['cargo'] } })
})

test('a hostile configuration of cargo in the service is not looked at, and the service stays as it is', async () => {
  const files = {
    'Cargo.toml': '[package]\nname = "mine"\nversion = "0.1.0"\n',
    'Cargo.lock': CARGO_LOCK,
    '.cargo/config.toml': '[registry]\nglobal-credential-providers = ["./evil"]\n',
  }
  open({ env: { KNOWTATION_TOOLCHAIN_PATH: join(folder, 'bin') }, files })
  const { stdout } = await service.call(installDependencies, { manager: 'cargo' })
  const cwd =
    stdout
      .split('\n')
      .find((line) => line.startsWith('PWD='))
      ?.slice('PWD='.length) ?? ''
  expect(readdirSync(cwd)).toEqual(['ran-here'])
  expect(readdirSync(service.root).toSorted()).toEqual(['.cargo', 'Cargo.lock', 'Cargo.toml'])
})

test('two installations in one service do not meet, and none is made without a sandbox', async () => {
  const files = { 'Cargo.toml': '', 'Cargo.lock': CARGO_LOCK }
  const env = { KNOWTATION_TOOLCHAIN_PATH: join(folder, 'bin') }
  open({ env, files })
  const both = await Promise.allSettled(
    [1, 2].map(() => service.call(installDependencies, { manager: 'cargo' })),
  )
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(both[1]).toMatchObject({ reason: { code: 'ResourceBusy' } })
  open({ env, files, sandbox: openSandbox({ bwrap_paths: ['/nowhere/bwrap'] }) })
  const fault = await faultOf(service.call(installDependencies, { manager: 'cargo' }))
  expect(fault.code).toBe('SandboxUnavailable')
})
