import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitCheckout } from '../../src/domains/toolbox/git/git-checkout.ts'
import {
  type GitProject,
  makeGitProject,
  makeShop,
  writeAt,
} from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { verifies } from '../requirements/verifies.ts'

function makeBranches(): GitProject {
  const project = makeShop()
  project.git('switch', '--quiet', '--create', 'topic')
  project.put('a.txt', 'topic\n')
  project.put('only-topic.txt', 'x\n')
  project.commitAll()
  project.git('switch', '--quiet', '--create', 'elsewhere', 'main')
  project.write('services/other/c.txt', 'elsewhere\n')
  project.commitAll()
  project.git('switch', '--quiet', '--create', 'leaky', 'main')
  project.put('.env', 'A=2\n')
  project.commitAll()
  project.git('switch', '--quiet', 'main')
  return project
}

function head(project: GitProject): string {
  return project.git('symbolic-ref', '--short', 'HEAD').trim()
}

describe('git_checkout', () => {
  verifies('TOOL-089', 'switches to a branch that exists', async () => {
    await using project = makeBranches()
    const answer = await project.call(gitCheckout, { branch: 'topic' })
    expect(answer).toMatchObject({ branch: 'topic', created: false, changed: ['a.txt', 'only-topic.txt'] })
    expect(head(project)).toBe('topic')
    expect(project.read('a.txt')).toBe('topic\n')
    expect(project.git('status', '--short')).toBe('')
    expect(await project.codeOf(gitCheckout, { branch: 'main' })).toBe('success')
    expect(project.read('a.txt')).toBe('a\n')
  })

  verifies('TOOL-089', 'makes a missing branch only where it is told to', async () => {
    await using project = makeShop()
    const before = project.fingerprint()
    expect(await project.codeOf(gitCheckout, { branch: 'feature/new' })).toBe('CommandFailed')
    expect(await project.codeOf(gitCheckout, { branch: 'feature/new', create_if_missing: false })).toBe(
      'CommandFailed',
    )
    expect(project.fingerprint()).toBe(before)
    project.put('a.txt', 'kept\n')
    const answer = await project.call(gitCheckout, { branch: 'feature/new', create_if_missing: true })
    expect(answer.created).toBe(true)
    expect(head(project)).toBe('feature/new')
    expect(project.read('a.txt')).toBe('kept\n')
    const again = await project.call(gitCheckout, { branch: 'feature/new', create_if_missing: true })
    expect(again.created).toBe(false)
    expect(await project.codeOf(gitCheckout, { branch: 'feature', create_if_missing: true })).toBe(
      'CommandFailed',
    )
  })

  test('makes a branch before the first commit', async () => {
    await using project = makeGitProject()
    project.put('a.txt', 'a\n')
    expect((await project.call(gitCheckout, { branch: 'first', create_if_missing: true })).created).toBe(true)
    expect(head(project)).toBe('first')
  })

  verifies('TOOL-090', 'refuses what is no branch name', async () => {
    await using project = makeBranches()
    project.git('tag', 'v1')
    for (const branch of [
      '-f',
      '--detach',
      '-',
      'a..b',
      'a b',
      '@{-1}',
      'HEAD',
      '',
      'a\0b',
      'topic:x',
      'topic~1',
    ]) {
      const code = await project.codeOf(gitCheckout, { branch, create_if_missing: true })
      expect(code, JSON.stringify(branch)).toBe('ValidationError')
    }
    const commit = project.git('rev-parse', 'topic').trim()
    for (const branch of ['v1', commit, 'refs/heads/topic', 'heads/topic', 'services/shop/a.txt']) {
      expect(await project.codeOf(gitCheckout, { branch }), branch).toBe('CommandFailed')
    }
    expect(head(project)).toBe('main')
  })

  test('never leaves the files of other services behind, and touches nothing closed', async () => {
    await using project = makeBranches()
    const before = project.fingerprint()
    for (const branch of ['elsewhere', 'leaky']) {
      expect(await project.codeOf(gitCheckout, { branch }), branch).toBe('SecurityError')
      expect(project.fingerprint(), branch).toBe(before)
    }
  })

  verifies('TOOL-101', 'overwrites no change: the failed command is an error with what it said', async () => {
    await using project = makeBranches()
    project.put('a.txt', 'mine\n')
    const fault = await project.call(gitCheckout, { branch: 'topic' }).catch((error: unknown) => error)
    expect(fault).toMatchObject({
      code: 'CommandFailed',
      details: { exit_code: 1, stderr: expect.stringContaining('overwritten') },
    })
    expect(project.read('a.txt')).toBe('mine\n')
    project.put('a.txt', 'a\n')
    project.put('only-topic.txt', 'mine too\n')
    writeAt(join(project.root, '.git/info/exclude'), 'only-topic.txt\n')
    expect(await project.codeOf(gitCheckout, { branch: 'topic' })).toBe('CommandFailed')
    expect(project.read('only-topic.txt')).toBe('mine too\n')
    expect(head(project)).toBe('main')
  })
})
