import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runGit } from '../../src/domains/toolbox/git/git-project.fixture.ts'

/** What lets an agent run the tests and the linter of this machine's Node. */
export const NODE_TOOLCHAIN = {
  tools: { whitelisted_binaries: ['node'] },
  toolchains: {
    '*': {
      test: { command: ['node', '{target}'] },
      lint: { command: ['node', '--check', '{target}'] },
    },
  },
}

const FILES: Readonly<Record<string, string>> = {
  'services/web/src/main.mjs': "export const greeting = 'hello'\n",
  'services/web/src/main.test.mjs':
    "import { greeting } from './main.mjs'\nif (greeting === '') throw new Error('empty')\nconsole.log('1 passed')\n",
  'services/web/docs/a.md': '# A\n',
  'services/web/plans/p.md': '# Plan\n',
  'services/web/.env': 'NAME=value\n',
  'services/other/x.txt': 'theirs\n',
  'shared_contracts/s.md': 'shared\n',
  'README.md': 'The project.\n',
}

/** A project with a repository, two services and a shared folder. */
export interface ToolProject extends Disposable {
  /** Holds the project, and beside it what a test needs outside. */
  readonly base: string
  readonly root: string
  /** The service that the agents of a test sit at. */
  readonly service: string
  /** The repository that `git_push` may push to. */
  readonly remote: string
  /** Writes a file of the project. */
  write(path: string, content: string): void
  read(path: string): string
  /** Runs git as the owner does. */
  git(...args: string[]): string
  /** One text for the names and contents of everything in the project, but for what lies in these folders. */
  fingerprint(...but: string[]): string
}

/** Makes a project with this policy; the contract's defaults where it is `null`. */
export function makeToolProject(config: object | string | null = NODE_TOOLCHAIN): ToolProject {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'knowtation-tools-')))
  const root = join(base, 'project')
  const remote = join(base, 'remote.git')
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  for (const [path, content] of Object.entries(FILES)) write(path, content)
  runGit(base, ['init', '--quiet', '--bare', '--initial-branch=main', 'remote.git'])
  if (typeof config === 'string') write('.flow/config.json', config)
  else if (config)
    write('.flow/config.json', JSON.stringify({ git: { remotes: { origin: remote } }, ...config }))
  const git = (...args: string[]) => runGit(root, args)
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  return {
    base,
    root,
    service: join(root, 'services/web'),
    remote,
    write,
    read: (path) => readFileSync(join(root, path), 'utf8'),
    git,
    fingerprint: (...but) => fingerprintOf(root, but),
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  }
}

/** One text for all names and contents below a folder. */
export function fingerprintOf(folder: string, but: readonly string[] = []): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const lines = entries.map((entry) => {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1)
    if (!entry.isFile()) return path
    return `${path} ${createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex')}`
  })
  const isLeftOut = (line: string) => but.some((name) => line === name || line.startsWith(`${name}/`))
  return lines
    .filter((line) => !isLeftOut(line))
    .toSorted()
    .join('\n')
}
