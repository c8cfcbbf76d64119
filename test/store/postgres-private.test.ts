import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { installedPostgres } from './postgres-program.ts'
import { startPostgres } from './postgres-server.ts'

/** The programs as they lie in a checkout that only its owner may enter. */
function privatePrograms(): string {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-private-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o700)
  const native = join(folder, 'native')
  cpSync(installedPostgres(), native, { recursive: true, verbatimSymlinks: true })
  // So does a checkout that was made with a strict umask.
  for (const path of ['bin', 'lib', 'bin/initdb', 'bin/postgres']) chmodSync(join(native, path), 0o700)
  return native
}

async function answersAt(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: `${url}/postgres` })
  await client.connect()
  const { rows } = await client.query('SELECT current_setting($1) AS folder', ['data_directory'])
  await client.end()
  return rows[0]?.folder
}

test('the tests get their PostgreSQL in a checkout that only root may enter, and leave nothing of it', async () => {
  const server = await startPostgres(privatePrograms())
  const folder = String(await answersAt(server.url))
  expect(existsSync(folder)).toBe(true)
  await server.stop()
  expect(existsSync(join(folder, '..'))).toBe(false)
})

test('a TMPDIR that only root may enter does not keep it from starting', async () => {
  const closed = mkdtempSync(join(tmpdir(), 'knowtation-closed-'))
  onTestFinished(() => rmSync(closed, { recursive: true, force: true }))
  mkdirSync(join(closed, 'tmp'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = join(closed, 'tmp')
  onTestFinished(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  })
  const server = await startPostgres()
  expect(await answersAt(server.url)).toMatch(/\/data$/)
  await server.stop()
})
