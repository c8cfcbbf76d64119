import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { type GitProject, makeShop, runGit } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'
import { verifies } from '../requirements/verifies.ts'

function staged(project: GitProject): string[] {
  return project.git('diff', '--cached', '--name-only').split('\n').filter(Boolean)
}

describe('git_add', () => {
  verifies('TOOL-086', 'stages exactly the listed files', async () => {
    await using project = makeShop()
    for (const name of ['a.txt', 'b.txt', 'new.txt', 'sub/-n', 'ü "q".txt', '*.txt', ':x'])
      project.put(name, 'new\n')
    const files = ['a.txt', './new.txt', 'sub/../sub/-n', 'ü "q".txt', '*.txt', './:x', 'a.txt']
    const answer = await project.call(gitAdd, { files })
    expect(answer.added.toSorted()).toEqual(['*.txt', ':x', 'a.txt', 'new.txt', 'sub/-n', 'ü "q".txt'])
    const { staged: shown, unstaged } = await project.call(gitStatus, {})
    expect(shown.toSorted()).toEqual(answer.added.toSorted())
    expect(unstaged).toEqual(['b.txt'])
    expect((await project.call(gitAdd, { files: ['a.txt'] })).unchanged).toEqual(['a.txt'])
  })

  verifies('TOOL-086', 'stages a deleted file as deleted, but none that never was', async () => {
    await using project = makeShop()
    project.put('folder/x.txt', 'x\n')
    project.commitAll()
    rmSync(join(project.service_root, 'a.txt'))
    rmSync(join(project.service_root, 'folder'), { recursive: true })
    const before = staged(project)
    for (const wrong of ['never.txt', 'folder', 'folder/never']) {
      expect(await project.codeOf(gitAdd, { files: ['a.txt', wrong] }), wrong).not.toBe('success')
      expect(staged(project), wrong).toEqual(before)
    }
    expect(await project.codeOf(gitAdd, { files: ['never.txt'] })).toBe('FileNotFound')
    const answer = await project.call(gitAdd, { files: ['a.txt', 'folder/x.txt'] })
    expect(answer).toMatchObject({ added: [], removed: ['a.txt', 'folder/x.txt'] })
    expect(staged(project)).toEqual(['services/shop/a.txt', 'services/shop/folder/x.txt'])
  })

  verifies(['TOOL-086', 'TOOL-069'], 'stages none where one path is bad', async () => {
    await using project = makeShop()
    project.put('a.txt', 'changed\n')
    project.write('services/other/c.txt', 'changed\n')
    project.write('services/shop-evil/x.txt', 'x\n')
    project.write('shared_contracts/s.txt', 'changed\n')
    for (const closed of ['.env', 'sub/.env', 'secrets/k', 'node_modules/p/i.js']) project.put(closed, 'k\n')
    project.put('.gitignore', 'ignored.txt\n')
    project.put('ignored.txt', 'x\n')
    mkdirSync(join(project.service_root, 'empty'))
    symlinkSync('../other', join(project.service_root, 'way-out'))
    symlinkSync('.env', join(project.service_root, 'alias'))
    symlinkSync(project.base, join(project.service_root, 'far'))
    const index = () => readFileSync(join(project.root, '.git/index'))
    const before = index()
    const bad: [string, string][] = [
      ['../other/c.txt', 'SecurityError: outside'],
      ['../shop-evil/x.txt', 'SecurityError: outside'],
      [join(project.root, 'services/other/c.txt'), 'SecurityError: outside'],
      ['way-out/c.txt', 'SecurityError: outside'],
      ['far', 'SecurityError: outside'],
      ['shared_contracts/s.txt', 'SecurityError: read_only'],
      ['.env', 'SecurityError: blocked'],
      ['sub/.env', 'SecurityError: blocked'],
      ['.ENV', 'SecurityError: blocked'],
      ['secrets/k', 'SecurityError: blocked'],
      ['node_modules/p/i.js', 'SecurityError: blocked'],
      ['.git/config', 'SecurityError: blocked'],
      ['alias', 'SecurityError: blocked'],
      ['-A', 'ValidationError'],
      ['--all', 'ValidationError'],
      ['--chmod=+x', 'ValidationError'],
      [':/', 'ValidationError'],
      [':(top)services/other/c.txt', 'ValidationError'],
      [':!a.txt', 'ValidationError'],
      ['', 'ValidationError'],
      ['b\0c', 'ValidationError'],
      ['b\n', 'ValidationError'],
      ['.', 'IsADirectory'],
      ['empty', 'IsADirectory'],
      ['empty/', 'IsADirectory'],
      ['a.txt/x', 'NotADirectory'],
      ['*.md', 'FileNotFound'],
      ['ignored.txt', 'CommandFailed'],
    ]
    for (const [path, code] of bad) {
      expect(await project.codeOf(gitAdd, { files: ['a.txt', path] }), path).toBe(code)
      expect(index().equals(before), path).toBe(true)
    }
    await expect(project.call(gitAdd, { files: ['ignored.txt'] })).rejects.toMatchObject({
      message:
        'git add failed: The following paths are ignored by one of your .gitignore files:\nservices/shop/ignored.txt',
    })
    expect(await project.codeOf(gitAdd, { files: [] })).toBe('ValidationError')
    expect(await project.codeOf(gitAdd, { files: 'a.txt' })).toBe('ValidationError')
  })

  test('stages a link inside the service as a link, and follows links between folders', async () => {
    await using project = makeShop()
    project.put('real/x.txt', 'x\n')
    symlinkSync('a.txt', join(project.service_root, 'link'))
    symlinkSync('real', join(project.service_root, 'folder-link'))
    const answer = await project.call(gitAdd, { files: ['link', 'folder-link/x.txt'] })
    expect(answer.added.toSorted()).toEqual(['link', 'real/x.txt'])
    expect(project.git('ls-files', '--stage', 'services/shop/link')).toMatch(/^120000 /)
  })

  test('says of a folder how its files are found, and of a missing file which was meant', async () => {
    await using project = makeShop()
    project.put('new/rates.txt', 'x\n')
    const told = async (file: string) =>
      project.call(gitAdd, { files: ['a.txt', file] }).catch((fault) => fault)
    expect(await told('new')).toMatchObject({
      code: 'IsADirectory',
      suggestion: expect.stringMatching(/list_files with recursive.*nothing was staged/),
    })
    expect(await told('new/rate.txt')).toMatchObject({
      code: 'FileNotFound',
      message: 'new/rate.txt: there is no such file, so nothing was staged',
      suggestion: expect.stringContaining('Did you mean new/rates.txt?'),
    })
  })

  test('refuses a file that would drag others along', async () => {
    await using project = makeShop()
    project.put('thing/x.txt', 'x\n')
    project.commitAll()
    rmSync(join(project.service_root, 'thing'), { recursive: true })
    project.put('thing', 'a file now\n')
    expect(await project.codeOf(gitAdd, { files: ['thing'] })).toBe('ValidationError')
    expect(staged(project)).toEqual([])
  })

  test('takes a file of a nested repository for the file that it is', async () => {
    await using project = makeShop()
    project.put('nested/x.txt', 'x\n')
    const nested = join(project.service_root, 'nested')
    runGit(nested, ['init', '--quiet'])
    runGit(nested, ['add', '--all'])
    runGit(nested, ['commit', '--quiet', '--message', 'x'])
    await project.codeOf(gitAdd, { files: ['nested/x.txt'] })
    expect(['', 'services/shop/nested/x.txt']).toContain(staged(project).join())
    expect(project.git('ls-files', '--stage')).not.toMatch(/^160000/m)
  })

  test("stages no repository piece by piece, so that none lies there after the owner's next checkout", async () => {
    await using project = makeShop()
    const planted = '[core]\n\tworktree = .\n\tfsmonitor = "touch ran; false"\n'
    const pieces: [string, string][] = [
      ['sub/HEAD', 'ref: refs/heads/main\n'],
      ['sub/objects/x', 'x\n'],
      ['sub/refs/x', 'x\n'],
      ['sub/config', `${planted}\trepositoryformatversion = 0\n`],
    ]
    const codes: string[] = []
    for (const [path, content] of pieces) {
      project.put(path, content)
      codes.push(await project.codeOf(gitAdd, { files: [path] }))
      rmSync(join(project.service_root, path))
    }
    expect(codes).toEqual(['SecurityError: repository', 'success', 'success', 'success'])
    project.git('checkout', '--', '.')
    const sub = join(project.service_root, 'sub')
    runGit(sub, ['status'])
    expect(readdirSync(sub)).not.toContain('ran')
  })

  test.each([
    ['a HEAD that lies there', ['sub/objects/x', 'sub/refs/x'], 'sub/HEAD', undefined],
    ['a HEAD that is tracked', ['sub/objects/x', 'sub/refs/x'], undefined, 'sub/HEAD'],
    ['a HEAD in another spelling of the folder', ['sub/objects/x', 'sub/refs/x'], undefined, 'SUB/HEAD'],
    ['where the rest is', ['sub/commondir'], 'sub/HEAD', undefined],
    ['in the service’s own folder', ['Objects', 'refs/a/b/c'], undefined, 'HEAD'],
  ])('stages nothing that completes a repository with %s', async (_, paths, lying, tracked) => {
    await using project = makeShop()
    if (tracked) {
      project.put(tracked, 'ref: refs/heads/main\n')
      project.commitAll()
    }
    if (lying) project.put(lying, 'ref: refs/heads/main\n')
    const codes: string[] = []
    for (const path of paths) {
      project.put(path, 'x\n')
      codes.push(await project.codeOf(gitAdd, { files: [path] }))
      rmSync(join(project.service_root, path))
    }
    expect(codes).toEqual([...paths.slice(1).map(() => 'success'), 'SecurityError: repository'])
  })

  test.each(['sub/HEAD', 'head', 'Head.'])(
    'stages no new %s, and one that is known as any file',
    async (path) => {
      await using project = makeShop()
      project.put(path, 'ref: refs/heads/main\n')
      expect(await project.codeOf(gitAdd, { files: ['a.txt', path] })).toBe('SecurityError: repository')
      expect(staged(project)).toEqual([])
      project.commitAll()
      project.put(path, 'changed\n')
      expect(await project.call(gitAdd, { files: [path] })).toMatchObject({ added: [path] })
    },
  )

  test('says that the repository is busy', async () => {
    await using project = makeShop()
    project.put('a.txt', 'changed\n')
    writeFileSync(join(project.root, '.git/index.lock'), '')
    expect(await project.codeOf(gitAdd, { files: ['a.txt'] })).toBe('ResourceBusy')
  })
})
