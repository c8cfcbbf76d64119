import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SourceFault } from '../connector.ts'
import { collectBrokenOff, collectPages, openTestSource } from '../source.fixture.ts'
import { startWebServer } from '../web-server.fixture.ts'
import { gitCollector } from './collector.ts'
import { startGitServer } from './git-server.fixture.ts'

const TOKEN = 'sentinel-token-5521'
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
}
let root: string
let work: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'knowtation-git-test-'))
  work = join(root, 'work')
  mkdirSync(work)
  git('init', '-q', '-b', 'main')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function git(...args: string[]): string {
  const env = { ...process.env, ...IDENTITY }
  return execFileSync('/usr/bin/git', args, { cwd: work, env, encoding: 'utf8' }).trim()
}
function commit(path: string, text: string | Buffer, message = `change ${path}`): string {
  mkdirSync(dirname(join(work, path)), { recursive: true })
  writeFileSync(join(work, path), text)
  git('add', '-A')
  git('commit', '-q', '-m', message)
  return git('rev-parse', 'HEAD')
}
const open = (settings: Record<string, string> = {}, secrets: Record<string, string> = {}) =>
  openTestSource({ settings: { repository: work, ...settings }, secrets })
const scratches = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`knowtation-git-${process.pid}-`))

describe('a repository in a folder', () => {
  test('gives its commits and texts, then only what is new; deleted files are removed', async () => {
    const one = commit('README.md', '# Hello\n', 'First\n\nWith a body')
    commit('docs/a.txt', 'a')
    commit('code.js', 'not a text for people')
    await using source = open()
    expect(await gitCollector.probe(source)).toEqual({ display_name: 'work' })
    const first = await collectPages(gitCollector, source)
    expect(first.upserted.filter((key) => key.startsWith('commits'))).toHaveLength(3)
    expect(first.records.get(`commits:${one}`)).toEqual({
      commit_id: one,
      parents: [],
      author: { name: 'Ada', address: 'ada@example.org' },
      authored_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      committed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      title: 'First',
      text: 'First\n\nWith a body',
      is_cut: false,
    })
    expect([...first.records.keys()].filter((key) => key.startsWith('files'))).toEqual([
      'files:README.md',
      'files:docs/a.txt',
    ])
    expect(first.records.get('files:README.md')).toMatchObject({ text: '# Hello\n', path: 'README.md' })
    expect((await collectPages(gitCollector, source, { before: first })).pages).toEqual([])

    git('rm', '-q', 'docs/a.txt')
    const four = commit('README.md', '# Changed\n')
    const later = await collectPages(gitCollector, source, { before: first })
    expect([later.upserted, later.removed]).toEqual([
      [`commits:${four}`, 'files:README.md'],
      ['files:docs/a.txt'],
    ])
    expect(scratches()).toEqual([])
  })

  test('whose history was rewritten is read anew', async () => {
    commit('a.md', 'one')
    await using source = open()
    const first = await collectPages(gitCollector, source)
    git('commit', '-q', '--amend', '-m', 'rewritten')
    git('reflog', 'expire', '--expire=now', '--all')
    git('gc', '-q', '--prune=now')
    const later = await collectPages(gitCollector, source, { before: first })
    expect(later.upserted).toEqual([`commits:${git('rev-parse', 'HEAD')}`])
  })

  test('goes on where it was broken off', async () => {
    for (let n = 0; n < 12; n++) writeFileSync(join(work, `${n}.md`), `text ${n}`)
    git('add', '-A')
    git('commit', '-q', '-m', 'many')
    const lines = Array.from({ length: 430 }, (_, n) => fastImport(n)).join('')
    execFileSync('/usr/bin/git', ['fast-import', '--quiet'], { cwd: work, input: lines })
    await using source = open({ branch: 'bulk' })
    const { whole, broken } = await collectBrokenOff(gitCollector, source)
    expect([whole.records.size, broken.length]).toEqual([431, 3])
    expect(whole.pages[0]).toMatchObject({ total: 431 })
    for (const { records, upserted } of broken) {
      expect(records).toEqual(whole.records)
      expect(new Set(upserted).size).toBe(upserted.length)
    }
  })

  test('with odd names, links, bytes and large files gives what can be read', async () => {
    commit('é ü\n".md', 'odd')
    commit('binary.txt', Buffer.from([1, 0, 2]))
    commit('large.md', 'x'.repeat(300_000))
    commit('latin.txt', Buffer.from([0x63, 0xe9, 0x0a, 0x64]))
    symlinkSync('/etc/passwd', join(work, 'link.md'))
    commit('last.md', 'end')
    await using source = open()
    const { records } = await collectPages(gitCollector, source)
    const files = [...records]
      .filter(([key]) => key.startsWith('files:'))
      .map(([, data]) => [data.path, data.text])
    expect(files.toSorted()).toEqual([
      ['last.md', 'end'],
      ['latin.txt', 'c\uFFFD\nd'],
      ['é ü\n".md', 'odd'],
    ])
  })

  test('runs none of its hooks, filters and settings', async () => {
    const mark = join(root, 'ran')
    const script = `#!/bin/sh\ntouch ${mark}\n`
    writeFileSync(join(work, '.git/hooks/post-checkout'), script, { mode: 0o755 })
    writeFileSync(join(work, '.gitattributes'), '*.md filter=evil diff=evil\n')
    git('config', 'filter.evil.smudge', `touch ${mark}`)
    git('config', 'diff.evil.textconv', `touch ${mark}`)
    git('config', 'core.fsmonitor', `touch ${mark}`)
    git('config', 'uploadpack.packObjectsHook', `touch ${mark}`)
    writeFileSync(join(work, 'a.md'), 'x')
    execFileSync(
      '/usr/bin/git',
      ['-c', 'core.fsmonitor=false', '-c', 'filter.evil.smudge=cat', 'add', '-A'],
      { cwd: work },
    )
    execFileSync('/usr/bin/git', ['-c', 'core.fsmonitor=false', 'commit', '-q', '-m', 'x'], {
      cwd: work,
      env: { ...process.env, ...IDENTITY },
    })
    rmSync(mark, { force: true })
    await using source = open()
    expect((await collectPages(gitCollector, source)).records.has('files:a.md')).toBe(true)
    expect(existsSync(mark)).toBe(false)
  })

  test('in a project where agents work is reached through no link there', async () => {
    const base = mkdtempSync(join(tmpdir(), 'knowtation-project-'))
    mkdirSync(join(base, '.flow'))
    commit('a.md', 'x')
    symlinkSync(work, join(base, 'notes'))
    await using source = open({ repository: join(base, 'notes') })
    await expect(gitCollector.probe(source)).rejects.toMatchObject({ code: 'refused' })
    rmSync(base, { recursive: true })
  })

  test('may be named by a branch that exists', async () => {
    commit('a.md', 'x')
    for (const [branch, code] of [
      ['missing', 'not_found'],
      ['--upload-pack=x', 'needs_attention'],
      ['a..b', 'needs_attention'],
    ] as const) {
      await using source = open({ branch })
      await expect(gitCollector.probe(source)).rejects.toMatchObject({ code })
    }
  })

  test('stops at once when the run is cancelled', async () => {
    commit('a.md', 'x')
    const cancel = new AbortController()
    await using source = openTestSource({ settings: { repository: work }, signal: cancel.signal })
    const running = collectPages(gitCollector, source)
    cancel.abort(new Error('enough'))
    await expect(running).rejects.toEqual(new Error('enough'))
    expect(scratches()).toEqual([])
  })
})

test.each([
  'ext::sh -c touch% /tmp/x',
  'ssh://example.org/x.git',
  'git@example.org:x.git',
  'git://example.org/x',
  'file:///etc',
  'https://user:pass@example.org/x.git',
  '--upload-pack=touch',
  'relative/path',
  '',
])('no repository is asked for as %s', async (repository) => {
  await using source = open({ repository })
  await expect(gitCollector.probe(source)).rejects.toMatchObject({ code: 'needs_attention' })
})

describe('a repository on the web', () => {
  test('is read with the token of the connection, which is told nowhere', async () => {
    const head = commit('README.md', '# Hello')
    await using server = await startGitServer(root, `Basic ${Buffer.from(`git:${TOKEN}`).toString('base64')}`)
    const settings = { repository: `${server.url}/work/.git` }
    await using source = open(settings, { token: TOKEN })
    const { records, checkpoint } = await collectPages(gitCollector, source)
    expect([...records.keys()]).toEqual([`commits:${head}`, 'files:README.md'])
    expect(JSON.stringify([checkpoint, source.logged, [...records]])).not.toContain('sentinel')
    await using stranger = open(settings, { token: 'sentinel-wrong' })
    const fault = await gitCollector.probe(stranger).catch((error: SourceFault) => error)
    expect(fault).toMatchObject({ code: 'needs_attention' })
    expect(String((fault as Error).stack)).not.toContain('sentinel')
  })

  test('at a closed address is not asked, and one that leads there is not followed', async () => {
    commit('a.md', 'x')
    await using inner = await startWebServer((_, response) => response.end())
    await using leading = await startWebServer(({ url }, response) =>
      response.writeHead(302, { location: `${inner.url}${url}` }).end(),
    )
    await using closed = openTestSource({
      settings: { repository: inner.url },
      reach: { allow_addresses: [] },
    })
    await expect(gitCollector.probe(closed)).rejects.toMatchObject({ code: 'refused' })
    await using source = open({ repository: `${leading.url}/x.git` })
    await expect(gitCollector.probe(source)).rejects.toBeInstanceOf(SourceFault)
    expect(leading.asked.length).toBeGreaterThan(0)
    expect(inner.asked).toEqual([])
  })

  test('is asked for at the address that was checked, whatever its name stands for later', async () => {
    const head = commit('a.md', 'x')
    await using server = await startGitServer(root)
    const { port } = new URL(server.url)
    const lookup = ((_name: string, _options: object, done: (...found: unknown[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])) as never
    await using source = openTestSource({
      settings: { repository: `http://repository.invalid:${port}/work/.git` },
      reach: { lookup },
    })
    expect((await collectPages(gitCollector, source)).records.has(`commits:${head}`)).toBe(true)
  })

  test.each([404, 500])('that answers %d is told as such', async (status) => {
    await using server = await startWebServer((_, response) => response.writeHead(status).end('sentinel'))
    await using source = open({ repository: `${server.url}/x.git` })
    const code = status === 404 ? 'not_found' : 'unreachable'
    await expect(gitCollector.probe(source)).rejects.toMatchObject({ code })
  })
})

function fastImport(n: number): string {
  const message = `commit number ${n}`
  const time = `Ada <ada@example.org> ${1_700_000_000 + n} +0000`
  const file = n === 0 ? `M 100644 inline a.md\ndata 1\nx\n` : ''
  return `commit refs/heads/bulk\ncommitter ${time}\ndata ${message.length}\n${message}\n${file}\n`
}
