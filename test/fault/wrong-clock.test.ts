import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runProgram, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { fakeTime, IS_LONG, printTable, told } from './fault-home.fixture.ts'

printTable()
/** A hub prunes some seconds after its start. */
const LONG_ENOUGH_MS = 8_000
const OFFSETS = IS_LONG ? ['+100d', '+3650d', '-3650d', '+91d'] : ['+100d']

async function verified(folder: string): Promise<{ intact: boolean; records: number; pruned: unknown }> {
  const { stdout } = await runProgram(['audit', 'verify', '--json', '--home', folder])
  return JSON.parse(stdout) as { intact: boolean; records: number; pruned: unknown }
}

test('a clock that jumps ahead in small steps, with a start of the hub at each, empties no log', async () => {
  using at = temporaryHome()
  const { folder } = at.home
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(at.home.config, 'audit: { max_age_days: 3 }\n', { mode: 0o600 })
  for (let times = 0; times < 5; times++)
    await runProgram(['token', 'create', '--role', 'viewer', '--home', folder])
  const { records } = await verified(folder)
  for (let step = 0; step <= (IS_LONG ? 12 : 2); step++) {
    const hub = await spawnHub({ home: folder, env: step > 0 ? fakeTime(`+${step * 2.5}d`) : {} })
    await pause(LONG_ENOUGH_MS)
    await hub.end('SIGTERM')
  }
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
    for (let times = 0; times < (IS_LONG ? 3 : 1); times++) {
      const hub = await spawnHub({ home: folder, env: fakeTime(offset) })
      await pause(LONG_ENOUGH_MS)
      await hub.end('SIGTERM')
    }
    const after = await verified(folder)
    told(`clock at ${offset}`, after.records >= records ? 'whole' : 'lost')
    expect(after).toMatchObject({ intact: true, pruned: null })
    expect(after.records).toBeGreaterThan(records)
  },
  120_000,
)
