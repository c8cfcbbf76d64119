import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRedactor } from '../../../platform/redaction/redactor.ts'
import { sortPaths } from './closed-paths.ts'
import { MAX_MESSAGE_CHARS, readMessage } from './commit-message.ts'
import { findRemoteAddress, isRemoteName } from './repository/remote-address.ts'
import { withRepositoryLock } from './repository/repository-lock.ts'
import { readSettings, renderTrustedConfig } from './repository/trusted-config.ts'

const POLICY = { block_patterns: ['.env', '.git/', 'secrets/', 'node_modules/', '.flow/', 'vault'] }

describe('a remote', () => {
  test('has a name that is no address and no option', () => {
    for (const name of ['origin', 'up-stream', 'a_b', 'fork.mine'])
      expect(isRemoteName(name), name).toBe(true)
    const wrong = [
      '',
      '-o',
      '--upload-pack=x',
      '.',
      '..',
      './x',
      '/srv/x',
      'https://h/x',
      'a:b',
      'a b',
      'ext::sh',
      'o\n',
    ]
    for (const name of [...wrong, 'a'.repeat(200), '+x', 'git@h:p'])
      expect(isRemoteName(name), name).toBe(false)
  })

  test.each([
    ['https://git.example/a/b.git', 'https'],
    ['https://git.example:8443/a', 'https'],
    ['ssh://git@git.example/a/b.git', 'ssh'],
    ['git@git.example:a/b.git', 'ssh'],
    ['/srv/git/a.git', 'folder'],
  ])('%s is reached by %s', (address, kind) => {
    expect(findRemoteAddress(address)?.kind).toBe(kind)
  })

  test.each([
    'http://git.example/a',
    'git://git.example/a',
    'https://user:pw@git.example/a',
    'https://user@git.example/a',
    'ssh://-oProxyCommand=x/a',
    'ssh://git@-oProxyCommand=x/a',
    '-oProxyCommand=x@h:p',
    'git@h:-p',
    'ext::sh -c x',
    'fd::17',
    'file:///srv/x',
    'relative/path',
    '/srv/../etc',
    '/srv/x/',
    '/',
    'https://h/a\nb',
    `https://h/${'a'.repeat(1_000)}`,
  ])('%s is no address', (address) => {
    expect(findRemoteAddress(address)).toBeUndefined()
  })
})

describe('the settings of a repository', () => {
  test('are taken over by name and value alone', () => {
    const entries = Object.entries({
      'core.filemode': 'false',
      'core.autocrlf': 'rm -rf /',
      'core.fsmonitor': './evil',
      'core.sshcommand': './evil',
      'user.name': 'A "B" \\ C',
      'user.email': 'a\nb',
      'remote.origin.url': 'ext::sh',
      'remote.--x.url': 'y',
      'filter.lfs.clean': 'x',
    }).map(([name, value]) => ({ name, value }))
    const settings = readSettings(entries)
    expect(settings.format).toEqual([{ name: 'core.filemode', value: 'false' }])
    expect(settings.author).toEqual({ name: 'A "B" \\ C', email: 'agent@localhost' })
    expect(settings.remotes).toEqual({ origin: 'ext::sh' })
    expect(settings.doubtful).toBe('core.fsmonitor')
    const text = renderTrustedConfig(settings)
    expect(text).not.toMatch(/evil|ext::|rm -rf|filter|remote/)
  })

  test.each([
    ['core.bare', 'true', 'bare'],
    ['core.bare', undefined, 'bare'],
    ['core.worktree', '/etc', 'core.worktree'],
    ['core.repositoryformatversion', '7', 'version'],
    ['extensions.partialclone', 'origin', 'partialclone'],
    ['extensions.refstorage', 'reftable', 'refstorage'],
  ])('with %s=%s are refused', (name, value, word) => {
    expect(() => readSettings([{ name, value }])).toThrow(word)
  })
})

describe('paths of a repository', () => {
  test('are sorted by whom they belong to, prefixes of names not taken for folders', () => {
    const paths = [
      'services/a/x',
      'services/a/.env',
      'services/a/b/Secrets/k',
      'services/ab/x',
      'services/a',
      'README',
    ]
    expect(sortPaths([...paths, 'services/a/vault/y'], 'services/a/', POLICY)).toEqual({
      own: ['x'],
      closed: ['.env', 'b/Secrets/k', 'vault/y'],
      foreign: ['services/ab/x', 'services/a', 'README'],
    })
  })
})

describe('a commit message', () => {
  const redactor = createRedactor()

  test.each([
    '',
    ' ',
    '\n\t\n',
    '\u200b',
    'a\0b',
    'a\x1b[2J',
    'a\rb',
    'a\u202eb',
    'see [REDACTED:aws_key]',
    '\ud800x',
  ])('%j is refused', (message) => {
    expect(() => readMessage(message, redactor)).toThrow(expect.objectContaining({ code: 'ValidationError' }))
  })

  test('has a length', () => {
    expect(() => readMessage('x '.repeat(MAX_MESSAGE_CHARS / 2), redactor)).not.toThrow()
    expect(() => readMessage('x'.repeat(MAX_MESSAGE_CHARS + 1), redactor)).toThrow('longer')
  })

  test('may have a body, tabs and any letters', () => {
    expect(() => readMessage('Änderung\n\n\t- größer 🎉\n#42', redactor)).not.toThrow()
    expect(readMessage('subject\r\n\r\nbody\r\n', redactor)).toBe('subject\n\nbody\n')
  })
})

test('calls for one repository are refused when too many wait', async () => {
  const repository = mkdtempSync(join(tmpdir(), 'repository-lock-'))
  onTestFinished(() => rmSync(repository, { recursive: true }))
  const calls = Array.from({ length: 25 }, () => withRepositoryLock(repository, async () => undefined))
  const refused = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(5)
  await expect(withRepositoryLock(repository, async () => 'free')).resolves.toBe('free')
})
