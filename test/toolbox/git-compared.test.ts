import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { gitCheckout } from '../../src/domains/toolbox/git/git-checkout.ts'
import { gitDiff } from '../../src/domains/toolbox/git/git-diff.ts'
import {
  type GitProject,
  makeGitProject,
  makeShop,
} from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'

/** One thing that somebody does in the service. */
type Act =
  | { kind: 'write'; path: string; content: string }
  | { kind: 'remove' | 'stage' | 'intend' | 'execute' | 'commit'; path: string }
  | { kind: 'link'; path: string; target: string }

const PATHS = [
  'a.txt',
  'b c.txt',
  'd/e.txt',
  'd/f.txt',
  'd/g/h.txt',
  'd',
  'log/x.log',
  'k.log',
  'z',
  'ü"q',
] as const
const CONTENTS = ['one\n', 'two\n', 'one\r\ntwo\r\n', '', '$Id$\n'] as const
const RULES = ['', '*.log\n', '/log/\n!k.log\n', 'd/*\n!d/g\n', 'd/\n', 'z\n'] as const
const ATTRIBUTES = ['', '*.txt text=auto\n', '*.txt eol=crlf\n', '*.txt ident\n', '* -text\n'] as const

const path = fc.constantFrom(...PATHS)
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('write'), path, content: fc.constantFrom(...CONTENTS) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('remove', 'stage', 'intend', 'execute', 'commit'), path }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('link'),
      path,
      target: fc.constantFrom('a.txt', 'd', 'nowhere'),
    }),
  },
) as fc.Arbitrary<Act>

/** What cannot be done at this moment is not done. */
function perform(project: GitProject, one: Act): void {
  const place = join(project.service_root, one.path)
  try {
    if (one.kind === 'write') project.put(one.path, one.content)
    else if (one.kind === 'remove') rmSync(place, { recursive: true, force: true })
    else if (one.kind === 'execute') chmodSync(place, 0o755)
    else if (one.kind === 'stage') project.git('-C', project.service_root, 'add', '--all', '--', one.path)
    else if (one.kind === 'intend')
      project.git('-C', project.service_root, 'add', '--intent-to-add', '--', one.path)
    else if (one.kind === 'commit') project.git('commit', '--quiet', '--message', 'x')
    else if (one.kind === 'link' && !existsSync(place)) {
      mkdirSync(dirname(place), { recursive: true })
      symlinkSync(one.target, place)
    }
  } catch {
    // A missing file cannot be staged, an empty commit cannot be made.
  }
}

/** What git itself says, without what the tool does not take over from the repository. */
function plainStatus(project: GitProject): string {
  return project.git(
    '-C',
    project.service_root,
    '-c',
    'core.quotePath=false',
    '-c',
    'status.relativePaths=true',
    'status',
    '--short',
    '--branch',
    '--',
    '.',
  )
}

describe('git_status', () => {
  test('says what git says, whatever was done in the service', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 12 }),
        fc.array(act, { maxLength: 8 }),
        fc.constantFrom(...RULES),
        fc.constantFrom(...ATTRIBUTES),
        fc.constantFrom('.', 'services/shop'),
        async (before, after, rules, attributes, service) => {
          await using project = makeGitProject(service)
          // A service without any tracked file is one line to git, which helps nobody here.
          project.put('seed', 'x\n')
          if (rules !== '') project.put('.gitignore', rules)
          if (attributes !== '') project.write('.gitattributes', attributes)
          for (const one of before) perform(project, one)
          project.git('add', '--all')
          project.git('commit', '--quiet', '--allow-empty', '--message', 'all')
          for (const one of after) perform(project, one)
          expect((await project.call(gitStatus, {})).stdout).toBe(plainStatus(project))
        },
      ),
      { numRuns: 30 },
    )
  }, 120_000)
})

function passwordList(value: string): string {
  const items = Array.from({ length: 12 }, (_, at) => `  - Winter${at}!kq${value}Zp`)
  return ['passwords:', ...items, ''].join('\n')
}

function kubernetesSecret(value: string): string {
  const head = ['apiVersion: v1', 'kind: Secret', 'metadata:', '  name: x', 'data:']
  return [...head, ...Array(8).fill('  # more'), `  token: ${value}`, ''].join('\n')
}

describe('git_diff', () => {
  test('shows what git shows, whatever was done in the service', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 12 }),
        fc.array(act, { maxLength: 8 }),
        fc.constantFrom(...ATTRIBUTES),
        fc.boolean(),
        async (before, after, attributes, staged) => {
          await using project = makeGitProject()
          if (attributes !== '') project.put('.gitattributes', attributes)
          for (const one of before) perform(project, one)
          project.git('add', '--all')
          project.git('commit', '--quiet', '--allow-empty', '--message', 'all')
          for (const one of after) perform(project, one)
          const which = staged ? ['--cached'] : []
          const plain = project.git(
            '-C',
            project.service_root,
            '-c',
            'core.quotePath=false',
            'diff',
            '--relative',
            ...which,
          )
          const shown = (await project.call(gitDiff, { staged })).stdout
          // The order of the files is ours where a type changed; every file's patch is git's.
          expect(shown.split(/^(?=diff )/m).toSorted()).toEqual(plain.split(/^(?=diff )/m).toSorted())
        },
      ),
      { numRuns: 20 },
    )
  }, 120_000)

  test('hides what the whole file hides, where the reason stands outside the hunk', async () => {
    await using project = makeShop()
    project.put('list.yaml', passwordList('one'))
    project.put('secret.yaml', kubernetesSecret('b25lLXNlY3JldC12YWx1ZQ=='))
    project.commitAll()
    project.put('list.yaml', passwordList('two'))
    project.put('secret.yaml', kubernetesSecret('dHdvLXNlY3JldC12YWx1ZQ=='))
    for (const staged of [false, true]) {
      if (staged) project.git('add', '--all')
      const { stdout, files } = await project.call(gitDiff, { staged })
      expect(files).toEqual(['list.yaml', 'secret.yaml'])
      expect(stdout).not.toMatch(/Winter\d|c2VjcmV0|-value/)
      expect(stdout).toMatch(/^\+ {2}- \[REDACTED/m)
      expect(stdout).toMatch(/^- {2}token: \[REDACTED/m)
    }
  })

  test('hides so on every side of a conflict', async () => {
    await using project = makeShop()
    const items = Array.from({ length: 8 }, (_, at) => `  - Autumn${at}!kqZp`)
    const lines = (value: string) => ['passwords:', ...items, `  - Winter9!kq${value}Zp`, ''].join('\n')
    project.put('list.yaml', lines('base'))
    project.commitAll()
    project.git('switch', '--quiet', '--create', 'topic')
    project.put('list.yaml', lines('topic'))
    project.commitAll()
    project.git('switch', '--quiet', 'main')
    project.put('list.yaml', lines('main'))
    project.commitAll()
    expect(() => project.git('merge', 'topic')).toThrow()
    const { stdout, files } = await project.call(gitDiff, {})
    expect(files).toEqual(['list.yaml'])
    expect(stdout).toMatch(/^diff --cc .*list\.yaml\n[\s\S]*^@@@ /m)
    expect(stdout).not.toMatch(/Winter9|Autumn/)
  })
})

/** All files of the service with their kinds and contents, as git would name them. */
function treeOf(project: GitProject): string {
  project.git('add', '--all')
  return project.git('write-tree').trim()
}

describe('git_checkout', () => {
  test('leaves the service as git leaves it: files, links, rights, folders and line ends', async () => {
    await using project = makeShop()
    project.put('.gitattributes', 'crlf.txt eol=crlf\nid.txt ident\n')
    project.put('thing', 'a file\n')
    project.put('deep/er/x.txt', 'x\n')
    project.put('link-later', 'a file\n')
    project.put('crlf.txt', 'a\r\n')
    project.commitAll()
    const main = treeOf(project)
    project.git('switch', '--quiet', '--create', 'topic')
    for (const gone of ['thing', 'deep', 'link-later'])
      rmSync(join(project.service_root, gone), { recursive: true })
    project.put('thing/x.txt', 'in a folder\n')
    project.put('new/run.sh', '#!/bin/sh\n')
    chmodSync(join(project.service_root, 'new/run.sh'), 0o755)
    symlinkSync('a.txt', join(project.service_root, 'link-later'))
    project.put('crlf.txt', 'a\r\nb\r\n')
    project.put('id.txt', '$Id$\n')
    project.commitAll()
    const topic = treeOf(project)
    project.git('switch', '--quiet', 'main')
    for (const [branch, tree] of [
      ['topic', topic],
      ['main', main],
      ['topic', topic],
    ] as const) {
      await project.call(gitCheckout, { branch })
      expect(project.git('status', '--short')).toBe('')
      expect(treeOf(project)).toBe(tree)
      expect((await project.call(gitStatus, {})).stdout).toBe(`## ${branch}\n`)
    }
    expect(project.read('crlf.txt')).toBe('a\r\nb\r\n')
    expect(project.read('id.txt')).toMatch(/^\$Id: [0-9a-f]{40} \$\n$/)
    expect(existsSync(join(project.service_root, 'deep'))).toBe(false)
  })

  test('keeps what is changed and staged elsewhere', async () => {
    await using project = makeShop()
    project.git('switch', '--quiet', '--create', 'topic')
    project.put('a.txt', 'topic\n')
    project.commitAll()
    project.git('switch', '--quiet', 'main')
    project.put('b.txt', 'mine\n')
    project.put('new.txt', 'mine\n')
    await project.call(gitAdd, { files: ['new.txt'] })
    await project.call(gitCheckout, { branch: 'topic' })
    expect(await project.call(gitStatus, {})).toMatchObject({
      branch: 'topic',
      staged: ['new.txt'],
      unstaged: ['b.txt'],
    })
    expect(project.read('b.txt')).toBe('mine\n')
  })

  test('goes back where the service does not take the files', async () => {
    await using project = makeShop()
    project.git('switch', '--quiet', '--create', 'topic')
    project.put('a.txt', 'topic\n')
    project.put('thing', 'a file on this branch\n')
    project.put('zz.txt', 'last\n')
    project.commitAll()
    project.git('switch', '--quiet', 'main')
    project.put('thing/mine.txt', 'not tracked\n')
    const before = project.git('status', '--short')
    expect(await project.codeOf(gitCheckout, { branch: 'topic' })).toBe('IsADirectory')
    expect(project.git('symbolic-ref', '--short', 'HEAD').trim()).toBe('main')
    expect(project.git('status', '--short')).toBe(before)
    expect(project.read('a.txt')).toBe('a\n')
    expect(project.read('thing/mine.txt')).toBe('not tracked\n')
    expect(existsSync(join(project.service_root, 'zz.txt'))).toBe(false)
  })

  test('brings no repository without a .git into the service', async () => {
    await using project = makeShop()
    project.git('switch', '--quiet', '--create', 'topic')
    for (const name of ['HEAD', 'config', 'objects/x', 'refs/x'])
      project.put(`bare/${name}`, 'ref: refs/heads/main\n')
    project.commitAll()
    project.git('switch', '--quiet', 'main')
    expect(await project.codeOf(gitCheckout, { branch: 'topic' })).toBe('SecurityError: repository')
    expect(project.git('symbolic-ref', '--short', 'HEAD').trim()).toBe('main')
    expect(existsSync(join(project.service_root, 'bare'))).toBe(false)
    expect(project.git('status', '--short')).toBe('')
  })
})
