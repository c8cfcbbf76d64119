import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { indexPlaceOf } from '../../src/platform/knowledge/index/index-place.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { verifies } from '../requirements/verifies.ts'
import { type KnowledgeHub, settle, sha256Of, startKnowledgeHub, until } from './knowledge-project.fixture.ts'
import { WAYS } from './surface-hub.fixture.ts'

const BUS = '# Event bus\n\nHow the event bus delivers messages to its subscribers.\n'
const TOPICS = ['parcel tracking', 'invoice rounding', 'password reset', 'image resizing', 'night shift rota']

let hub: KnowledgeHub
beforeAll(async () => {
  hub = await startKnowledgeHub()
  hub.project.write('docs/specs/bus.md', BUS)
  hub.project.write('src/core/clock.ts', 'export function tickEverySecond(): number {\n  return 1\n}\n')
  hub.project.write('tests/clock.test.ts', "test('ticks', () => expect(tickEverySecond()).toBe(1))\n")
  for (const [at, topic] of TOPICS.entries())
    hub.project.write(`services/web/docs/topic${at}.md`, `# ${topic}\n\nAll about ${topic}.\n`)
  await hub.knowledge('index')
})
afterAll(() => hub[Symbol.asyncDispose]())

describe('search_knowledge', () => {
  verifies('TOOL-102', 'finds the right document among at most limit results, five unless told', async () => {
    for (const way of WAYS) {
      const { results, warning } = await hub.search('How does the event bus deliver messages?', {}, {}, way)
      expect(warning).toBeUndefined()
      expect(results.length).toBeLessThanOrEqual(5)
      expect(results[0]).toMatchObject({ path: '../../docs/specs/bus.md', kind: 'doc', start_line: 1 })
      expect(results[0]?.snippet).toContain('delivers messages')
      expect(results[0]?.reasons.length).toBeGreaterThan(0)
    }
    const all = await hub.search('all about the topic of tracking, rounding, reset, resizing, shift', {
      limit: 50,
    })
    expect(all.results.length).toBeGreaterThanOrEqual(5)
    const few = await hub.search('all about the topic of tracking, rounding, reset, resizing, shift', {
      limit: 2,
    })
    expect(few.results).toEqual(all.results.slice(0, 2))
    const scores = all.results.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  test('refuses what is no query and no limit', async () => {
    for (const args of [
      {},
      { query: ' ' },
      { query: 'x', limit: 0 },
      { query: 'x', limit: 51 },
      { query: 'x', kind: 'all' },
    ])
      expect(await hub.codeOf('rest', 'search_knowledge', args), JSON.stringify(args)).toBe('ValidationError')
  })

  test('calls files as read_file does, where it can read them', async () => {
    hub.project.write('shared_contracts/parcel.md', '# Parcel contract\n\nWhat a zebrafish parcel holds.\n')
    hub.project.write('services/web/src/own.ts', 'export const zebrafishCount = 3\n')
    await hub.knowledge('index')
    const { results } = await hub.search('zebrafish', { limit: 10 })
    const own = results.filter(({ snippet }) => /zebrafish/i.test(snippet))
    const readable = own.filter((one) => one.readable).map(({ path }) => path)
    expect(readable.toSorted()).toEqual(['shared_contracts/parcel.md', 'src/own.ts'])
    for (const path of readable) expect(await hub.codeOf('direct', 'read_file', { path })).toBe('success')
  })

  test('narrows by path and kind, and refuses a path that the seat may not see', async () => {
    const inDocs = await hub.search('tickEverySecond event bus', { path: '../../docs', limit: 20 })
    expect(inDocs.results.map(({ path }) => path)).toEqual(['../../docs/specs/bus.md'])
    const tests = await hub.search('tickEverySecond', { kind: 'test' })
    expect(tests.results[0]?.path).toBe('tests/clock.test.ts')
    expect(new Set(tests.results.map(({ kind }) => kind))).toEqual(new Set(['test']))
    const file = await hub.search('topic', { path: 'docs/topic1.md' })
    expect(new Set(file.results.map(({ path }) => path))).toEqual(new Set(['docs/topic1.md']))
    for (const path of ['src/nowhere', 'services/web/src', 'none.ts'])
      expect(await hub.codeOf('direct', 'search_knowledge', { query: 'x', path }), path).toBe('FileNotFound')
    for (const path of ['.', '..', 'docs/']) await hub.search('x', { path })
    for (const path of ['../other', '/etc', '../../..', '.env'])
      expect(await hub.codeOf('rest', 'search_knowledge', { query: 'x', path }), path).toBe('SecurityError')
  })

  verifies('TOOL-107', 'is listed with the other knowledge tools', async () => {
    const client = await connectClient(`${hub.hub.url}/mcp`, await hub.bearer())
    const names = (await client.listTools()).tools.map(({ name }) => name)
    await client.close()
    for (const name of [
      'search_knowledge',
      'find_usage',
      'get_related_tests',
      'get_system_map',
      'get_task_context',
    ])
      expect(names).toContain(name)
  })
})

describe('the scope of a search', () => {
  test('is the service, the shared folders and the knowledge folders, never a sibling', async () => {
    for (const path of [
      'services/other/a.md',
      'services/web/a.md',
      'shared/a.md',
      'docs/a.md',
      'tests/a.md',
      'infra/a.md',
      'src/core/a.md',
      'src/ui/a.md',
    ])
      hub.project.write(path, `# Quokka\n\nThe quokka of ${path}.\n`)
    await hub.knowledge('index')
    const seen = async (changes = {}) => {
      const { results } = await hub.search('quokka', { limit: 50 }, changes)
      return results.flatMap(({ snippet }) => /quokka of (.+)\./.exec(snippet)?.[1] ?? []).toSorted()
    }
    const common = ['docs/a.md', 'shared/a.md', 'src/core/a.md', 'tests/a.md']
    expect(await seen()).toEqual([...common, 'services/web/a.md'].toSorted())
    expect(await seen({ service: 'services/other' })).toEqual([...common, 'services/other/a.md'].toSorted())
    hub.project.write('services/web/docs/b.md', '# Quokka\n\nThe quokka of services/web/docs/b.md.\n')
    hub.project.write('.flow/config.json', JSON.stringify({ knowledge: { paths: ['infra/'] } }))
    await hub.knowledge('index')
    expect(await seen()).toEqual(
      [...common, 'infra/a.md', 'services/web/a.md', 'services/web/docs/b.md'].toSorted(),
    )
    expect(await seen({ role: 'product_owner' })).toEqual(['docs/a.md', 'services/web/docs/b.md'])
    rmSync(join(hub.project.root, '.flow/config.json'))
  })
})

describe('the index', () => {
  verifies(
    'TOOL-108',
    'covers docs/specs, src/core and tests, never a closed zone, and holds no secret',
    async () => {
      const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
      const places = ['docs/specs/s.md', 'src/core/s.ts', 'tests/s.test.ts']
      const closed = [
        'services/web/.env',
        'services/web/secrets/s.md',
        '.git/s.md',
        'docs/node_modules/s.md',
        'docs/.env.local',
        '.flow/s.md',
        'docs/private/s.md',
      ]
      hub.project.write('.flow/config.json', JSON.stringify({ scope: { block_patterns: ['private/'] } }))
      for (const path of [...places, ...closed])
        hub.project.write(path, `// sentinel axolotl of ${path} ${secret}\n`)
      await hub.knowledge('index')
      const { results } = await hub.search('sentinel axolotl', { limit: 50 })
      const found = results.flatMap(({ snippet }) => /axolotl of (\S+)/.exec(snippet)?.[1] ?? [])
      expect(found.toSorted()).toEqual(places)
      expect(JSON.stringify(results)).not.toContain(secret)
      for (const path of closed) expect(hub.manifest()).not.toHaveProperty([path])
      const { index } = indexPlaceOf(hub.project.root)
      for (const file of [index, `${index}-wal`]) {
        if (!existsSync(file)) continue
        expect(readFileSync(file).includes(secret)).toBe(false)
        expect(readFileSync(file).includes('axolotl of services/web/.env')).toBe(false)
      }
      rmSync(join(hub.project.root, '.flow/config.json'))
    },
  )

  verifies('TOOL-108', 'lets go of what the policy closes later', async () => {
    hub.project.write('docs/later/x.md', '# Capybara\n\nA capybara.\n')
    await hub.knowledge('index')
    const capybaras = async () =>
      (await hub.search('capybara')).results.filter(({ snippet }) => snippet.includes('capybara'))
    expect(await capybaras()).toHaveLength(1)
    hub.project.write('.flow/config.json', JSON.stringify({ scope: { block_patterns: ['later'] } }))
    expect(await capybaras()).toEqual([])
    await hub.knowledge('index')
    expect(hub.manifest()).not.toHaveProperty(['docs/later/x.md'])
    rmSync(join(hub.project.root, '.flow/config.json'))
  })

  test('leaves out what git ignores', async () => {
    hub.project.write('.gitignore', 'generated/\n*.gen.md\n')
    hub.project.write('docs/generated/x.md', '# Okapi\n')
    hub.project.write('docs/x.gen.md', '# Okapi\n')
    hub.project.write('docs/okapi.md', '# Okapi\n')
    await hub.knowledge('index')
    const okapis = (await hub.search('okapi')).results.filter(({ snippet }) => snippet.includes('Okapi'))
    expect(okapis.map(({ path }) => path)).toEqual(['../../docs/okapi.md'])
    rmSync(join(hub.project.root, '.gitignore'))
  })

  verifies('TOOL-110', 'has a manifest with the sha256 of each indexed file', async () => {
    await hub.knowledge('index')
    const manifest = hub.manifest()
    const files = hub.project.git('ls-files', '--cached', '--others', '--exclude-standard').trim().split('\n')
    const open = files.filter((path) => !/(^|\/)(\.env|\.flow|secrets|node_modules)/.test(path))
    expect(Object.keys(manifest).toSorted()).toEqual(open.toSorted())
    for (const [path, sha256] of Object.entries(manifest))
      expect(sha256, path).toBe(sha256Of(join(hub.project.root, path)))
  })

  verifies('TOOL-111', 'embeds only what changed, and lets go of what was deleted', async () => {
    await using own = await startKnowledgeHub()
    for (let at = 0; at < 20; at += 1)
      own.project.write(`docs/n${at}.md`, `# Note ${at}\n\nAbout platypus ${at}.\n`)
    const first = await own.knowledge('index')
    expect(first).toMatchObject({ mode: 'full', embedded: first.files })
    expect(await own.knowledge('index')).toMatchObject({ mode: 'delta', embedded: 0, removed: 0 })
    for (const at of [7, 8]) {
      own.project.write(`docs/n${at}.md`, `# Note ${at}\n\nAbout wombats now.\n`)
      expect(await own.knowledge('index')).toMatchObject({ embedded: 1, removed: 0, files: first.files })
    }
    own.project.write('docs/new.md', '# New\n\nA pangolin.\n')
    expect(await own.knowledge('index')).toMatchObject({ embedded: 1, files: first.files + 1 })
    rmSync(join(own.project.root, 'docs/n7.md'))
    expect(await own.knowledge('index')).toMatchObject({ embedded: 0, removed: 1, files: first.files })
    expect(own.manifest()).not.toHaveProperty(['docs/n7.md'])
    const found = (await own.search('wombats', { limit: 50 })).results.map(({ path }) => path)
    expect(found).toContain('../../docs/n8.md')
    expect(found).not.toContain('../../docs/n7.md')
  })

  verifies(
    'TOOL-112',
    'shipped beside a project is the start of its own: only the delta is embedded',
    async () => {
      await using from = await startKnowledgeHub()
      await using to = await startKnowledgeHub()
      for (const { project } of [from, to])
        project.write('docs/stable.md', '# Stable\n\nAn echidna that stays.\n')
      const { files } = await from.knowledge('index')
      to.project.write('README.md', 'Changed since it was shipped.\n')
      // As an image ships it: the files lie there before anything is started.
      const [source, target] = [indexPlaceOf(from.project.root), indexPlaceOf(to.project.root)]
      mkdirSync(target.folder, { recursive: true })
      for (const key of ['index', 'manifest'] as const) cpSync(source[key], target[key])
      const { results, warning } = await to.search('echidna')
      expect([warning, results[0]?.path]).toEqual([undefined, '../../docs/stable.md'])
      let last_run: object | null = null
      await until(async () => {
        ;({ last_run } = await to.owner('GET', `/api/v1/knowledge?project=${to.project.root}`))
        return last_run !== null
      }, 'the index is up to date')
      expect(last_run).toMatchObject({ mode: 'delta', embedded: 1, files })
    },
  )

  verifies(
    'TOOL-112',
    'exported and imported, is the start of another: only the delta is embedded',
    async () => {
      await using from = await startKnowledgeHub()
      await using to = await startKnowledgeHub()
      const file = join(from.project.base, 'base.rag')
      const { files } = await from.knowledge('index')
      await from.knowledge('export', file)
      to.project.write('README.md', 'Changed since it was shipped, by an aardvark.\n')
      expect(await to.knowledge('import', file)).toMatchObject({
        mode: 'delta',
        embedded: 1,
        files,
        warnings: [],
      })
      expect(to.manifest()['README.md']).toBe(sha256Of(join(to.project.root, 'README.md')))
      const { code } = await from.knowledge('export', file)
      expect(code).toBe('BAD_REQUEST')
    },
  )

  verifies(
    ['TOOL-113', 'TOOL-114'],
    'is made in the background, with the warning until it is done',
    async () => {
      await using own = await startKnowledgeHub()
      for (let at = 0; at < 300; at += 1)
        own.project.write(`docs/n${at}.md`, `# Note ${at}\n\nA kakapo, ${at}.\n`)
      const { manifest } = indexPlaceOf(own.project.root)
      const first = await own.search('kakapo', {}, {}, 'mcp')
      expect(existsSync(manifest)).toBe(false)
      expect(first).toMatchObject({
        warning: 'Knowledge Base Building...',
        progress: { files_done: expect.any(Number) },
      })
      await own.settled()
      const after = await own.search('kakapo', {}, {}, 'rest')
      expect([after.warning, after.progress, after.results.length]).toEqual([undefined, undefined, 5])
      rmSync(manifest)
      expect((await own.search('kakapo')).warning).toBe('Knowledge Base Building...')
      await own.settled()
      expect((await own.search('kakapo')).warning).toBeUndefined()
      expect(await own.knowledge('index')).toMatchObject({ mode: 'delta', embedded: 0 })
    },
  )

  verifies(['TOOL-113', 'TOOL-114'], 'is made after a command line that has ended already', async () => {
    await using own = await startKnowledgeHub()
    expect((await own.search('greeting', {}, {}, 'cli')).warning).toBe('Knowledge Base Building...')
    await settle(own.project.root)
    const { results, warning } = await own.search('greeting', {}, {}, 'cli')
    expect([warning, results[0]?.path]).toEqual([undefined, 'src/main.mjs'])
  })
})
