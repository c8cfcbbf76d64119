import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { findOwnProcess } from '../../basics/process-name.ts'
import { makeProject } from '../guard-project.fixture.ts'
import { newDraftName } from './draft-name.ts'

const DRAFT = '.guard-tmp.0123456789abcdef0123456'

test('takes away what killed processes have left in the folder, and nothing else', () => {
  const project = makeProject()
  const guard = project.open()
  const hour_ago = Date.now() / 1_000 - 3_700
  const leave = (name: string, at = hour_ago) => {
    writeFileSync(project.in(`drafts/${name}`), 'half')
    utimesSync(project.in(`drafts/${name}`), at, at)
  }
  mkdirSync(project.in(`drafts/${DRAFT}0`), { recursive: true })
  leave(`${DRAFT}7`)
  leave('.guard-tmp.notes')
  leave(`${DRAFT}8`, Date.now() / 1_000)
  leave('guard-tmp.txt')
  symlinkSync('guard-tmp.txt', project.in(`drafts/${DRAFT}9`))
  guard.writeFile('drafts/a.txt', Buffer.from('new'))
  const drafts = [0, 8, 9].map((end) => `${DRAFT}${end}`)
  const left = [...drafts, '.guard-tmp.notes', 'a.txt', 'guard-tmp.txt']
  expect(readdirSync(project.in('drafts')).toSorted()).toEqual(left)
  leave(`${DRAFT}7`)
  guard.writeFile('drafts/a.txt', Buffer.from('new'))
  expect(readdirSync(project.in('drafts'))).toContain(`${DRAFT}7`)
  project.remove()
})

test('takes away at once what a process has left that is gone, and not what one has that runs', () => {
  const project = makeProject()
  const guard = project.open()
  mkdirSync(project.in('drafts'))
  const own = newDraftName()
  const { pid } = findOwnProcess() as { pid: number }
  expect(own).toContain(`.${pid}.`)
  // The same number and another start: that process is no more.
  const gone = own.replace(/(\.\d+\.)\d+(\.)/, '$11$2')
  const elsewhere = gone.replace(/[0-9a-f]{16}(?=\.[0-9a-f]{24}$)/, '0123456789abcdef')
  for (const name of [own, gone, elsewhere]) writeFileSync(project.in(`drafts/${name}`), 'half')
  guard.writeFile('drafts/a.txt', Buffer.from('new'))
  expect(readdirSync(project.in('drafts')).toSorted()).toEqual([own, elsewhere, 'a.txt'].toSorted())
  writeFileSync(project.in(`drafts/${gone}`), 'half')
  const now_ms = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now_ms + 61_000)
  guard.writeFile('drafts/a.txt', Buffer.from('newer'))
  vi.restoreAllMocks()
  expect(readdirSync(project.in('drafts')).toSorted()).toEqual([own, elsewhere, 'a.txt'].toSorted())
  project.remove()
})
