import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect } from 'vitest'
import { makeGitProject } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { getRelatedTests } from '../../src/domains/toolbox/knowledge/get-related-tests.ts'
import { verifies } from '../requirements/verifies.ts'

function writeAt(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

describe('the history', { timeout: 120_000 }, () => {
  verifies(
    'TOOL-104',
    'of a linked work tree, or with borrowed objects, is not looked at, and why is told',
    async () => {
      await using project = makeGitProject()
      project.put('a.ts', 'x\n')
      project.put('a.test.ts', 'x\n')
      const { root, base } = project
      const noteOf = async () => {
        const { tests, notes } = await project.call(getRelatedTests, { file_path: 'a.ts' })
        expect(tests).toMatchObject([{ path: 'a.test.ts' }])
        return notes.join()
      }
      writeAt(join(root, '.git/objects/info/alternates'), `${base}/objects\n`)
      expect(await noteOf()).toMatch(
        /borrows objects .* \.git\/objects\/info\/alternates names; `git repack -a -d`/,
      )
      rmSync(join(root, '.git/objects/info/alternates'))
      renameSync(join(root, '.git'), join(base, 'kept'))
      const places = { elsewhere: `${base}/kept`, linked: `${base}/kept/worktrees/shop` }
      const told = {
        elsewhere: '.git is a file that leads to another place',
        linked: 'made by `git worktree add`',
      }
      for (const kind of ['elsewhere', 'linked'] as const) {
        writeAt(join(root, '.git'), `gitdir: ${places[kind]}\n`)
        const note = await noteOf()
        expect(note).toContain(told[kind])
        expect(note).not.toContain(base)
      }
    },
  )
})
