import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect } from 'vitest'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { gitCheckout } from '../../src/domains/toolbox/git/git-checkout.ts'
import { gitCommit } from '../../src/domains/toolbox/git/git-commit.ts'
import { gitDiff } from '../../src/domains/toolbox/git/git-diff.ts'
import * as fixture from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitPush } from '../../src/domains/toolbox/git/git-push.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'
import { HOSTILE_REMOTES } from '../../src/domains/toolbox/git/hostile-remotes.fixture.ts'
import {
  HOSTILE_CASES,
  type HostileCase,
  makeCanary,
} from '../../src/domains/toolbox/git/hostile-repositories.fixture.ts'
import type { Sandbox } from '../../src/platform/sandbox/sandbox.ts'
import { verifies } from '../requirements/verifies.ts'

const { isThere, makeGitProject, OWNER_ENV, realSandbox, runGit } = fixture
type GitProject = fixture.GitProject

/** The real sandbox, except that a hostile program could be run and be seen to have run in it. */
function watchedSandbox(folder: string): Sandbox {
  return {
    require: () => realSandbox.require(),
    run: (profile, argv, options) => {
      const mounts = [...profile.mounts, { path: folder, access: 'write' as const }]
      return realSandbox.run({ ...profile, mounts }, argv, options)
    },
  }
}

/** Two branches that differ in the service, and a change that is not staged. */
function makeVictim(): GitProject {
  const project = makeGitProject()
  project.put('a.txt', 'one\n')
  project.put('b.txt', 'one\n')
  project.commitAll()
  project.git('switch', '--quiet', '--create', 'topic')
  project.put('b.txt', 'topic\n')
  project.commitAll('topic')
  project.git('switch', '--quiet', 'main')
  project.put('a.txt', 'two\n')
  return project
}

/** Lets the owner's unprotected git meet the repository, in a copy; answers whether the program ran. */
function runsUnprotected(project: GitProject, hostile: HostileCase, env: object, canary: string): boolean {
  const copy = join(project.base, 'copy')
  cpSync(project.root, copy, { recursive: true, preserveTimestamps: true })
  try {
    runGit(copy, hostile.control ?? [], { ...OWNER_ENV, ...env })
  } catch {
    // Many a hostile program makes the command fail after it ran.
  }
  const ran = isThere(canary)
  rmSync(canary, { force: true })
  rmSync(copy, { recursive: true })
  return ran
}

/** Makes a hostile project and proves it to be one; gives a way to call tools that fails if the program runs. */
function prepare(hostile: HostileCase) {
  const project = makeGitProject('services/shop', victim.root)
  const { folder, program, canary } = makeCanary(project.base)
  hostile.plant(project, program)
  rmSync(canary, { force: true })
  const pairs = Object.entries(hostile.control_env ?? {})
  const env = Object.fromEntries(
    pairs.map(([name, value]) => [name, value.replace('PROGRAM', program).replace('CANARY', canary)]),
  )
  if (hostile.control) expect(runsUnprotected(project, hostile, env, canary)).toBe(true)
  Object.assign(process.env, env)
  const codeOf: GitProject['codeOf'] = async (tool, input) => {
    const code = await project.codeOf(tool, input, { sandbox: watchedSandbox(folder) })
    expect(isThere(canary), `${tool.name} ran it`).toBe(false)
    return code
  }
  return { project, codeOf }
}

const LOOKING = [
  [gitStatus, 'TOOL-084'],
  [gitDiff, 'TOOL-085'],
] as const

const victim = makeVictim()
afterAll(() => victim[Symbol.asyncDispose]())

const saved = { ...process.env }
afterEach(() => {
  process.env = { ...saved }
})

describe('a hostile repository', () => {
  for (const hostile of HOSTILE_CASES) {
    // Looking changes nothing: a program of the repository's that ran could change anything.
    const isMeant = ({ name }: { name: string }) => hostile.tools?.includes(name) ?? true
    const rules = LOOKING.flatMap(([tool, rule]) => (isMeant(tool) ? [rule] : []))
    verifies([...rules, ...(hostile.rules ?? [])], `runs nothing: ${hostile.name}`, async () => {
      const { project, codeOf } = prepare(hostile)
      await using _ = project
      const usual = hostile.refused ?? 'success'
      const adding = hostile.codes?.git_add ?? usual
      if (isMeant(gitStatus)) expect(await codeOf(gitStatus, {})).toBe(usual)
      if (isMeant(gitDiff)) expect(await codeOf(gitDiff, {})).toBe(usual)
      if (isMeant(gitAdd)) expect(await codeOf(gitAdd, { files: ['a.txt'] })).toBe(adding)
      project.put('plain.md', 'x\n')
      if (adding !== usual) expect(await codeOf(gitAdd, { files: ['plain.md'] })).toBe(usual)
      if (isMeant(gitDiff)) expect(await codeOf(gitDiff, { staged: true })).toBe(usual)
      if (isMeant(gitCommit)) expect(await codeOf(gitCommit, { message: 'A change' })).toBe(usual)
      if (isMeant(gitCheckout)) expect(await codeOf(gitCheckout, { branch: 'topic' })).toBe(usual)
    })
  }

  for (const hostile of HOSTILE_REMOTES) {
    verifies('TOOL-098', `sends no push elsewhere: ${hostile.name}`, async () => {
      const { project, codeOf } = prepare(hostile)
      await using _ = project
      const input = { remote: 'origin', branch: 'main', confirm: true }
      expect(await codeOf(gitPush, input)).toBe(hostile.codes?.git_push)
    })
  }
})
