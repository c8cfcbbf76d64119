import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../..')
const LAYERS = ['platform', 'operations', 'domains', 'surfaces', 'main.ts']
/** What others build into their own programs: it shares nothing with the hub. */
const CLIENT = 'src/client/'
/** What engines and hosts build into theirs: the hub stands on it, and it on nothing of the hub. */
const BOUNDARY = 'src/boundary/'
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*'([^']+)'|(?:import|require)\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g

interface Import {
  from: string
  to: string
}

const sources = filesUnder('src').filter((file) => !/\.(test|fixture)\.ts$/.test(file))
const imports = sources.flatMap(importsOf)
const inside = imports.filter(({ to }) => to.startsWith('src/'))
const outside = imports.filter(({ to }) => !to.startsWith('src/') && !to.startsWith('node:'))

function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .toSorted()
}

function importsOf(file: string): Import[] {
  const found = [...textOf(file).matchAll(IMPORT)].map(
    (match) => (match[1] ?? match[2] ?? match[3]) as string,
  )
  return found.map((to) => ({ from: file, to: to.startsWith('.') ? join(dirname(file), to) : to }))
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function isApart(file: string): boolean {
  return file.startsWith(CLIENT) || file.startsWith(BOUNDARY)
}

function render({ from, to }: Import): string {
  return `${from} → ${to}`
}

/** The layer of a source file, and the part of it. */
function placeOf(file: string): { layer: number; part: string } {
  const [, layer = '', part = ''] = file.split('/')
  return { layer: LAYERS.indexOf(layer), part: part.endsWith('.ts') ? '' : part }
}

/** Which parts of one layer import which others. */
function edgesWithin(layer: string): string[] {
  const edges = inside.map(({ from, to }) => [from, to].map(placeOf))
  const own = edges.filter((pair) => pair.every((place) => place.layer === LAYERS.indexOf(layer)))
  const crossing = own.filter(([from, to]) => from?.part !== '' && from?.part !== to?.part)
  return [...new Set(crossing.map(([from, to]) => `${from?.part} → ${to?.part}`))].toSorted()
}

/** The top-level name of an installed package. */
function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/')
}

describe('imports of the sources', () => {
  test('are seen by this test', () => {
    expect(sources.length).toBeGreaterThan(50)
    expect(inside.length).toBeGreaterThan(100)
    expect(inside.map(render)).toContain('src/domains/index.ts → src/domains/flows/index.ts')
    expect(outside.map(render)).toContain('src/platform/policy/watched-file.ts → yaml')
  })

  test('lie in a known layer and exist', () => {
    const known = new Set(sources)
    expect(sources.filter((file) => placeOf(file).layer < 0 && !isApart(file))).toEqual([])
    expect(inside.filter(({ to }) => !known.has(to)).map(render)).toEqual([])
  })

  test('go one way: surfaces, domains, operations, platform', () => {
    const upward = inside.filter(({ from, to }) => placeOf(from).layer < placeOf(to).layer)
    expect(upward.map(render)).toEqual([])
  })

  test('keep the client and the hub apart', () => {
    const crossing = inside.filter(({ from, to }) => from.startsWith(CLIENT) !== to.startsWith(CLIENT))
    expect(crossing.map(render)).toEqual([])
  })

  test('keep the boundary library free of everything else', () => {
    const leaving = imports.filter(({ from, to }) => from.startsWith(BOUNDARY) && !to.startsWith(BOUNDARY))
    expect(leaving.map(render)).toEqual([])
  })

  test('never reach main.ts, tests or fixtures', () => {
    const wrong = imports.filter(({ to }) => /(^src\/main\.ts|\.test\.ts|\.fixture\.ts|^test\/.*)$/.test(to))
    expect(wrong.map(render)).toEqual([])
  })

  test('never go from one domain to another', () => {
    expect(edgesWithin('domains')).toEqual([])
  })

  test('between surfaces are these alone', () => {
    expect(edgesWithin('surfaces')).toMatchInlineSnapshot(`
      [
        "cli → http",
        "cli → mcp",
        "http → mcp",
        "http → openapi",
      ]
    `)
  })

  test('between parts of the platform are these alone', () => {
    expect(edgesWithin('platform')).toMatchInlineSnapshot(`
      [
        "alerts → basics",
        "alerts → storage",
        "approvals → identity",
        "approvals → storage",
        "audit → basics",
        "audit → storage",
        "audit → time-stamps",
        "guard → basics",
        "identity → basics",
        "identity → policy",
        "identity → secrets",
        "identity → storage",
        "knowledge → basics",
        "knowledge → guard",
        "knowledge → policy",
        "knowledge → redaction",
        "knowledge → storage",
        "labels → audit",
        "labels → storage",
        "locks → basics",
        "locks → storage",
        "pins → basics",
        "pins → storage",
        "pins → upstream",
        "policy → basics",
        "policy → identity",
        "policy → pins",
        "policy → upstream",
        "policy-edits → basics",
        "policy-edits → policy",
        "policy-edits → secrets",
        "policy-edits → storage",
        "policy-edits → trees",
        "redaction → basics",
        "sandbox → guard",
        "secrets → basics",
        "secrets → storage",
        "storage → basics",
        "time-stamps → basics",
        "tracing → basics",
        "tracing → storage",
        "trees → basics",
        "trees → guard",
        "trees → sandbox",
        "upstream → basics",
        "upstream → tracing",
        "work → basics",
        "work → storage",
      ]
    `)
  })

  test.each([
    ['@modelcontextprotocol/', 'src/surfaces/mcp/'],
    ['fastify', 'src/surfaces/http/'],
    ['@fastify/', 'src/surfaces/http/'],
    ['pg', 'src/platform/storage/'],
    // The hub's own database, and the index of a project, which is a file of its own.
    ['better-sqlite3', 'src/platform/storage/ src/platform/knowledge/'],
  ])('of %s are in %s only', (name, folders) => {
    const users = outside.filter(({ to }) =>
      name.endsWith('/') ? to.startsWith(name) : packageOf(to) === name,
    )
    const isAllowed = (from: string) => folders.split(' ').some((folder) => from.startsWith(folder))
    expect(users.filter(({ from }) => !isAllowed(from)).map(render)).toEqual([])
  })

  test('of packages are declared as needed at run time', () => {
    const declared = [...Object.keys(manifest.dependencies), ...BUILT_IN]
    expect(outside.filter(({ to }) => !declared.includes(packageOf(to))).map(render)).toEqual([])
  })
})

/** What the build puts in, so that nobody has to install it. */
const BUILT_IN = [
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/server',
  '@opentelemetry/api',
  '@opentelemetry/exporter-logs-otlp-http',
  '@opentelemetry/exporter-logs-otlp-proto',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-logs',
  '@opentelemetry/sdk-trace',
  '@simplewebauthn/server',
  'feedsmith',
  'imapflow',
  'node-ical',
  'postal-mime',
  'prom-client',
  'zod',
]

describe('the house rules', () => {
  test('nothing is exported by default or by star', () => {
    const wrong = sources.filter((file) => /^export (default|\*)/m.test(textOf(file)))
    expect(wrong).toEqual([])
  })

  test('no folder is a place for whatever does not fit', () => {
    const all = ['src', 'test', 'scripts'].flatMap(filesUnder)
    const folders = new Set(all.flatMap((file) => dirname(file).split('/')))
    const forbidden = ['utils', 'util', 'helpers', 'common', 'shared', 'lib', 'misc']
    expect(forbidden.filter((name) => folders.has(name))).toEqual([])
  })

  test('files are named in kebab case and have at most 300 lines', () => {
    const all = ['src', 'test', 'scripts'].flatMap(filesUnder)
    expect(
      all.filter((file) => !/(^|\/)[a-z0-9]+(-[a-z0-9]+)*(\.test|\.fixture|\.d)?\.ts$/.test(file)),
    ).toEqual([])
    expect(sources.filter((file) => textOf(file).split('\n').length > 301)).toEqual([])
  })

  test('the linter stops longer files and functions over 60 lines', () => {
    const { rules } = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8'))
    expect(rules['max-lines']).toEqual(['error', { max: 300 }])
    expect(rules['max-lines-per-function']).toEqual([
      'error',
      { max: 60, skipBlankLines: true, skipComments: true },
    ])
  })
})
