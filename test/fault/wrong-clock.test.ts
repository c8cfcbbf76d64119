import { mkdirSync, writeFileSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Home } from '../../src/platform/basics/home.ts'
import { runProgram, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { fakeTime, IS_LONG, printTable, told } from './fault-home.fixture.ts'

printTable()
/** A hub looks some seconds after its start what may go. */
const PATIENCE = { timeout: 60_000, interval: 200 }
const OFFSETS = IS_LONG ? ['+100d', '+3650d', '-3650d', '+91d'] : ['+100d']

async function verified(folder: string): Promise<{ intact: boolean; records: number; pruned: unknown }> {
  const { stdout } = await runProgram(['audit', 'verify', '--json', '--home', folder])
  return JSON.parse(stdout) as { intact: boolean; records: number; pruned: unknown }
}

/** When a hub of the home looked last what may go, by the machine's own count of its time. */
function lastLook({ database }: Home): unknown {
  const db = new BetterSqlite(database, { readonly: true })
  try {
    return db.prepare(`SELECT value FROM hub_meta WHERE key = 'audit_retention_boot'`).get()
  } finally {
    db.close()
  }
}

/** Starts a hub at another time, and stops it once it has looked what may go. */
async function startAt(home: Home, env: Record<string, string>): Promise<void> {
  const before = lastLook(home)
  const hub = await spawnHub({ home: home.folder, env })
  await expect.poll(() => lastLook(home), PATIENCE).not.toEqual(before)
  await hub.end('SIGTERM')
}

test('a clock that jumps ahead in small steps, with a start of the hub at each, empties no log', async () => {
  using at = temporaryHome()
  const { folder } = at.home
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(at.home.config, 'audit: { max_age_days: 3 }\n', { mode: 0o600 })
  for (let times = 0; times < 5; times++)
    await runProgram(['token', 'create', '--role', 'viewer', '--home', folder])
  const { records } = await verified(folder)
  for (let step = 0; step <= (IS_LONG ? 12 : 2); step++)
    await startAt(at.home, step > 0 ? fakeTime(`+${step * 2.5}d`) : {})
  const after = await verified(folder)
  told('clock ahead in small steps', after.records >= records ? 'whole' : 'lost')
  expect(after).toMatchObject({ intact: true, pruned: null })
}, 300_000)

test.each(OFFSETS)(
  'a hub that is started at %s empties no log, however often it is',
  async (offset) => {
    using at = temporaryHome()
    const { folder } = at.home
    for (let times = 0; times < 10; times++)
      await runProgram(['token', 'create', '--role', 'viewer', '--home', folder])
    const { records } = await verified(folder)
    for (let times = 0; times < (IS_LONG ? 3 : 1); times++) await startAt(at.home, fakeTime(offset))
    const after = await verified(folder)
    told(`clock at ${offset}`, after.records >= records ? 'whole' : 'lost')
    expect(after).toMatchObject({ intact: true, pruned: null })
    expect(after.records).toBeGreaterThan(records)
  },
  120_000,
)
