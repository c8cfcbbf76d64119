import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { gitCommit } from '../../src/domains/toolbox/git/git-commit.ts'
import { makeGitProject, makeShop, writeAt } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'
import { fakePrivateKey, fakeProviderTokens } from '../../src/platform/redaction/fixtures/fake-secrets.ts'
import { verifies } from '../requirements/verifies.ts'

const TOKEN = fakeProviderTokens().github_token as string

describe('git_commit', () => {
  verifies('TOOL-087', 'records what is staged, with the message as it is', async () => {
    await using project = makeShop()
    project.put('a.txt', 'changed\n')
    project.put('b.txt', 'changed\n')
    await project.call(gitAdd, { files: ['a.txt'] })
    const message = 'Größer: $(touch /tmp/x) `id` -m\n\n# not a comment\n--amend'
    const answer = await project.call(gitCommit, { message })
    expect(project.git('log', '-1', '--format=%B').trimEnd()).toBe(message)
    expect(project.git('rev-list', '--count', 'HEAD').trim()).toBe('2')
    expect(answer.commit).toBe(project.git('rev-parse', 'HEAD').trim())
    expect(answer.files).toEqual(['a.txt'])
    expect(project.git('show', '--name-only', '--format=%an <%ae>').trim().split('\n')).toEqual([
      'knowtation-agent <agent@localhost>',
      '',
      'services/shop/a.txt',
    ])
    expect((await project.call(gitStatus, {})).unstaged).toEqual(['b.txt'])
  })

  verifies('TOOL-087', 'refuses a blank message and one with a secret, and commits nothing', async () => {
    await using project = makeShop()
    project.put('a.txt', 'changed\n')
    await project.call(gitAdd, { files: ['a.txt'] })
    const head = project.git('rev-parse', 'HEAD')
    const messages: [string, string][] = [
      ['', 'ValidationError'],
      [' \n\t', 'ValidationError'],
      ['\u200b\u2060', 'ValidationError'],
      ['a\0b', 'ValidationError'],
      ['now [REDACTED:github_token]', 'ValidationError'],
      [`Use ${TOKEN}`, 'SecurityError'],
      [`Use the token\n\nIt is ${TOKEN}, for now.\n`, 'SecurityError'],
    ]
    for (const [message, code] of messages) expect(await project.codeOf(gitCommit, { message })).toBe(code)
    expect(project.git('rev-parse', 'HEAD')).toBe(head)
    expect(project.git('diff', '--cached', '--name-only').trim()).toBe('services/shop/a.txt')
  })

  test('names the author that the repository names', async () => {
    await using project = makeShop()
    project.git('config', 'user.name', 'Shop "Bot" \\ #1')
    project.git('config', 'user.email', 'bot@shop.example')
    project.put('a.txt', 'changed\n')
    await project.call(gitAdd, { files: ['a.txt'] })
    await project.call(gitCommit, { message: 'Change' })
    expect(project.git('log', '-1', '--format=%an|%ae|%cn').trim()).toBe(
      'Shop "Bot" \\ #1|bot@shop.example|Shop "Bot" \\ #1',
    )
  })

  test('refuses secrets in added lines and says neither where nor what', async () => {
    await using project = makeShop()
    project.put('old.txt', `${TOKEN}\nx\n`)
    project.commitAll()
    project.put('old.txt', `${TOKEN}\ny\n`)
    project.put('conf/new.ts', `const a = 1\n\nconst token = '${TOKEN}'\n`)
    project.put('key.pem', `${fakePrivateKey()}\n`)
    await project.call(gitAdd, { files: ['old.txt', 'conf/new.ts', 'key.pem'] })
    const fault = await project.call(gitCommit, { message: 'Add' }).catch((error: unknown) => error)
    expect(fault).toMatchObject({ code: 'SecurityError' })
    expect((fault as Error).message).toBe('What is staged carries a secret.')
    for (const name of ['conf/new.ts', 'key.pem']) rmSync(join(project.service_root, name))
    await project.call(gitAdd, { files: ['conf/new.ts', 'key.pem'] })
    expect(await project.codeOf(gitCommit, { message: 'Add' })).toBe('success')
  })

  test('refuses secrets in files that are binary to git, but for those they had before', async () => {
    await using project = makeShop()
    const code = (files: string[]) =>
      project.call(gitAdd, { files }).then(() => project.codeOf(gitCommit, { message: 'Add' }))
    project.put('old.bin', `\0had ${TOKEN}\0`)
    project.commitAll()
    project.put('old.bin', `\0had ${TOKEN}\0and more\0`)
    expect(await code(['old.bin'])).toBe('success')
    const contents = {
      'plain.bin': Buffer.from(`\0\u{1f600}key ${TOKEN}\0`),
      'wide.reg': Buffer.from(`\ufeff[key]\r\n"token"="${TOKEN}"\r\n`, 'utf16le'),
      'old.bin': Buffer.from(`no longer binary\n${fakePrivateKey()}\n`),
    }
    for (const [name, content] of Object.entries(contents)) {
      project.put(name, content)
      await project.call(gitAdd, { files: [name] })
      const fault = await project.call(gitCommit, { message: 'Add' }).catch((error: unknown) => error)
      expect(fault).toMatchObject({ code: 'SecurityError' })
      expect((fault as Error).message).toBe('What is staged carries a secret.')
      project.git('reset', '--quiet', '--', 'services/shop')
    }
    project.put('names.bin', '\0_ZNK7Zx9QpLm4Rt2WvB8sKdJ3hF6gYcE\0')
    expect(await code(['names.bin'])).toBe('success')
  })

  test('says which binary files are too large to be looked through', async () => {
    await using project = makeShop()
    project.put('a.bin', Buffer.alloc(17 * 1024 * 1024))
    project.put('b.bin', `\0small ${TOKEN}\0`)
    await project.call(gitAdd, { files: ['a.bin', 'b.bin'] })
    expect(await project.codeOf(gitCommit, { message: 'Add' })).toBe('SecurityError')
    project.put('b.bin', '\0small\0')
    await project.call(gitAdd, { files: ['b.bin'] })
    const { files, not_searched } = await project.call(gitCommit, { message: 'Add' })
    expect([files, not_searched]).toEqual([['a.bin', 'b.bin'], ['a.bin']])
  })

  test('refuses what others staged outside the service or in closed zones, and to commit nothing', async () => {
    await using project = makeShop()
    expect(await project.codeOf(gitCommit, { message: 'Nothing' })).toBe('CommandFailed')
    project.write('services/other/c.txt', 'changed\n')
    project.put('a.txt', 'changed\n')
    project.git('add', '--all')
    const head = project.git('rev-parse', 'HEAD')
    expect(await project.codeOf(gitCommit, { message: 'Both' })).toBe('SecurityError')
    project.git('reset', '--quiet', '--', 'services/other')
    project.put('.env', 'A=1\n')
    project.git('add', '--force', 'services/shop/.env')
    expect(await project.codeOf(gitCommit, { message: 'Closed' })).toBe('SecurityError')
    expect(project.git('rev-parse', 'HEAD')).toBe(head)
    project.git('reset', '--quiet', '--', 'services/shop/.env')
    expect(await project.codeOf(gitCommit, { message: 'Mine' })).toBe('success')
  })

  test('makes the first commit of a repository, with a new binary file in it', async () => {
    await using project = makeGitProject('.')
    writeAt(join(project.root, 'x.bin'), 'a\0b\n')
    chmodSync(join(project.root, 'x.bin'), 0o755)
    await project.call(gitAdd, { files: ['x.bin'] })
    expect((await project.call(gitCommit, { message: 'First' })).commit).toBe(
      project.git('rev-parse', 'HEAD').trim(),
    )
    expect(project.git('ls-files', '--stage')).toMatch(/^100755 /)
  })

  test('of several callers at once all come through', async () => {
    await using project = makeShop()
    const calls = ['p', 'q', 'r', 's'].map(async (name) => {
      project.put(name, `${name}\n`)
      await project.call(gitAdd, { files: [name] })
      return project.codeOf(gitCommit, { message: name })
    })
    // Whoever comes first may take along what the others have staged by then; nothing breaks and nothing is lost.
    const codes = await Promise.all(calls)
    expect(codes.every((code) => code === 'success' || code === 'CommandFailed')).toBe(true)
    expect(
      project.git('ls-tree', '-r', '--name-only', 'HEAD', 'services/shop').trim().split('\n'),
    ).toHaveLength(6)
  })
})
