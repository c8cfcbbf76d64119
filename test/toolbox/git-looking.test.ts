import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { gitCommit } from '../../src/domains/toolbox/git/git-commit.ts'
import { gitDiff } from '../../src/domains/toolbox/git/git-diff.ts'
import {
  type GitProject,
  makeGitProject,
  OWNER_ENV,
  runGit,
  writeAt,
} from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'
import { openSandbox } from '../../src/platform/sandbox/open-sandbox.ts'
import { verifies } from '../requirements/verifies.ts'

const noSandbox = openSandbox({ bwrap_paths: ['/nonexistent/bwrap'] })

/** Gives a file another time and the same content: git that may write keeps the new time in its index. */
function touch(project: GitProject, path: string): void {
  utimesSync(join(project.service_root, path), 1_000_000_000, 1_000_000_000)
}

describe('git_status', () => {
  verifies('TOOL-084', 'shows the state of the service, takes no arguments and changes nothing', async () => {
    await using project = makeGitProject()
    for (const name of ['a', 'b', 'gone', 'old', 'same'])
      project.put(`${name}.txt`, `${name} is a text of its own\n`)
    project.write('services/other/c.txt', 'c\n')
    project.commitAll()
    project.put('a.txt', 'changed\n')
    project.put('b.txt', 'changed\n')
    project.put('new file.txt', 'new\n')
    project.put('folder/x.txt', 'x\n')
    project.write('services/other/c.txt', 'changed\n')
    project.git('mv', 'services/shop/old.txt', 'services/shop/moved.txt')
    project.git('add', 'services/shop/b.txt')
    rmSync(join(project.service_root, 'gone.txt'))
    touch(project, 'same.txt')
    const before = project.fingerprint()
    expect(await project.call(gitStatus, {})).toEqual({
      stdout:
        '## main\n M a.txt\nM  b.txt\n D gone.txt\nR  old.txt -> moved.txt\n?? folder/\n?? "new file.txt"\n',
      stderr: '',
      branch: 'main',
      staged: ['b.txt', 'moved.txt'],
      unstaged: ['a.txt', 'gone.txt'],
      untracked: ['folder/', 'new file.txt'],
      conflicted: [],
      hidden: 0,
      truncated: false,
    })
    expect(project.fingerprint()).toBe(before)
    expect(await project.codeOf(gitStatus, { path: '.' })).toBe('ValidationError')
  })

  test('leaves closed zones out', async () => {
    await using project = makeGitProject('.')
    project.put('a.txt', 'a\n')
    project.put('.env', 'A=1\n')
    project.commitAll()
    project.put('.env', 'A=2\n')
    project.put('secrets/k', 'k\n')
    project.put('vault/k', 'k\n')
    const answer = await project.call(gitStatus, {}, { config: { scope: { block_patterns: ['vault/'] } } })
    expect(answer).toMatchObject({ stdout: '## main\n', unstaged: [], untracked: [], hidden: 3 })
  })

  test('tells of a conflict, of no commits yet and of no branch', async () => {
    await using project = makeGitProject('.')
    expect(await project.call(gitStatus, {})).toMatchObject({
      branch: 'main',
      stdout: '## No commits yet on main\n',
    })
    project.put('a.txt', 'one\n')
    project.commitAll()
    project.git('switch', '--quiet', '--create', 'topic')
    project.put('a.txt', 'two\n')
    project.commitAll()
    project.git('switch', '--quiet', 'main')
    project.put('a.txt', 'three\n')
    project.commitAll()
    expect(() => project.git('merge', 'topic')).toThrow()
    expect(await project.call(gitStatus, {})).toMatchObject({
      conflicted: ['a.txt'],
      staged: [],
      unstaged: [],
    })
    expect(await project.codeOf(gitCommit, { message: 'Merge' })).toBe('CommandFailed')
    project.git('merge', '--abort')
    project.git('switch', '--quiet', '--detach')
    expect((await project.call(gitStatus, {})).branch).toBeNull()
  })

  test('says when it lists no more', async () => {
    await using project = makeGitProject('.')
    const blob = project.git('hash-object', '-w', '-t', 'blob', '/dev/null').trim()
    const input = Array.from({ length: 2_100 }, (_, count) => `100644 ${blob}\tfile-${count}\n`).join('')
    execFileSync('git', ['update-index', '--index-info'], { cwd: project.root, input, env: OWNER_ENV })
    const answer = await project.call(gitStatus, {})
    expect(answer.unstaged).toHaveLength(2_000)
    expect(answer.truncated).toBe(true)
  })

  test('uses the repository of the service where it has its own', async () => {
    await using project = makeGitProject()
    runGit(project.service_root, ['init', '--quiet', '--initial-branch=own'])
    expect((await project.call(gitStatus, {})).branch).toBe('own')
  })

  test('finds no repository anywhere else', async () => {
    await using project = makeGitProject()
    rmSync(join(project.root, '.git'), { recursive: true })
    runGit(project.base, ['init', '--quiet'])
    runGit(join(project.root, 'services'), ['init', '--quiet'])
    expect(await project.codeOf(gitStatus, {})).toBe('NotConfigured')
  })

  test('refuses a repository with a link in it', async () => {
    await using project = makeGitProject()
    symlinkSync(project.base, join(project.root, '.git/logs'))
    expect(await project.codeOf(gitStatus, {})).toBe('NotSupported')
  })

  test('serves a repository of the other object format', async () => {
    await using project = makeGitProject()
    runGit(project.service_root, ['init', '--quiet', '--object-format=sha256'])
    project.put('a.txt', 'a\n')
    await project.call(gitAdd, { files: ['a.txt'] })
    expect((await project.call(gitCommit, { message: 'First' })).commit).toMatch(/^[0-9a-f]{64}$/)
  })

  test('reads a configuration that has changed anew, and names a damaged one', async () => {
    await using project = makeGitProject()
    expect(await project.codeOf(gitStatus, {})).toBe('success')
    writeAt(join(project.root, '.git/config'), '[core]\n\tbare = true\n')
    expect(await project.codeOf(gitStatus, {})).toBe('NotSupported')
    writeAt(join(project.root, '.git/config'), '[core\n')
    expect(await project.codeOf(gitStatus, {})).toBe('ConfigDamaged')
    rmSync(join(project.root, '.git/config'))
    symlinkSync('/dev/null', join(project.root, '.git/config'))
    expect(await project.codeOf(gitStatus, {})).toBe('NotSupported')
  })

  verifies('TOOL-019', 'runs only where the task may run git', async () => {
    await using project = makeGitProject()
    const codes = [['pytest'], [], ['git'], ['pytest', 'git']].map((allowed_commands) =>
      project.codeOf(gitStatus, {}, { context: { allowed_commands } }),
    )
    expect(await Promise.all(codes)).toEqual(['PolicyViolation', 'PolicyViolation', 'success', 'success'])
  })
})

describe('git_diff', () => {
  verifies('TOOL-085', 'shows unstaged or staged differences and changes nothing', async () => {
    await using project = makeGitProject()
    project.put('a.txt', 'a\n')
    project.put('b.txt', 'b\n')
    project.put('same.txt', 'same\n')
    project.write('services/other/c.txt', 'c\n')
    project.commitAll()
    project.put('a.txt', 'loose\n')
    project.put('b.txt', 'fixed\n')
    project.write('services/other/c.txt', 'foreign\n')
    project.git('add', 'services/shop/b.txt')
    touch(project, 'same.txt')
    const before = project.fingerprint()
    const unstaged = await project.call(gitDiff, { staged: false })
    expect(unstaged.files).toEqual(['a.txt'])
    expect(unstaged.stdout).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*\+loose\n$/)
    const staged = await project.call(gitDiff, { staged: true })
    expect(staged.files).toEqual(['b.txt'])
    expect(staged.stdout).toMatch(/^diff --git a\/b\.txt b\/b\.txt\n[\s\S]*\+fixed\n$/)
    expect(await project.call(gitDiff, {})).toEqual(unstaged)
    expect(project.fingerprint()).toBe(before)
    expect(await project.codeOf(gitDiff, { staged: 'yes' })).toBe('ValidationError')
    expect(await project.codeOf(gitDiff, { path: 'a.txt' })).toBe('ValidationError')
  })

  test('never shows what is in closed files, in the work tree or staged', async () => {
    await using project = makeGitProject()
    const closed = ['.env', 'sub/.ENV', 'secrets/k', 'node_modules/p/i.js']
    for (const path of [...closed, 'a.txt']) project.put(path, 'old\n')
    project.commitAll()
    for (const path of closed) project.put(path, 'very hidden\n')
    project.put('a.txt', 'open\n')
    const unstaged = await project.call(gitDiff, {})
    project.git('add', '--all')
    const staged = await project.call(gitDiff, { staged: true })
    for (const answer of [unstaged, staged]) {
      expect(answer.stdout).toContain('+open')
      expect(answer.stdout).not.toContain('hidden')
      expect(answer).toMatchObject({ files: ['a.txt'], hidden: 4 })
    }
  })

  test('never shows a closed file where a file became a folder', async () => {
    await using project = makeGitProject()
    project.put('thing', 'a file\n')
    project.commitAll()
    rmSync(join(project.service_root, 'thing'))
    project.put('thing/.env', 'very hidden\n')
    project.git('add', '--all')
    expect(await project.call(gitDiff, { staged: true })).toMatchObject({ stdout: '', files: [] })
  })

  test('never shows what a second name of an outside file leads to', async () => {
    await using project = makeGitProject()
    project.put('a.txt', 'a\n')
    project.put('link.txt', 'b\n')
    project.commitAll()
    writeAt(join(project.base, 'outside'), 'very hidden\n')
    for (const name of ['a.txt', 'link.txt']) rmSync(join(project.service_root, name))
    linkSync(join(project.base, 'outside'), join(project.service_root, 'a.txt'))
    symlinkSync(join(project.base, 'outside'), join(project.service_root, 'link.txt'))
    const answer = await project.call(gitDiff, {})
    expect(answer.stdout).not.toContain('hidden')
    expect(answer.hidden).toBe(2)
  })

  test('takes names as they are, whatever characters they have', async () => {
    await using project = makeGitProject()
    const names = ['-n', ':(top)x', '*.txt', 'ü b"c', '[a]', 'back\\slash', '!x']
    for (const name of names) project.put(name, 'a\n')
    project.put('other.txt', 'a\n')
    project.commitAll()
    for (const name of names) project.put(name, 'b\n')
    const { files, stdout } = await project.call(gitDiff, {})
    expect(files.toSorted()).toEqual(names.toSorted())
    expect(stdout.match(/^diff --git/gm)).toHaveLength(names.length)
  })

  test('shows deletions and cuts a long patch at a whole line', async () => {
    await using project = makeGitProject()
    project.put('gone.txt', 'bye\n')
    project.put('long.txt', '')
    project.commitAll()
    rmSync(join(project.service_root, 'gone.txt'))
    project.put('long.txt', `${'a line of some length\n'.repeat(20_000)}`)
    const answer = await project.call(gitDiff, {})
    expect(answer.stdout).toContain('deleted file mode')
    expect(answer.truncated).toBe(true)
    expect(answer.stdout.endsWith('+a line of some length\n')).toBe(true)
    expect(answer.stdout.length).toBeLessThanOrEqual(256 * 1024)
  })
})

describe('without a sandbox', () => {
  const allowed = { config: { git: { allow_unsandboxed: true } }, sandbox: noSandbox }

  verifies(['TOOL-084', 'TOOL-085'], 'git only looks, and only where the owner lets it', async () => {
    await using project = makeGitProject()
    project.put('a.txt', 'a\n')
    project.put('same.txt', 'same\n')
    project.commitAll()
    project.put('a.txt', 'b\n')
    touch(project, 'same.txt')
    const before = project.fingerprint()
    expect(await project.codeOf(gitStatus, {}, { sandbox: noSandbox })).toBe('SandboxUnavailable')
    expect(await project.codeOf(gitDiff, {}, { sandbox: noSandbox })).toBe('SandboxUnavailable')
    expect((await project.call(gitStatus, {}, allowed)).unstaged).toEqual(['a.txt'])
    expect((await project.call(gitDiff, {}, allowed)).stdout).toContain('+b')
    expect(project.fingerprint()).toBe(before)
    expect(await project.codeOf(gitAdd, { files: ['a.txt'] }, allowed)).toBe('SandboxUnavailable')
    project.git('add', '--all')
    expect(await project.codeOf(gitCommit, { message: 'Change' }, allowed)).toBe('SandboxUnavailable')
  })

  test('a configuration that could run something is refused', async () => {
    await using project = makeGitProject()
    const config = join(project.root, '.git/config')
    const plain = readFileSync(config, 'utf8')
    for (const key of [
      'filter.x.clean',
      'core.fsmonitor',
      'include.path',
      'diff.external',
      'core.sshCommand',
    ]) {
      project.git('config', key, '/bin/false')
      expect(await project.codeOf(gitStatus, {}, allowed), key).toBe('SandboxUnavailable')
      writeAt(config, plain)
    }
    expect(await project.codeOf(gitStatus, {}, allowed)).toBe('success')
  })

  test('a sandbox that is there is never gone round', async () => {
    await using project = makeGitProject()
    mkdirSync(join(project.root, '.git/info'), { recursive: true })
    writeAt(join(project.root, '.git/info/attributes'), '* filter=x\n')
    const broken = {
      require: async () => {},
      run: () => openSandbox({ bwrap_paths: ['/nonexistent/bwrap'] }).require() as never,
    }
    expect(await project.codeOf(gitStatus, {}, { ...allowed, sandbox: broken })).toBe('SandboxUnavailable')
  })
})
