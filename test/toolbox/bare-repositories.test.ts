import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runTest } from '../../src/domains/toolbox/commands/run-test.ts'
import { deleteFile } from '../../src/domains/toolbox/files/delete-file.ts'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { readFile } from '../../src/domains/toolbox/files/read-file.ts'
import { writeFile } from '../../src/domains/toolbox/files/write-file.ts'
import { faultOf, makeService, NODE_CONFIG, openService } from './commands-service.fixture.ts'
import { type FilesProject, makeFilesProject } from './files-project.fixture.ts'

const RAN = 'ran-by-git'
/** What the pieces of a repository hold that runs a program at the owner's next `git status`. */
const CONTENT: Record<string, string> = {
  HEAD: 'ref: refs/heads/main\n',
  config: `[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = "touch ${RAN}; false"\n`,
  'objects/x': 'x',
  'refs/x': 'x',
}

/** What the owner would do there; answers whether a program of the agent's ran. */
function ownersGitRuns(folder: string): boolean {
  try {
    execFileSync('git', ['status'], {
      cwd: folder,
      stdio: 'pipe',
      env: { PATH: process.env.PATH, HOME: '/' },
    })
  } catch {
    // It may well be no repository.
  }
  return readdirSync(folder).includes(RAN)
}

function write(project: FilesProject, path: string, content = 'content') {
  return project.call(writeFile, { path, content })
}

describe('a repository without a .git', () => {
  test('is what git takes such a folder for: the attack works where nobody guards', async () => {
    await using project = await makeFilesProject()
    for (const [path, content] of Object.entries(CONTENT)) project.put(`sub/${path}`, content)
    expect(ownersGitRuns(join(project.service_root, 'sub'))).toBe(true)
  })

  test('cannot be made by write_file, in whatever order its pieces come', async () => {
    const folder = fc.constantFrom('', 'sub/', 'a/b/c/')
    const pieces = fc.shuffledSubarray(Object.keys(CONTENT), { minLength: 4 })
    await fc.assert(
      fc.asyncProperty(folder, pieces, async (at, order) => {
        await using project = await makeFilesProject()
        const codes: string[] = []
        for (const path of order)
          codes.push((await write(project, `${at}${path}`, CONTENT[path] as string)).code)
        expect(codes).toEqual(order.map((path) => (path === 'HEAD' ? 'SecurityError' : 'success')))
        expect(ownersGitRuns(join(project.service_root, at))).toBe(false)
      }),
      { numRuns: 25 },
    )
  })

  test.each([
    ['another case', ['OBJECTS/x', 'Refs/x']],
    ['a place where the rest is', ['commondir']],
    ['names that another system cuts short', ['objects./x', 'refs /x']],
    ['names with a stream', ['objects::$DATA', 'refs/x']],
    ['files where folders belong', ['objects', 'refs']],
    ['wide letters', ['ｏｂｊｅｃｔｓ/x', 'refs/x']],
  ])('cannot be made of a HEAD of the owner’s with %s', async (_, paths) => {
    await using project = await makeFilesProject()
    project.put('sub/HEAD', CONTENT.HEAD as string)
    const codes: string[] = []
    for (const path of paths) codes.push((await write(project, `sub/${path}`)).code)
    expect(codes).toEqual([...paths.slice(1).map(() => 'success'), 'SecurityError'])
    expect(project.exists(`sub/${paths.at(-1)?.split('/')[0]}`)).toBe(false)
  })

  test.each(['HEAD', 'head', 'sub/Head', 'sub/HEAD.', 'sub/HEAD::$DATA', 'sub/ＨＥＡＤ'])(
    'lacks a HEAD: no file gets the name %s, whatever lies beside it',
    async (path) => {
      await using project = await makeFilesProject()
      const refused = await write(project, path)
      expect(refused.code).toBe('SecurityError')
      expect(refused.suggestion).toContain('HEAD')
      expect(project.exists(path)).toBe(false)
    },
  )

  test('is not made where other things have such names', async () => {
    await using project = await makeFilesProject()
    for (const path of [
      'src/head/a.ts',
      'src/objects/a.ts',
      'src/refs/a.ts',
      'src/HEAD.md',
      'src/refs.ts',
      'other/objects/refs/x',
      'third/commondir',
      'third/refs/x',
    ])
      expect([path, (await write(project, path)).code]).toEqual([path, 'success'])
    project.put('other/HEAD', 'the owner’s')
    const refused = await write(project, 'other/refs/x')
    expect(refused.message).toContain('Git would take the folder for a repository')
    expect(refused.suggestion).toContain('HEAD')
    // One that is there may be moved aside in this moment, and a write would make it anew.
    expect((await write(project, 'other/HEAD', 'more')).code).toBe('SecurityError')
    const edits = [{ operation: 'replace', spec: 'owner', content: 'agent' }]
    expect((await project.call(editFile, { path: 'other/HEAD', edits })).code).toBe('SecurityError')
    expect(readFileSync(join(project.service_root, 'other/HEAD'), 'utf8')).toBe('the owner’s')
    expect((await project.call(deleteFile, { path: 'other/HEAD' })).code).toBe('success')
  })

  test('that the owner has is read, and not changed at any depth', async () => {
    await using project = await makeFilesProject()
    const bare = join(project.service_root, 'fixtures/repo.git')
    execFileSync('git', ['init', '-q', '--bare', bare])
    expect((await project.call(readFile, { path: 'fixtures/repo.git/config' })).data?.content).toContain(
      'bare',
    )
    const edits = [{ operation: 'replace', spec: 'bare = true', content: 'bare = false' }]
    const before = readFileSync(join(bare, 'config'), 'utf8')
    for (const path of [
      'config',
      'hooks/pre-commit',
      'hooks/new/x',
      'info/attributes',
      'commondir',
      'new.txt',
    ]) {
      const { code } = await write(project, `fixtures/repo.git/${path}`)
      expect([path, code]).toEqual([path, 'SecurityError'])
    }
    expect((await project.call(editFile, { path: 'fixtures/repo.git/config', edits })).code).toBe(
      'SecurityError',
    )
    expect((await project.call(deleteFile, { path: 'fixtures/repo.git/HEAD' })).code).toBe('SecurityError')
    symlinkSync('fixtures/repo.git', join(project.service_root, 'way-in'))
    expect((await write(project, 'way-in/config')).code).toBe('SecurityError')
    expect(readFileSync(join(bare, 'config'), 'utf8')).toBe(before)
    expect((await write(project, 'fixtures/other.txt')).code).toBe('success')
  })

  test('is not made by two who make a piece each', async () => {
    await using project = await makeFilesProject()
    project.put('sub/HEAD', CONTENT.HEAD as string)
    const codes = await Promise.all([write(project, 'sub/objects/x'), write(project, 'sub/refs/x')])
    expect(codes.map(({ code }) => code).toSorted()).toEqual(['SecurityError', 'success'])
  })
})

const PLANT = `import fs from 'node:fs'
for (const [path, content] of Object.entries(${JSON.stringify(CONTENT)})) {
  fs.mkdirSync((process.env.AT + path).replace(/[^/]*$/, ''), { recursive: true })
  fs.writeFileSync(process.env.AT + path, content)
}
console.log('planted')`
const plantAt = (folder: string) => PLANT.replaceAll('process.env.AT', JSON.stringify(folder))

describe('a repository without a .git that a command leaves', () => {
  test('is none any more when the call has ended, and is reported', async () => {
    for (const at of [
      './',
      'sub/',
      'a/b/',
      'sub/secrets/x/',
      'sub/.git/',
      'sub/.git/modules/x/',
      'sub/.flow/x/',
    ]) {
      const service = makeService({ files: { 'plant.mjs': plantAt(at) } })
      const fault = await faultOf(service.call(runTest, { target: 'plant.mjs' }))
      expect([at, fault.code, fault.violation?.violation_type]).toEqual([
        at,
        'SecurityError',
        'planted_repository',
      ])
      expect(fault.details).toMatchObject({ stdout: 'planted\n' })
      for (const folder of allFolders(service.root))
        expect([folder, ownersGitRuns(folder)]).toEqual([folder, false])
      service.remove()
    }
  })

  test('is none either when a folder was renamed, or the command was stopped', async () => {
    const cases = {
      'renamed.mjs': `import fs from 'node:fs'; fs.renameSync('half/x', 'half/refs')`,
      'stopped.mjs': `${plantAt('sub/')}\nsetInterval(() => {}, 1000)`,
      'failed.mjs': `${plantAt('third/')}\nprocess.exit(3)`,
      'hidden.mjs': `${plantAt('fourth/in/')}\nfs.chmodSync('fourth/in', 0o300); fs.chmodSync('fourth', 0)`,
    }
    const service = openService({ files: cases })
    for (const path of ['HEAD', 'config', 'objects/x']) service.write(`half/${path}`, CONTENT[path] as string)
    service.write('half/x/x', 'x')
    for (const target of Object.keys(cases)) {
      const signal = AbortSignal.timeout(target === 'stopped.mjs' ? 2_000 : 60_000)
      expect((await faultOf(service.call(runTest, { target }, signal))).violation?.violation_type).toBe(
        'planted_repository',
      )
    }
    for (const folder of allFolders(service.root))
      expect([folder, ownersGitRuns(folder)]).toEqual([folder, false])
  })

  test('has lost its HEAD also where it is the only piece; one of the owner’s stays, and so does a program called head', async () => {
    const files = {
      'plant.mjs': `import fs from 'node:fs'
        fs.mkdirSync('a/HEAD', { recursive: true }); fs.mkdirSync('b/.git/x', { recursive: true })
        for (const path of ['HEAD', 'a/b', 'b/.git/x/HEAD', 'b/HEAD']) fs.writeFileSync(path, 'ref: refs/heads/main')
        fs.symlinkSync('b', 'a/HEAD/HEAD'); fs.renameSync('own/HEAD', 'own/moved'); fs.writeFileSync('own/HEAD', 'x')
        fs.writeFileSync('b/head', '')`,
      'own/HEAD': 'the owner’s',
    }
    const service = openService({ files })
    const fault = await faultOf(service.call(runTest, { target: 'plant.mjs' }))
    expect(fault.violation?.violation_type).toBe('planted_repository')
    const left = readdirSync(service.root, { recursive: true, encoding: 'utf8' })
    expect(left.filter((path) => /(?:^|\/)HEAD$/i.test(path)).toSorted()).toEqual([
      'a/HEAD',
      'b/head',
      'own/HEAD',
    ])
  })

  test('is found by the next call when the hub was killed in between', async () => {
    const service = openService({
      files: { 'plant.mjs': `${plantAt('sub/')}\nsetInterval(() => {}, 1000)`, 'ok.mjs': 'console.log(1)' },
    })
    const owned = join(service.root, 'fixtures/repo.git')
    execFileSync('git', ['init', '-q', '--bare', owned])
    writeFileSync(join(service.project, '.flow/config.json'), JSON.stringify(NODE_CONFIG))
    const seat = ['--project', service.project, '--service', 'services/mine', '--home', service.home]
    const call = ['tool', 'call', 'run_test', '--args', '{"target":"plant.mjs"}', ...seat]
    const hub = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), ...call])
    await expect.poll(() => existsSync(join(service.root, 'sub/refs/x')), { timeout: 20_000 }).toBe(true)
    hub.kill('SIGKILL')
    await new Promise((ended) => hub.once('exit', ended))
    expect(existsSync(join(service.root, 'sub/HEAD'))).toBe(true)
    const fault = await faultOf(service.call(runTest, { target: 'ok.mjs' }))
    expect(fault.violation).toMatchObject({ violation_type: 'planted_repository', target_path: 'sub/HEAD' })
    expect(ownersGitRuns(join(service.root, 'sub'))).toBe(false)
    expect(existsSync(join(owned, 'HEAD'))).toBe(true)
    expect((await service.call(runTest, { target: 'ok.mjs' })).exit_code).toBe(0)
    expect(readdirSync(join(service.home, 'runs'))).toEqual([])
  })

  test('is left alone where it was before, and a command reads it and cannot change it', async () => {
    const service = openService({
      files: {
        'use.mjs': `import { execFileSync } from 'node:child_process'
          const git = (...args) => execFileSync('git', args, { encoding: 'utf8' })
          git('clone', '-q', 'fixtures/repo.git', '/tmp/clone')
          console.log(git('-C', '/tmp/clone', 'rev-parse', '--git-dir').trim())`,
        'change.mjs': `import fs from 'node:fs'
          const tries = [() => fs.appendFileSync('fixtures/repo.git/config', 'x'),
            () => fs.writeFileSync('fixtures/repo.git/hooks/post-update', 'x'),
            () => fs.renameSync('fixtures/repo.git', 'fixtures/moved'),
            () => fs.renameSync('fixtures', 'moved')]
          console.log(tries.map((attempt) => { try { attempt(); return 'did' } catch { return 'no' } }).join())`,
      },
      config: {
        tools: { whitelisted_binaries: ['node'] },
        toolchains: { '*': { test: { command: ['node', '{target}'] } } },
      },
    })
    execFileSync('git', ['init', '-q', '--bare', join(service.root, 'fixtures/repo.git')])
    expect((await service.call(runTest, { target: 'use.mjs' })).stdout).toBe('.git\n')
    expect((await service.call(runTest, { target: 'change.mjs' })).stdout).toBe('no,no,no,no\n')
    expect(existsSync(join(service.root, 'fixtures/repo.git/HEAD'))).toBe(true)
  })

  test('fails closed where the note of a killed run is damaged, and names the file', async () => {
    const service = openService({ files: { 'ok.mjs': 'console.log(1)', 'bad.mjs': 'process.exit(1)' } })
    const home = join(service.home, 'runs')
    expect((await service.call(runTest, { target: 'ok.mjs' })).exit_code).toBe(0)
    expect(readdirSync(home)).toEqual([])
    const { createHash } = await import('node:crypto')
    const name = `${createHash('sha256').update(service.root).digest('hex').slice(0, 32)}.json`
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, name), '{"known":')
    const fault = await faultOf(service.call(runTest, { target: 'ok.mjs' }))
    expect(fault.code).toBe('ConfigDamaged')
    expect(fault.message).toContain(join(home, name))
  })
})

function allFolders(root: string): string[] {
  const below = readdirSync(root, { withFileTypes: true, recursive: true })
  return [
    root,
    ...below.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name)),
  ]
}
