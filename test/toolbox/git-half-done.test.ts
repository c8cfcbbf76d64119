import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitAdd } from '../../src/domains/toolbox/git/git-add.ts'
import { gitCheckout } from '../../src/domains/toolbox/git/git-checkout.ts'
import { gitCommit } from '../../src/domains/toolbox/git/git-commit.ts'
import { type GitProject, makeShop } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'
import { verifies } from '../requirements/verifies.ts'

/** A shop whose two branches both changed one file, left in the middle of this. */
function makeConflict(command: 'merge' | 'cherry-pick'): GitProject {
  const project = makeShop()
  project.git('switch', '--quiet', '--create', 'topic')
  project.put('a.txt', 'topic\n')
  project.commitAll()
  project.git('switch', '--quiet', 'main')
  project.put('a.txt', 'main\n')
  project.commitAll()
  expect(() => project.git(command, 'topic')).toThrow()
  return project
}

async function adviceOn(project: GitProject, branch: string, create_if_missing = false) {
  const answer = project.call(gitCheckout, { branch, create_if_missing })
  const fault = await answer.catch((error: unknown) => error)
  expect(fault).toMatchObject({ code: 'CommandFailed' })
  return fault as { message: string; suggestion: string; details?: object }
}

describe('a merge that is not finished', () => {
  verifies('TOOL-087', 'is ended by git_commit, also where nothing of the other side was taken', async () => {
    await using project = makeConflict('merge')
    expect((await project.call(gitStatus, {})).conflicted).toEqual(['a.txt'])
    expect(await project.codeOf(gitCommit, { message: 'Too early' })).toBe('CommandFailed')
    expect((await adviceOn(project, 'topic')).suggestion).toMatch(/^End the merge first/)
    project.put('a.txt', 'main\n')
    await project.call(gitAdd, { files: ['a.txt'] })
    const { commit, files } = await project.call(gitCommit, { message: 'Keep ours' })
    expect({ commit, files }).toEqual({ commit: project.git('rev-parse', 'HEAD').trim(), files: [] })
    expect(project.git('log', '-1', '--format=%P').trim().split(' ')).toHaveLength(2)
    expect(await project.codeOf(gitCommit, { message: 'Again' })).toBe('CommandFailed')
    expect(await project.codeOf(gitCheckout, { branch: 'topic' })).toBe('success')
  })
})

describe('a switch that git refuses', () => {
  test('names no folder of another work tree', async () => {
    await using project = makeShop()
    const elsewhere = join(project.base, 'elsewhere')
    project.git('worktree', 'add', '--quiet', '-b', 'taken', elsewhere)
    const fault = await adviceOn(project, 'taken')
    expect(fault.message).toBe('The branch taken is checked out in another work tree of the repository.')
    expect(JSON.stringify([fault.message, fault.suggestion, fault.details])).not.toContain(elsewhere)
  })

  test('comes with advice that fits', async () => {
    await using project = makeConflict('cherry-pick')
    expect((await adviceOn(project, 'topic')).suggestion).toContain('only the owner can end')
    project.git('cherry-pick', '--abort')
    expect((await adviceOn(project, 'topic/more', true)).suggestion).toContain('use another name')
    project.put('a.txt', 'mine\n')
    expect((await adviceOn(project, 'topic')).suggestion).toMatch(/^Commit your changes/)
  })
})
