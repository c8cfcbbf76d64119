import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { installDependencies } from '../../src/domains/toolbox/commands/install-dependencies.ts'
import { verifies } from '../requirements/verifies.ts'
import { faultOf, makeService, npmFolder, type TestService } from './commands-service.fixture.ts'
import { startToolHub } from './surface-hub.fixture.ts'

/** What asks whatever address is in a manifest, as cargo and poetry do. */
const ASKER = `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs')
const root = process.argv.includes('--manifest-path') ? process.argv.at(-1) : 'pyproject.toml'
const found = readFileSync(root, 'utf8').match(/http:[^"' ]+/g) ?? []
Promise.all(found.map((address) => fetch(address))).then(() => console.log('asked', found.length))
`
let server: Server
let asked: string[] = []
let folder: string
let asker: Record<string, string>

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(404).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  folder = mkdtempSync(join(tmpdir(), 'commands-reach-'))
  mkdirSync(join(folder, 'bin'))
  for (const name of ['cargo', 'poetry']) writeFileSync(join(folder, 'bin', name), ASKER, { mode: 0o755 })
  asker = { KNOWTATION_TOOLCHAIN_PATH: join(folder, 'bin') }
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

async function refusalOf(
  manager: string,
  files: Record<string, string>,
  env: Record<string, string>,
): Promise<void> {
  service = makeService({ env, files })
  const before = readdirSync(service.root)
  const fault = await faultOf(service.call(installDependencies, { manager }))
  expect(asked).toEqual([])
  expect(fault).toMatchObject({ code: 'PolicyViolation' })
  expect(['manifest', 'lockfile']).toContain(fault.violation?.violation_type)
  expect(fault.message).toContain('Nothing was installed')
  expect(readdirSync(service.root)).toEqual(before)
}

const SUM = `sha512-${'a'.repeat(86)}==`
const ROOT = { name: 'web', version: '1.0.0' }

function npmFiles(
  manifest: object,
  packages: object,
  more: Record<string, string> = {},
): Record<string, string> {
  const lock = { ...ROOT, lockfileVersion: 3, requires: true, packages }
  return {
    'package.json': JSON.stringify({ ...ROOT, ...manifest }),
    'package-lock.json': JSON.stringify(lock),
    ...more,
  }
}

// The address is that of the counting server; each is written into the place that the form says.
const NPM_FORMS: Record<string, (url: string) => Record<string, string>> = {
  'an address beside the lockfile': (foo) => npmFiles({ dependencies: { foo } }, { '': ROOT }),
  'an address in the lockfile too': (foo) =>
    npmFiles({ dependencies: { foo } }, { '': { ...ROOT, dependencies: { foo } } }),
  'one only for development': (foo) => npmFiles({ devDependencies: { foo } }, { '': ROOT }),
  'an optional one': (foo) => npmFiles({ optionalDependencies: { foo } }, { '': ROOT }),
  'one for peers': (foo) => npmFiles({ peerDependencies: { foo } }, { '': ROOT }),
  'a git address': (url) => npmFiles({ dependencies: { foo: `git+${url}` } }, { '': ROOT }),
  'an alias of an address': (url) => npmFiles({ dependencies: { foo: `npm:foo@${url}` } }, { '': ROOT }),
  'an override': (url) =>
    npmFiles(
      { dependencies: { a: '1.0.0' }, overrides: { a: { b: url } } },
      {
        '': { ...ROOT, dependencies: { a: '1.0.0' } },
        'node_modules/a': { version: '1.0.0', integrity: SUM, dependencies: { b: '1.0.0' } },
        'node_modules/b': { version: '1.0.0', integrity: SUM },
      },
    ),
  'a need of a locked package': (b) =>
    npmFiles(
      { dependencies: { a: '1.0.0' } },
      {
        '': { ...ROOT, dependencies: { a: '1.0.0' } },
        'node_modules/a': { version: '1.0.0', integrity: SUM, dependencies: { b } },
      },
    ),
  'a version that is an address': (version) => npmLocked({ version, integrity: SUM }),
  'a name that is an address': (name) => npmLocked({ name, version: '1.0.0', integrity: SUM }),
  'a lockfile inside a package': (resolved) =>
    npmLocked({ version: '1.0.0', integrity: SUM, _resolved: resolved, hasShrinkwrap: true }),
  'a workspace': (foo) =>
    npmFiles(
      { workspaces: ['own'] },
      {
        '': { ...ROOT, workspaces: ['own'] },
        'node_modules/own': { resolved: 'own', link: true },
        own: { version: '1.0.0' },
      },
      { 'own/package.json': JSON.stringify({ name: 'own', version: '1.0.0', dependencies: { foo } }) },
    ),
}

function npmLocked(entry: object): Record<string, string> {
  const dependencies = { a: '1.0.0' }
  return npmFiles({ dependencies }, { '': { ...ROOT, dependencies }, 'node_modules/a': entry })
}

describe('npm asks nobody for', () => {
  for (const [what, filesFor] of Object.entries(NPM_FORMS)) {
    verifies('TOOL-091', what, async () => {
      await refusalOf('npm', filesFor(address('any/path?data=c291cmNl')), npmFolder())
    })
  }

  test.each([
    ['a need that is only in the lockfile', {}, { '': { ...ROOT, dependencies: { a: '1.0.0' } } }],
    [
      'a need that the lockfile does not hold',
      { dependencies: { a: '1' } },
      { '': { ...ROOT, dependencies: { a: '1' } } },
    ],
    [
      'another range than the lockfile has',
      { dependencies: { a: '1' } },
      { '': { ...ROOT, dependencies: { a: '2' } } },
    ],
    [
      'a link without workspaces',
      {},
      { '': ROOT, own: {}, 'node_modules/own': { resolved: 'own', link: true } },
    ],
    [
      'a link to a pattern',
      { workspaces: ['*'] },
      { '': ROOT, '*': {}, 'node_modules/own': { resolved: '*', link: true } },
    ],
  ])('%s', async (_what, manifest, packages) => {
    await refusalOf('npm', npmFiles(manifest, packages), npmFolder())
  })

  test('what a package needs in an address that only its own fields or another lockfile have', async () => {
    const url = address('tiny.tgz')
    const files = {
      ...npmLocked({ version: '1.0.0', integrity: SUM, _resolved: url, dist: { tarball: url } }),
      'yarn.lock': `a@1.0.0:\n  version "1.0.0"\n  resolved "${url}"\n`,
    }
    service = makeService({ env: { ...npmFolder(), KNOWTATION_NPM_REGISTRY: address('registry/') }, files })
    const fault = await faultOf(service.call(installDependencies, { manager: 'npm' }))
    expect(fault.code).toBe('CommandFailed')
    expect(asked.filter((path) => !path.startsWith('/registry/'))).toEqual([])
    expect(asked.length).toBeGreaterThan(0)
  })
})

const CARGO_LOCK = 'version = 4\n\n[[package]]\nname = "mine"\nversion = "0.1.0"\n'
const CRATE = '[package]\nname = "mine"\nversion = "0.1.0"\nedition = "2021"\n'

const CARGO_FORMS: Record<string, (url: string) => string> = {
  'a git address': (url) => `${CRATE}[dependencies]\nfoo = { git = "${url}" }\n`,
  'one in a table of its own': (url) => `${CRATE}[dependencies.foo]\n"git" = '${url}'\n`,
  'one with a dotted key': (url) => `${CRATE}[dependencies]\nfoo.git = "${url}"\n`,
  'one with a key in escapes': (url) => `${CRATE}[dependencies]\nfoo = { "g\\u0069t" = "${url}" }\n`,
  'one for tests': (url) => `${CRATE}[dev-dependencies]\nfoo = { git = "${url}" }\n`,
  'one for builds': (url) => `${CRATE}[build-dependencies]\nfoo = { git = "${url}" }\n`,
  'one for a system': (url) => `${CRATE}[target.'cfg(unix)'.dependencies]\nfoo = { git = "${url}" }\n`,
  'one for the workspace': (url) =>
    `${CRATE}[workspace]\n[workspace.dependencies]\nfoo = { git = "${url}" }\n`,
  'an index': (url) => `${CRATE}[dependencies]\nfoo = { version = "1", registry-index = "${url}" }\n`,
  'another registry': (url) => `${CRATE}[dependencies]\nfoo = { version = "1", registry = "x" } # ${url}\n`,
  'a patch': (url) => `${CRATE}[patch.crates-io]\nfoo = { git = "${url}" }\n`,
  'a replacement': (url) => `${CRATE}[replace]\n"foo:1.0.0" = { git = "${url}" }\n`,
  'a source': (url) => `${CRATE}[source.x]\nregistry = "${url}"\n`,
  'an old spelling': (url) => `${CRATE}[dev_dependencies]\nfoo = { git = "${url}" }\n`,
  'a crate outside': (url) => `${CRATE}[dependencies]\nfoo = { path = "../other" } # ${url}\n`,
  'a crate at an absolute path': (url) => `${CRATE}[dependencies]\nfoo = { path = "/etc" } # ${url}\n`,
  'a workspace outside': (url) => `${CRATE}workspace = "../other" # ${url}\n`,
  'members outside': (url) => `${CRATE}[workspace]\nmembers = ["../*"] # ${url}\n`,
}

describe('cargo asks nobody for', () => {
  for (const [what, manifestFor] of Object.entries(CARGO_FORMS)) {
    verifies('TOOL-091', what, async () => {
      const files = { 'Cargo.toml': manifestFor(address('cargo.git')), 'Cargo.lock': CARGO_LOCK }
      await refusalOf('cargo', files, asker)
    })
  }

  test.each([
    ['a member', `${CRATE}[workspace]\nmembers = ["crates/a"]\n`],
    ['a member that a pattern finds', `${CRATE}[workspace]\nmembers = ["crates/*"]\n`],
    ['a crate beside', `${CRATE}[dependencies]\na = { path = "crates/a" }\n`],
  ])('what %s names', async (_what, manifest) => {
    const inner = `[package]\nname = "a"\nversion = "0.1.0"\n[dependencies]\nfoo = { git = "${address('x')}" }\n`
    const files = { 'Cargo.toml': manifest, 'Cargo.lock': CARGO_LOCK, 'crates/a/Cargo.toml': inner }
    await refusalOf('cargo', files, asker)
  })
})

const POETRY_LOCK =
  '[[package]]\nname = "x"\nversion = "1"\nfiles = [\n    {file = "x", hash = "sha256:' +
  `${'a'.repeat(64)}"},\n]\n`
const NEEDS = '[tool.poetry.dependencies]\n'

const POETRY_FORMS: Record<string, (url: string) => string> = {
  'an address': (url) => `${NEEDS}foo = { url = "${url}" }\n`,
  'a git address': (url) => `${NEEDS}foo = { git = "${url}" }\n`,
  'one of several ways': (url) => `${NEEDS}foo = [{ version = "1" }, { git = "${url}" }]\n`,
  'a path': (url) => `${NEEDS}foo = { path = "../other" } # ${url}\n`,
  'one for development': (url) => `[tool.poetry.dev-dependencies]\nfoo = { url = "${url}" }\n`,
  'one in a group': (url) => `[tool.poetry.group.dev.dependencies]\nfoo = { url = "${url}" }\n`,
  'a source': (url) => `[[tool.poetry.source]]\nname = "x"\nurl = "${url}"\n`,
  'a need with a source': (url) => `${NEEDS}foo = { version = "1", source = "x" } # ${url}\n`,
  'a plugin': (url) => `[tool.poetry.requires-plugins]\nfoo = { url = "${url}" }\n`,
  'a version that is an address': (url) => `${NEEDS}foo = "@ ${url}"\n`,
  'a direct reference': (url) => `[project]\nname = "x"\ndependencies = ["foo @ ${url}"]\n`,
  'a close direct reference': (url) => `[project]\nname = "x"\ndependencies = [\n  "foo[a]@${url} ; x",\n]\n`,
  'an optional direct reference': (url) => `[project.optional-dependencies]\na = ["foo @ ${url}"]\n`,
  'a grouped direct reference': (url) => `[dependency-groups]\na = ["foo @ ${url}"]\n`,
  'a bare address': (url) => `[project]\ndependencies = ["${url}"]\n`,
  'what builds it': (url) => `[build-system]\nrequires = ["poetry-core @ ${url}"]\n`,
}

describe('poetry asks nobody for', () => {
  for (const [what, manifestFor] of Object.entries(POETRY_FORMS)) {
    verifies('TOOL-091', what, async () => {
      const files = { 'pyproject.toml': manifestFor(address('pypi')), 'poetry.lock': POETRY_LOCK }
      await refusalOf('poetry', files, asker)
    })
  }
})

verifies('TOOL-091', 'the owner hears of every manifest that is refused', async () => {
  await using tools = await startToolHub()
  const files = {
    ...npmFiles({ dependencies: { foo: address('npm') } }, { '': ROOT }),
    'Cargo.toml': `${CRATE}[dependencies]\nfoo = { git = "${address('cargo')}" }\n`,
    'Cargo.lock': CARGO_LOCK,
    'pyproject.toml': `${NEEDS}foo = { url = "${address('poetry')}" }\n`,
    'poetry.lock': POETRY_LOCK,
  }
  for (const [path, content] of Object.entries(files)) tools.project.write(`services/web/${path}`, content)
  for (const manager of ['npm', 'cargo', 'poetry'])
    expect(await tools.codeOf('rest', 'install_dependencies', { manager })).toBe('PolicyViolation')
  const { violations } = await tools.owner('GET', '/api/v1/toolbox/violations')
  expect(
    violations
      .map((event: any) => [event.violation_type, event.target_path, event.command_args])
      .toReversed(),
  ).toEqual([
    ['manifest', 'package.json', ['foo']],
    ['manifest', 'Cargo.toml', ['dependencies.foo.git']],
    ['manifest', 'pyproject.toml', ['tool.poetry.dependencies.foo.url']],
  ])
  expect(asked).toEqual([])
})
