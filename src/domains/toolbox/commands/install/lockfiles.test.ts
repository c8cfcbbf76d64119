import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolFault } from '../../tool-fault.ts'
import { checkCargoLock } from './check-cargo-lock.ts'
import { checkNpmLock } from './check-npm-lock.ts'
import { checkPoetryLock } from './check-poetry-lock.ts'
import { PUBLIC_CRATE_SOURCES, PUBLIC_NPM_REGISTRY } from './public-registries.ts'

const SUM = `sha512-${'a'.repeat(86)}==`
const REGISTRY = PUBLIC_NPM_REGISTRY
const good = { version: '1.0.0', resolved: `${REGISTRY}a/-/a-1.0.0.tgz`, integrity: SUM }

function npm(packages: object, registry = REGISTRY): () => void {
  const bytes = Buffer.from(JSON.stringify({ lockfileVersion: 3, packages }))
  return () => checkNpmLock('package-lock.json', bytes, registry)
}

describe('package-lock.json', () => {
  test('of the registry, of the service itself and bundled: all that npm writes is taken', () => {
    const packages = {
      '': { name: 'x' },
      'node_modules/a': good,
      'node_modules/@scope/b': { version: '1.0.0', integrity: SUM },
      'node_modules/a/node_modules/c': { version: '1.0.0', inBundle: true },
      'packages/own': { name: 'own' },
      'node_modules/own': { resolved: 'packages/own', link: true },
      'packages/own/node_modules/d': good,
    }
    expect(npm(packages)).not.toThrow()
    const mirror = { 'node_modules/a': { ...good, resolved: 'https://mirror.test/npm/a.tgz' } }
    expect(npm(mirror, 'https://mirror.test/npm/')).not.toThrow()
  })

  test.each([
    ['another host', { ...good, resolved: 'https://evil.test/a.tgz' }],
    ['a host that begins alike', { ...good, resolved: REGISTRY.replace(/\/$/, '.evil.test/a.tgz') }],
    ['no encryption', { ...good, resolved: `${REGISTRY.replace('https', 'http')}a.tgz` }],
    ['git', { ...good, resolved: 'git+https://github.com/a/a.git#abc' }],
    ['a file', { ...good, resolved: 'file:../a.tgz' }],
    ['a path that climbs', { ...good, resolved: `${REGISTRY}../x/a.tgz` }],
    ['no checksum', { version: '1.0.0', resolved: good.resolved }],
    ['a weak checksum', { ...good, integrity: 'sha1-aaaaaaaaaaaaaaaaaaaaaaaaaaa=' }],
    [
      'a weak checksum beside a strong one',
      { ...good, integrity: `${SUM} sha1-aaaaaaaaaaaaaaaaaaaaaaaaaaa=` },
    ],
    ['a link outside', { link: true, resolved: '../other' }],
    ['a link to nowhere', { link: true }],
    ['an absolute link', { link: true, resolved: '/etc' }],
  ])('%s is refused', (_what, entry) => {
    expect(npm({ 'node_modules/a': entry })).toThrow(ToolFault)
  })

  test('no place outside the service is taken, however it is written', () => {
    for (const place of [
      '../x',
      'node_modules/../../x',
      '/x',
      'node_modules//x',
      './x',
      'a\\..\\..\\x',
      'node_modules/.',
    ]) {
      expect(npm({ [place]: good }), place).toThrow(/outside the service/)
    }
    expect(npm({ 'packages/own': good })).toThrow(/no dependency/)
  })

  test('a password in an address is not repeated', () => {
    expect(npm({ 'node_modules/a': { ...good, resolved: 'https://u:hidden@evil.test/a' } })).not.toThrow(
      /hidden/,
    )
  })

  test('whatever is not of its form is refused', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(() => checkNpmLock('package-lock.json', Buffer.from(text), REGISTRY)).toThrow(ToolFault)
      }),
    )
  })
})

const CRATE = ['[[package]]', 'name = "itoa"', 'version = "1.0.0"']
const OF_REGISTRY = `source = "${PUBLIC_CRATE_SOURCES[0]}"`
const CRATE_SUM = `checksum = "${'0'.repeat(64)}"`

function cargo(...lines: string[]): () => void {
  return () => checkCargoLock('Cargo.lock', Buffer.from(['version = 4', '', ...lines, ''].join('\n')))
}

describe('Cargo.lock', () => {
  test('of the public registry and of the project itself is taken', () => {
    const deps = ['dependencies = [', ' "itoa",', ' "ryu 1.0.0",', ']']
    expect(
      cargo(
        ...CRATE,
        OF_REGISTRY,
        CRATE_SUM,
        '',
        '[[package]]',
        'name = "mine"',
        'version = "0.1.0"',
        ...deps,
      ),
    ).not.toThrow()
  })

  test.each([
    ['git', ['source = "git+https://github.com/x/y#0123"']],
    ['another registry', ['source = "registry+https://evil.test/index"', CRATE_SUM]],
    ['no checksum', [OF_REGISTRY]],
    ['another way to write a string', ["source = 'git+https://x.test/y'"]],
    ['another way to write a key', ['"source" = "git+https://x.test/y"']],
    ['an escape', ['source = "git\\u002bhttps://x.test/y"']],
    ['a table that cargo does not write', ['[package.source]', 'git = "https://x.test"']],
    ['a text over lines', ['name = """', 'x"""']],
  ])('%s is refused', (_what, lines) => {
    expect(cargo(...CRATE, ...lines)).toThrow(ToolFault)
  })
})

const PYTHON = [
  '[[package]]',
  'name = "attrs"',
  'version = "1"',
  'description = "Classes"',
  'optional = false',
]
const FILES = ['files = [', `    {file = "attrs.whl", hash = "sha256:${'0'.repeat(64)}"},`, ']']

function poetry(...lines: string[]): () => void {
  return () => checkPoetryLock('poetry.lock', Buffer.from(['# generated', '', ...lines, ''].join('\n')))
}

describe('poetry.lock', () => {
  test('of PyPI with checksums is taken', () => {
    const rest = [
      '[package.dependencies]',
      'idna = {version = ">=2", optional = true}',
      '',
      '[package.extras]',
      'dev = ["x"]',
    ]
    const end = ['[metadata]', 'lock-version = "2.1"', 'content-hash = "0"']
    expect(poetry(...PYTHON, ...FILES, '', ...rest, '', ...PYTHON, ...FILES, '', ...end)).not.toThrow()
    expect(poetry('package = []', '', ...end)).not.toThrow()
    expect(poetry('package = [{}]', '', ...end)).toThrow(ToolFault)
  })

  test.each([
    ['a source', [...FILES, '', '[package.source]', 'type = "git"', 'url = "https://x.test"']],
    ['a source in one line', [...FILES, 'source = {type = "git", url = "https://x.test"}']],
    ['a quoted table', [...FILES, '', '[package."source"]', 'type = "git"']],
    ['a spaced table', [...FILES, '', '[ package.source ]', 'type = "git"']],
    ['no checksums', []],
    ['an empty list', ['files = [', ']']],
    ['a weak checksum', ['files = [', '    {file = "a", hash = "md5:0"},', ']']],
    ['a list without end', ['files = [']],
    ['a text over lines', ['description = """', 'x = 1', '"""', ...FILES]],
  ])('%s is refused', (_what, lines) => {
    expect(poetry(...PYTHON, ...lines)).toThrow(ToolFault)
  })
})
