import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, inject, test } from 'vitest'
import { freshPostgresUrl } from '../../../../test/store/postgres-server.ts'
import { sql } from '../../../platform/storage/database.ts'
import { openPostgres } from '../../../platform/storage/postgres/postgres.ts'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

const COMMANDS = ['flow list', 'doctor', 'serve --port 0']

/** A home that has been used, and where its database is. */
async function usedHome(): Promise<{ home: string; database: string }> {
  const home = temporaryFolder()
  await cliAt(home)('whoami')
  return { home, database: join(home, 'knowtation.db') }
}

describe('a home that cannot be opened says why, and what to do', () => {
  test.each(COMMANDS)('%s: a file in place of the folder', async (line) => {
    const home = join(temporaryFolder(), 'home')
    writeFileSync(home, '')
    const { exit, stderr } = await cliAt(home)(line)
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^Error \(STORAGE_UNAVAILABLE\): \/.+\/home is not a folder\.\nHint: .+\n$/)
  })

  test.each(COMMANDS)('%s: a place that takes no folders', async (line) => {
    const { exit, stderr } = await cliAt('/proc/nowhere/home')(line)
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^Error \(STORAGE_UNAVAILABLE\): .+\nHint: .+\n$/)
  })

  test.each(COMMANDS)('%s: a damaged database, which restoring a backup mends', async (line) => {
    const { home, database } = await usedHome()
    const cli = cliAt(home)
    const backup = join(temporaryFolder(), 'backup')
    await cli(['backup', 'create', backup])
    writeFileSync(database, `garbage${readFileSync(database, 'latin1').slice(7)}`, 'latin1')
    const { exit, stderr } = await cli(line)
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^Error \(STORAGE_DAMAGED\): .+\nHint: .*backup restore FOLDER --force.*\n$/)
    expect((await cli(['backup', 'restore', backup, '--force'])).exit).toBe(0)
    expect((await cli('audit verify')).exit).toBe(0)
  })

  const LOSSES: [string, (database: string) => void][] = [
    ['gone', (database) => rmSync(database)],
    ['empty', (database) => writeFileSync(database, '')],
  ]
  test.each(LOSSES)('a database that is %s is not begun anew beside its key', async (how, lose) => {
    const { home, database } = await usedHome()
    const cli = cliAt(home)
    const backup = join(temporaryFolder(), 'backup')
    await cli(['backup', 'create', backup])
    lose(database)
    const left = readdirSync(home)
    for (const line of [...COMMANDS, 'audit verify']) {
      const { exit, stdout, stderr } = await cli(line)
      expect([exit, stdout]).toEqual([1, ''])
      expect(stderr).toContain(
        `Error (STORAGE_DAMAGED): ${database} is ${how}, although this home was in use.`,
      )
      expect(stderr).toContain(`move ${join(home, 'audit-key')} away`)
    }
    expect(readdirSync(home)).toEqual(left)
    expect((await cli(['backup', 'restore', backup])).exit).toBe(0)
    expect((await cli('audit verify')).stdout).toContain('intact: 2 records')
  })

  test('a home whose database was lost may begin anew without its key', async () => {
    const { home, database } = await usedHome()
    for (const path of [database, join(home, 'audit-key')]) rmSync(path)
    expect(await cliAt(home)('whoami')).toMatchObject({ exit: 0, stderr: '' })
  })

  test.each(['sqlite', 'postgres'])('%s: a key that is lost gets none in its place', async (kind) => {
    const home = temporaryFolder()
    const env = kind === 'sqlite' ? {} : { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
    const cli = cliAt(home, env)
    await cli('whoami')
    const key = join(home, 'audit-key')
    const kept = readFileSync(key)
    rmSync(key)
    const { exit, stderr } = await cli('whoami')
    expect([exit, stderr]).toEqual([1, expect.stringContaining('sealed with another key')])
    expect(existsSync(key)).toBe(false)
    writeFileSync(key, kept)
    expect((await cli('audit verify')).exit).toBe(0)
  })

  test.each(COMMANDS)('%s: tables that are missing, where another home may have been meant', async (line) => {
    const { home, database } = await usedHome()
    const db = new Sqlite(database)
    db.exec('DROP TABLE hub_locks')
    db.close()
    const { exit, stderr } = await cliAt(home)(line)
    expect(exit).toBe(1)
    const [error, hint] = stderr.split('\n')
    expect(error).toContain(`Error (STORAGE_DAMAGED): ${database}: The table hub_locks is missing`)
    for (const way of [
      '--home DIR',
      '`knowtation serve --home DIR`',
      '`knowtation backup restore FOLDER --force`',
    ])
      expect(hint).toContain(way)
  })

  test('tables that are missing on a server, which no --force replaces', async () => {
    const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
    const cli = cliAt(temporaryFolder(), env)
    expect((await cli('whoami')).exit).toBe(0)
    const db = await openPostgres(env.KNOWTATION_DATABASE_URL)
    await db.transaction((tx) => tx.run(sql('DROP TABLE hub_locks')))
    await db.close()
    const { exit, stderr } = await cli('flow list')
    expect(exit).toBe(1)
    expect(stderr).toContain(
      'Error (STORAGE_DAMAGED): The database named by KNOWTATION_DATABASE_URL: The table',
    )
    expect(stderr).toMatch(/^Hint: If another database was meant, name it in KNOWTATION_DATABASE_URL/m)
    expect(stderr).not.toMatch(/--force|--home/)
  })

  test.each(COMMANDS)('%s: a PostgreSQL that is not there, or does not let us in', async (line) => {
    const address = new URL(inject('postgresUrl'))
    address.pathname = '/no_such_database'
    const closed = new URL(address)
    closed.port = '1'
    const stranger = new URL(address)
    stranger.password = 'not-the-password'
    for (const [url, reason] of [
      [address, 'database "no_such_database" does not exist'],
      [closed, 'connect ECONNREFUSED 127.0.0.1:1'],
      [stranger, 'password authentication failed for user "postgres"'],
    ] as const) {
      const { exit, stderr } = await cliAt(temporaryFolder(), { KNOWTATION_DATABASE_URL: url.href })(line)
      const said = `The database named by KNOWTATION_DATABASE_URL cannot be opened: ${reason}.`
      expect(exit).toBe(1)
      expect(stderr).toContain(`Error (STORAGE_UNAVAILABLE): ${said}\nHint: Check that PostgreSQL runs`)
      expect(stderr).not.toContain(url.password)
    }
  })

  test.each(COMMANDS)('%s: a database of a newer program', async (line) => {
    const { home, database } = await usedHome()
    const db = new Sqlite(database)
    db.exec(
      'UPDATE schema_version SET version = 1000 WHERE version = (SELECT MAX(version) FROM schema_version)',
    )
    db.exec(`UPDATE hub_meta SET value = '1000' WHERE key = 'schema_open_to'`)
    db.close()
    const { exit, stderr } = await cliAt(home)(line)
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^Error \(STORAGE_TOO_NEW\): .+\nHint: .+\n$/)
  })
})
