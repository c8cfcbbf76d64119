import { mkdirSync, symlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { startToolHub, type ToolHub, WAYS } from './surface-hub.fixture.ts'

/** Each call starts a program of its own, which a busy machine takes its time for. */
const SLOW = { timeout: 120_000 }

const FILES: Readonly<Record<string, string>> = {
  'services/web/package.json': JSON.stringify({
    name: '@shop/web',
    main: './src/main.mjs',
    dependencies: { '@shop/pay-gate': '*', contracts: 'file:../../shared/contracts', left: '1' },
  }),
  'services/web/docs/overview_web.md': '# Web\n',
  'services/web/docs/architecture_web.md': '# Web\n',
  'services/web/README.md': '# Web\n',
  'services/web/tests/a.test.mjs': '',
  'services/web/deploy/main.tf': '',
  'services/pay-gate/secret-design.py': '',
  'services/pay-gate/pyproject.toml': 'name = "hidden-name"\n',
  'services/pay-gate/docs/overview_hidden.md': '',
  'apps/admin_panel/x.txt': '',
  'tools/lint/go.mod': 'module x\n',
  'shared/contracts/package.json': '{"name":"contracts"}',
  'docs/overview_shop.md': '# Shop\n',
  'tests/e2e.test.ts': '',
  'docker-compose.yml': 'services: {}\n',
  '.github/workflows/ci.yml': 'on: push\n',
  'infra/main.tf': '',
  'charts/shop/Chart.yaml': '',
  'node_modules/x/package.json': '{}',
  'vendor/y/go.mod': '',
}

let tools: ToolHub
beforeAll(async () => {
  tools = await startToolHub()
  for (const [path, text] of Object.entries(FILES)) tools.project.write(path, text)
})
afterAll(() => tools[Symbol.asyncDispose]())

const mapOf = async (args: object = {}, changes = {}) =>
  (await tools.call('direct', 'get_system_map', args, changes)).data.map

const codeAt = (root_dir: string) => tools.codeOf('direct', 'get_system_map', { root_dir })

/** The services of a project that is one service, with just these files. */
async function mapped(files: Record<string, string>): Promise<string[]> {
  await using single = await startToolHub()
  for (const path of ['services', 'shared_contracts']) single.project.git('rm', '-rq', path)
  for (const [path, text] of Object.entries(files)) single.project.write(path, text)
  const { data } = await single.call('direct', 'get_system_map', {}, { service: '.' })
  return data.map.services.map(({ path }: { path: string }) => path)
}

describe('get_system_map', SLOW, () => {
  verifies('TOOL-105', 'shows services, docs, infrastructure and tests of the tree as it is', async () => {
    const map = await mapOf()
    expect(map.service).toBe('services/web')
    expect(map.services.map(({ path }: { path: string }) => path)).toEqual([
      'apps/admin_panel',
      'services/other',
      'services/pay-gate',
      'services/web',
      'shared/contracts',
      'tools/lint',
    ])
    expect(map.services.find(({ path }: { path: string }) => path === 'services/web')).toEqual({
      name: 'Web',
      path: 'services/web',
      readable: true,
      languages: ['JavaScript'],
      manifests: ['package.json'],
      entry_points: ['src/main.mjs'],
      depends_on: ['services/pay-gate', 'shared/contracts'],
      packages: [],
      tests: ['services/web/tests'],
    })
    expect(map.infrastructure).toEqual(
      expect.arrayContaining([
        { path: 'docker-compose.yml', kind: 'docker-compose', readable: false },
        { path: '.github/workflows', kind: 'ci', readable: false },
        { path: 'infra', kind: 'infrastructure', readable: false },
        { path: 'charts', kind: 'helm', readable: false },
        { path: 'services/web/deploy', kind: 'deployment', readable: true },
      ]),
    )
    expect(map.docs.map(({ path }: { path: string }) => path)).toEqual([
      'docs',
      'services/web/docs',
      'services/web/plans',
    ])
    expect(map.testing.map(({ path }: { path: string }) => path)).toEqual(['tests'])
    expect(map.Entities).toMatchObject({
      Web: {
        Type: 'Service',
        DesignRoot: 'services/web',
        RequiredDocs: [
          'services/web/docs/overview_web.md',
          'services/web/docs/architecture_web.md',
          'services/web/README.md',
        ],
      },
      'Pay Gate': { Type: 'Service', DesignRoot: 'services/pay-gate', RequiredDocs: [] },
      Infra: { Type: 'Infrastructure', DesignRoot: 'infra' },
      Tests: { Type: 'Testing', DesignRoot: 'services/web/tests' },
      'Tests (tests)': { Type: 'Testing', DesignRoot: 'tests' },
    })
  })

  verifies('TOOL-105', 'has each part of a workspace, and takes no code for infrastructure', async () => {
    await using other = await startToolHub()
    const files: Record<string, string> = {
      'crates/Cargo.toml': '[workspace]\nmembers = ["a", "b"]\n',
      'crates/a/Cargo.toml': '[package]\nname = "a"\n[dependencies]\nb = { path = "../b" }\n',
      'crates/b/Cargo.toml': '[package]\nname = "b"\n',
      'front/package.json': '{"workspaces":["parts/*"]}',
      'front/parts/ui/package.json': '{"name":"ui"}',
      'alone/Cargo.toml': '[package]\nname = "alone"\n[workspace]\n',
      'jobs/pyproject.toml': '[project]\nname = "jobs"\ndependencies = ["ui-kit[all]>=1", "mailer"]\n',
      'mailer/pyproject.toml': '[project]\nname = "mailer"\n',
      'front/parts/ui/src/charts/bar.ts': '',
      'jobs/jobs/deploy/run.py': '',
      'alone/src/workflows/order.rs': '',
      'alone/k8s/all.yaml': '',
    }
    for (const [path, text] of Object.entries(files)) other.project.write(`services/web/${path}`, text)
    const { data } = await other.call('direct', 'get_system_map', { root_dir: '.' })
    const { services, infrastructure } = data.map
    const needs = services.map((one: { path: string; depends_on: string[] }) => [one.path, one.depends_on])
    expect(Object.fromEntries(needs)).toEqual({
      alone: [],
      'crates/a': ['crates/b'],
      'crates/b': [],
      'front/parts/ui': [],
      jobs: ['mailer'],
      mailer: [],
    })
    expect(infrastructure).toEqual([{ path: 'alone/k8s', kind: 'kubernetes', readable: true }])
  })

  verifies('TOOL-105', 'has services called as other folders are, and no code among the docs', async () => {
    await using other = await startToolHub()
    const files: Record<string, string> = {
      'apps/docs/package.json': '{"name":"site"}',
      'apps/docs/begin.md': '# Site\n',
      'packages/e2e/package.json': '{"name":"e2e"}',
      'search/Cargo.toml':
        '[package]\nname = "search"\n[[bin]]\nname = "s"\npath = "core/run.rs"\n[workspace]\nmembers = ["p"]\n',
      'search/core/doc/man.rs': '',
      'search/core/run.rs': '',
      'search/p/Cargo.toml': '[package]\nname = "p"\n',
      'search/p/doc/intro.md': '',
    }
    for (const [path, text] of Object.entries(files)) other.project.write(`services/web/${path}`, text)
    const { services, docs } = (await other.call('direct', 'get_system_map', { root_dir: '.' })).data.map
    const begins = services.map((one: { path: string; entry_points: string[] }) => [
      one.path,
      one.entry_points,
    ])
    expect(Object.fromEntries(begins)).toEqual({
      'apps/docs': [],
      'packages/e2e': [],
      search: ['core/run.rs'],
      'search/p': [],
    })
    expect(docs.map(({ path }: { path: string }) => path)).toEqual([
      'apps/docs',
      'docs',
      'plans',
      'search/p/doc',
    ])
  })

  verifies('TOOL-105', 'has a service that was added since, over every surface', async () => {
    for (const way of WAYS) {
      const before = await tools.call(way, 'get_system_map')
      expect(before.text).not.toContain(`new-${way}`)
      tools.project.write(`services/new-${way}/notes.txt`, 'x\n')
      const { data } = await tools.call(way, 'get_system_map')
      expect(data.map.services).toContainEqual(expect.objectContaining({ path: `services/new-${way}` }))
    }
  })

  verifies('TOOL-105', 'tells nothing of what a sibling service holds', async () => {
    const map = await mapOf()
    expect(map.services.find(({ path }: { path: string }) => path === 'services/pay-gate')).toEqual({
      name: 'Pay Gate',
      path: 'services/pay-gate',
      readable: false,
      languages: [],
      manifests: [],
      entry_points: [],
      depends_on: [],
      packages: [],
      tests: [],
    })
    const text = JSON.stringify(map)
    for (const word of [
      'secret-design',
      'hidden',
      'pyproject',
      'Python',
      'x.txt',
      'node_modules',
      'vendor',
      '.env',
      '.flow',
    ])
      expect(text, word).not.toContain(word)
  })

  verifies('TOOL-105', 'shows a part of the service in paths for other tools, and no further', async () => {
    const map = await mapOf({ root_dir: '.' })
    expect(map.services).toMatchObject([{ path: '.', manifests: ['package.json'] }])
    const RequiredDocs = ['docs/overview_web.md', 'docs/architecture_web.md', 'README.md']
    expect(map.Entities).toMatchObject({ Project: { DesignRoot: '.', RequiredDocs } })
    expect(map.docs).toMatchObject([{ path: 'docs' }, { path: 'plans' }])
    expect((await mapOf({ root_dir: 'shared' })).services).toMatchObject([
      { path: 'shared/contracts', readable: true },
    ])
    for (const path of ['..', '../other', '/', '.flow', '../../docs'])
      expect(await codeAt(path), path).toBe('SecurityError')
    expect(await codeAt('none')).toBe('FileNotFound')
    expect(await codeAt('README.md')).toBe('NotADirectory')
  })

  test('follows no links, and knows names with nothing in them', async () => {
    symlinkSync('/etc', `${tools.project.root}/services/linked`)
    mkdirSync(`${tools.project.root}/services/empty`)
    const paths = (await mapOf()).services.map(({ path }: { path: string }) => path)
    expect(paths).not.toContain('services/linked')
    expect(paths).toContain('services/empty')
  })

  test('gives a role that reads documents only the names of the rest', async () => {
    const map = await mapOf({}, { role: 'product_owner' })
    expect(map.services.find(({ path }: { path: string }) => path === 'services/web')).toMatchObject({
      readable: false,
      manifests: [],
      entry_points: [],
    })
    expect(map.Entities.Web.RequiredDocs).toEqual([
      'services/web/docs/overview_web.md',
      'services/web/docs/architecture_web.md',
    ])
    expect(map.docs).toContainEqual({ path: 'services/web/docs', kind: 'docs', readable: true })
    expect(JSON.stringify(map)).not.toContain('overview_hidden')
  })

  test('shows a project of one service by its root', async () => {
    await using single = await startToolHub()
    for (const path of ['services', 'shared_contracts']) single.project.git('rm', '-rq', path)
    single.project.write('Cargo.toml', '[package]\nname = "one"\n')
    single.project.write('src/main.rs', 'fn main() {}\n')
    single.project.write('docker-compose.yml', 'services:\n  one:\n    build: .\n')
    const { data } = await single.call('direct', 'get_system_map', {}, { service: '.' })
    expect(data.map.services).toMatchObject([
      {
        name: 'Project',
        path: '.',
        languages: ['Rust'],
        entry_points: ['src/main.rs'],
        manifests: ['Cargo.toml'],
      },
    ])
    expect(data.map.infrastructure).toMatchObject([{ path: 'docker-compose.yml' }])
  })

  verifies('TOOL-105', 'has a library at the root beside the tools and examples in it', async () => {
    const tool = { 'vendor-bin/fixer/composer.json': '{}' }
    expect(await mapped({ 'composer.json': '{}', 'src/Client.php': '', ...tool })).toEqual([
      '.',
      'vendor-bin/fixer',
    ])
    const example = { '_examples/rest/go.mod': 'module rest\n', 'bench/go.mod': 'module bench\n' }
    expect(await mapped({ 'go.mod': 'module chi\n', 'mux.go': '', ...example })).toEqual(['.', 'bench'])
    const frame = { 'package.json': '{}', 'lint.config.js': '', 'app/package.json': '{}', 'app/a.ts': '' }
    expect(await mapped(frame)).toEqual(['app'])
  })

  test('takes no package of others for a sibling whose folder has its name', async () => {
    await using other = await startToolHub()
    const needs = { '@else/react-query': '*', next: '*', '@shop/pay': '*' }
    other.project.write(
      'services/web/package.json',
      JSON.stringify({ name: '@shop/web', dependencies: needs }),
    )
    for (const name of ['react-query', 'next', 'pay']) other.project.write(`services/${name}/x.txt`, '')
    const { data } = await other.call('direct', 'get_system_map')
    const own = data.map.services.find(({ path }: { path: string }) => path === 'services/web')
    expect(own.depends_on).toEqual(['services/pay'])
  })
})
