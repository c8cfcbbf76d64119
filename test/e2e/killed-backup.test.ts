import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { runProgram, startProgram, temporaryHome } from './hub-process.fixture.ts'

test('a backup that is killed leaves the keys lying about only until the next one', async () => {
  using at = temporaryHome()
  const home = ['--home', at.home.folder]
  expect((await runProgram(['token', 'create', '--role', 'viewer', ...home])).code).toBe(0)
  // Whoever has the database to themselves keeps a backup waiting, after it has copied the keys.
  const holder = new BetterSqlite(at.home.database)
  holder.pragma('locking_mode = EXCLUSIVE')
  holder.exec('BEGIN EXCLUSIVE; COMMIT')
  const backup = startProgram(['backup', 'create', join(at.folder, 'first'), ...home])
  const drafts = () => readdirSync(at.folder).filter((name) => name.startsWith('first.partial-'))
  const hasKey = (name: string) => existsSync(join(at.folder, name, 'home', 'audit-key'))
  while (!drafts().some(hasKey) && backup.child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 5))
  backup.child.kill('SIGKILL')
  expect((await backup.exited).signal).toBe('SIGKILL')
  holder.close()
  const [left = '', ...more] = drafts()
  expect([hasKey(left), more]).toEqual([true, []])

  const { code, stdout } = await runProgram(['backup', 'create', join(at.folder, 'second'), ...home])
  expect([code, stdout.split('\n')[0]]).toEqual([
    0,
    `Removed ${join(at.folder, left)}, which a backup that was broken off had left.`,
  ])
  expect(readdirSync(at.folder).toSorted()).toEqual(['home', 'second'])
}, 60_000)
