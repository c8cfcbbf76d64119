import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeShop } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { gitStatus } from '../../src/domains/toolbox/git/git-status.ts'

test('git_status takes no file for deleted whose name no tool takes', async () => {
  await using project = makeShop()
  const no_text = Buffer.concat([Buffer.from(`${project.service_root}/`), Buffer.from([0x62, 0xff, 0x64])])
  project.put('two\nlines/x.txt', 'x\n')
  writeFileSync(no_text, 'x\n')
  project.commitAll()
  project.put('two\nlines/x.txt', 'y\n')
  expect(await project.call(gitStatus, {})).toMatchObject({ stdout: '## main\n', unstaged: [], hidden: 2 })
})

test.each([
  ['a folder became a file', '', 'd', ['d']],
  ['a folder is ignored in which something is tracked', 'd/\n', 'd/new.txt', ['.gitignore']],
])('git_status tells what is untracked where %s', async (_, rules, path, untracked) => {
  await using project = makeShop()
  project.put('d/e.txt', 'x\n')
  project.commitAll()
  if (path === 'd') rmSync(join(project.service_root, 'd'), { recursive: true })
  if (rules !== '') project.put('.gitignore', rules)
  project.put(path, 'x\n')
  expect((await project.call(gitStatus, {})).untracked).toEqual(untracked)
})
