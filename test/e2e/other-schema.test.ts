import { readFileSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { runProgram, temporaryHome } from './hub-process.fixture.ts'

/** A home that was used, and whose database was then changed behind the program's back. */
async function changedHome(change: string): Promise<ReturnType<typeof temporaryHome>> {
  const at = temporaryHome()
  const made = await runProgram(['token', 'create', '--role', 'viewer', '--home', at.home.folder])
  expect([made.code, made.stderr]).toEqual([0, ''])
  const database = new BetterSqlite(at.home.database)
  database.exec(change)
  database.close()
  return at
}

test('a database without all tables of its version is refused by name, by every command, and left alone', async () => {
  using at = await changedHome('DROP TABLE owner_links; DROP TABLE hub_locks')
  const before = readFileSync(at.home.database)
  for (const command of [['doctor'], ['whoami'], ['serve', '--port', '0']]) {
    const { code, stderr, stdout } = await runProgram([...command, '--home', at.home.folder])
    expect([command[0], code, stdout]).toEqual([command[0], 1, ''])
    expect(stderr).toContain(`${at.home.database}: The table hub_locks is missing, and 1 more:`)
    expect(stderr).toContain('STORAGE_DAMAGED')
  }
  expect(readFileSync(at.home.database).equals(before)).toBe(true)
})

test('a hub that fails to say how to sign in ends instead of serving on behind its error', async () => {
  using at = await changedHome('ALTER TABLE owner_account RENAME COLUMN password_hash TO other')
  const { code, signal, stderr } = await runProgram(['serve', '--port', '0', '--home', at.home.folder])
  expect([code, signal]).toEqual([1, null])
  expect(stderr).toContain('Error (')
})
