import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RuleId } from '../../../../test/requirements/rule-ids.ts'
import { type GitProject, OWNER_ENV, runGit, writeAt } from './git-project.fixture.ts'

/** A repository that would run a program of its maker, or lead git elsewhere. */
export interface HostileCase {
  readonly name: string
  /** Makes the repository hostile; `program` leaves a canary when it runs. */
  plant(project: GitProject, program: string): void
  /** What the owner's unprotected git does to run the program; left out where that takes more than git. */
  readonly control?: readonly string[]
  readonly control_env?: Readonly<Record<string, string>>
  /** Rules that this case proves beside the common ones. */
  readonly rules?: readonly RuleId[]
  /** The tools that could set it off, where these are not all. */
  readonly tools?: readonly string[]
  /** Every call is refused with this code; without it every call works. */
  readonly refused?: 'NotSupported'
  /** Codes of single tools that are not like the rest. */
  readonly codes?: Readonly<Record<string, string>>
}

const HOOKS =
  `applypatch-msg commit-msg fsmonitor-watchman post-checkout post-commit post-index-change post-merge
  post-rewrite pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase prepare-commit-msg push-to-checkout
  reference-transaction sendemail-validate`.split(/\s+/)

/** Sets keys of the repository's own configuration. */
export function set(project: GitProject, ...settings: [string, string][]): void {
  for (const [name, value] of settings) project.git('config', '--local', name, value)
}

function plantHooks(folder: string, program: string): void {
  for (const hook of HOOKS) writeAt(join(folder, hook), `#!/bin/sh\n${program} ${hook}\n`, 0o755)
}

/** A driver for all text files of the service, named by the attributes that lie in the tree. */
function plantAttribute(project: GitProject, attribute: string): void {
  project.put('.gitattributes', `*.txt ${attribute}\n`)
}

const COMMIT = ['commit', '--quiet', '--all', '--message', 'x']
const STATUS = ['status']
const ADD = ['add', 'services/shop/a.txt']

const RUNNERS: readonly HostileCase[] = [
  {
    name: 'core.fsmonitor',
    plant: (project, program) => set(project, ['core.fsmonitor', program]),
    control: STATUS,
  },
  {
    name: 'hooks of every kind',
    plant: ({ root }, program) => plantHooks(join(root, '.git/hooks'), program),
    control: COMMIT,
  },
  {
    name: 'core.hooksPath',
    tools: ['git_status', 'git_add', 'git_commit', 'git_checkout'],
    plant(project, program) {
      plantHooks(join(project.service_root, 'hooks'), program)
      set(project, ['core.hooksPath', join(project.service_root, 'hooks')])
    },
    control: COMMIT,
  },
  {
    name: 'a clean filter',
    plant(project, program) {
      set(project, ['filter.x.clean', program])
      plantAttribute(project, 'filter=x')
    },
    control: ADD,
    codes: { git_add: 'NotSupported' },
  },
  {
    name: 'a smudge filter',
    plant(project, program) {
      set(project, ['filter.x.smudge', program])
      plantAttribute(project, 'filter=x')
    },
    control: ['checkout', '--force', 'topic'],
    codes: { git_add: 'NotSupported' },
  },
  {
    name: 'a filter process',
    tools: ['git_status', 'git_diff', 'git_add'],
    plant(project, program) {
      set(project, ['filter.x.process', program], ['filter.x.required', 'false'])
      plantAttribute(project, 'filter=x')
    },
    control: ADD,
    codes: { git_add: 'NotSupported' },
  },
  {
    name: 'a filter by info/attributes',
    tools: ['git_status', 'git_add', 'git_commit'],
    plant(project, program) {
      set(project, ['filter.x.clean', program])
      writeAt(join(project.root, '.git/info/attributes'), '* filter=x\n')
    },
    control: ADD,
  },
  {
    name: 'a filter by core.attributesFile',
    tools: ['git_status', 'git_add', 'git_commit'],
    plant(project, program) {
      set(project, ['filter.x.clean', program], ['core.attributesFile', join(project.base, 'attributes')])
      writeAt(join(project.base, 'attributes'), '* filter=x\n')
    },
    control: ADD,
  },
  {
    name: 'diff textconv',
    tools: ['git_diff', 'git_add', 'git_commit'],
    plant(project, program) {
      set(project, ['diff.x.textconv', program])
      plantAttribute(project, 'diff=x')
    },
    control: ['diff'],
  },
  {
    name: 'diff.external',
    tools: ['git_diff', 'git_add', 'git_commit'],
    plant: (project, program) => set(project, ['diff.external', program]),
    control: ['diff'],
  },
  {
    name: 'a diff driver',
    tools: ['git_diff', 'git_add', 'git_commit'],
    plant(project, program) {
      set(project, ['diff.x.command', program])
      plantAttribute(project, 'diff=x')
    },
    control: ['diff'],
  },
  {
    name: 'an included configuration',
    tools: ['git_status', 'git_diff'],
    plant(project, program) {
      project.put('extra.config', `[core]\n\tfsmonitor = ${program}\n`)
      set(project, ['include.path', join(project.service_root, 'extra.config')])
    },
    control: STATUS,
  },
  {
    name: 'a configuration included on a condition',
    tools: ['git_status', 'git_diff'],
    plant(project, program) {
      project.put('extra.config', `[core]\n\tfsmonitor = ${program}\n`)
      set(project, ['includeIf.onbranch:main.path', join(project.service_root, 'extra.config')])
    },
    control: STATUS,
  },
  {
    name: 'a configuration of the work tree',
    tools: ['git_status', 'git_diff'],
    plant(project, program) {
      set(project, ['extensions.worktreeConfig', 'true'])
      project.git('config', '--worktree', 'core.fsmonitor', program)
    },
    control: STATUS,
  },
  {
    name: 'commit signing',
    tools: ['git_status', 'git_add', 'git_commit'],
    plant: (project, program) => set(project, ['commit.gpgSign', 'true'], ['gpg.program', program]),
    control: COMMIT,
  },
  {
    name: 'editor, pager and aliases',
    plant(project, program) {
      set(project, ['core.editor', program], ['core.pager', program], ['pager.status', 'true'])
      set(project, ['alias.switch', `!${program}`], ['alias.status', `!${program}`])
    },
    control: ['commit', '--all'],
  },
  {
    name: 'a submodule with its own filter',
    plant(project, program) {
      const nested = join(project.service_root, 'vendor')
      mkdirSync(nested)
      runGit(nested, ['init', '--quiet'])
      writeAt(join(nested, 'file'), 'one\n')
      writeAt(join(nested, '.gitattributes'), 'file filter=x\n')
      runGit(nested, ['add', '--all'])
      runGit(nested, ['commit', '--quiet', '--message', 'x'])
      project.git('add', 'services/shop/vendor')
      project.git('commit', '--quiet', '--message', 'vendor')
      project.git('branch', '--force', 'topic')
      runGit(nested, ['config', 'filter.x.clean', program])
      writeAt(join(nested, 'file'), 'two\n')
    },
    control: STATUS,
  },
  {
    name: 'GIT_ variables of the hub',
    tools: ['git_status', 'git_diff'],
    plant: () => {},
    control: STATUS,
    control_env: { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.fsmonitor', GIT_CONFIG_VALUE_0: 'PROGRAM' },
  },
  {
    name: 'a trace file that the hub is told to write',
    tools: ['git_status', 'git_diff'],
    rules: ['TOOL-100'],
    plant: () => {},
    control: STATUS,
    control_env: { GIT_TRACE: 'CANARY' },
  },
]

const LEADING_AWAY: readonly HostileCase[] = [
  {
    name: 'a .git that is a file',
    plant({ root, base }, program) {
      renameSync(join(root, '.git'), join(base, 'real'))
      runGit(base, ['--git-dir=real', 'config', 'core.fsmonitor', program])
      writeFileSync(join(root, '.git'), `gitdir: ${join(base, 'real')}\n`)
    },
    control: STATUS,
    refused: 'NotSupported',
  },
  {
    name: 'commondir',
    plant({ root, base }, program) {
      runGit(base, ['init', '--quiet', 'other'])
      runGit(base, ['-C', 'other', 'config', 'core.fsmonitor', program])
      writeFileSync(join(root, '.git/commondir'), `${join(base, 'other/.git')}\n`)
    },
    control: STATUS,
    refused: 'NotSupported',
  },
  {
    name: 'core.worktree',
    plant: (project) => set(project, ['core.worktree', project.base]),
    refused: 'NotSupported',
  },
  {
    name: 'core.bare',
    plant: (project) => set(project, ['core.bare', 'true']),
    refused: 'NotSupported',
  },
  {
    name: 'alternates',
    plant: ({ root, base }) => writeAt(join(root, '.git/objects/info/alternates'), `${base}/objects\n`),
    refused: 'NotSupported',
  },
  {
    name: 'a planted repository in the service',
    plant({ service_root }, program) {
      runGit(service_root, ['init', '--quiet', '--initial-branch=main'])
      runGit(service_root, ['config', 'core.fsmonitor', program])
      plantHooks(join(service_root, '.git/hooks'), program)
      runGit(service_root, ['add', 'a.txt'], { ...OWNER_ENV, GIT_CONFIG_COUNT: '0' })
      runGit(service_root, ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '--message', 'x'])
      runGit(service_root, ['-c', 'core.hooksPath=/dev/null', 'branch', 'topic'])
      writeAt(join(service_root, 'a.txt'), 'changed again\n')
    },
    control: ['-C', 'services/shop', 'status'],
  },
]

/** Repositories that turn against whoever looks at them or changes them. */
export const HOSTILE_CASES: readonly HostileCase[] = [...RUNNERS, ...LEADING_AWAY]

/** Makes the program that leaves a canary, in a folder that even sandboxed commands may write in a test. */
export function makeCanary(base: string): { folder: string; program: string; canary: string } {
  const folder = join(base, 'open')
  const canary = join(folder, 'canary')
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  writeAt(join(folder, 'run'), `#!/bin/sh\necho "$0 $*" >> ${canary}\n`, 0o755)
  return { folder, program: join(folder, 'run'), canary }
}
