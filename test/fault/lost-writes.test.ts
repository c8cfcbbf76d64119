import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { homeAt } from '../../src/platform/basics/home.ts'
import { runProgram, spawnHub } from '../e2e/hub-process.fixture.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { seededChance } from '../store/faulty-database.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'
import {
  copyOf,
  IS_LONG,
  type KilledHome,
  killedHome,
  outcomeOf,
  printTable,
  ROUNDS,
  told,
} from './fault-home.fixture.ts'

printTable()
const LIMIT_MS = IS_LONG ? 1_200_000 : 120_000
const chance = seededChance(4_747)

let killed: KilledHome
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-fault-'))
  killed = await killedHome(folder)
  return () => rmSync(folder, { recursive: true, force: true })
}, 60_000)

const copy = () => copyOf(killed, join(temporaryFolder(), 'copy'))

test('a home whose hub was killed opens with all that was acknowledged', async () => {
  expect(told('killed', (await outcomeOf(copy())).outcome)).toBe('whole')
})

test(
  'a flipped bit anywhere in the write-ahead log takes nothing back in silence',
  async () => {
    const size = statSync(`${killed.home.database}-wal`).size
    for (let round = 0; round < ROUNDS; round++) {
      const one = copy()
      const path = `${one.home.database}-wal`
      const bytes = readFileSync(path)
      // Half of them near the end, where nothing lies behind that could show the damage.
      const from = round % 2 ? 0 : size - 3 * 4_120
      const place = Math.floor(from + chance() * (size - from))
      bytes[place] = (bytes[place] ?? 0) ^ (1 << Math.floor(chance() * 8))
      writeFileSync(path, bytes)
      const { outcome, said } = await outcomeOf(one)
      expect([place, told('bit flip in the WAL', outcome), said]).not.toContain('lost')
    }
  },
  LIMIT_MS,
)

test(
  'a write-ahead log that was cut short takes nothing back in silence',
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const one = copy()
      const path = `${one.home.database}-wal`
      const bytes = readFileSync(path)
      writeFileSync(path, bytes.subarray(0, Math.floor(chance() * bytes.length)))
      const { outcome, said } = await outcomeOf(one)
      expect([told('WAL cut short', outcome), said]).not.toContain('lost')
    }
  },
  LIMIT_MS,
)

test(
  'without its write-ahead log, copied alone or of an older time, the database is refused by name',
  async () => {
    const deleted = copy()
    rmSync(`${deleted.home.database}-wal`)
    rmSync(`${deleted.home.database}-shm`, { force: true })
    const { outcome, said } = await outcomeOf(deleted)
    expect([told('WAL deleted', outcome), said.includes(deleted.home.auditWitness)]).toEqual([
      'refused',
      true,
    ])

    const older = copy()
    const hub = await spawnHub({ home: older.home.folder })
    await hub.end('SIGTERM')
    const before = readFileSync(older.home.database)
    const again = await spawnHub({ home: older.home.folder })
    const locked = await runProgram(['lock', 'agent', 'tok_of_a_thief', '--home', older.home.folder])
    expect(locked.code).toBe(0)
    await again.end('SIGTERM')
    writeFileSync(older.home.database, before)
    expect(told('older .db copied alone', (await outcomeOf(older)).outcome)).toBe('refused')

    // The owner may go on, and that stays on record.
    const accepted = await runProgram(['audit', 'accept-loss', '--home', older.home.folder])
    expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringContaining('goes on without records')])
    const list = await runProgram([
      'audit',
      'list',
      '--json',
      '--operation',
      'audit_loss_accepted',
      '--home',
      older.home.folder,
    ])
    expect(JSON.parse(list.stdout)).toMatchObject({ records: [{ target_kind: 'audit_records' }] })
    const doctor = await runProgram(['doctor', '--json', '--home', older.home.folder])
    expect(doctor.stdout).toContain('accepted')
  },
  LIMIT_MS,
)

test('a witness that was taken away, emptied or is of another key is missed', async () => {
  for (const damage of [
    (path: string) => rmSync(path),
    (path: string) => writeFileSync(path, ''),
    (path: string) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace(/[0-9a-f]{64}(?= *\n)/g, 'f'.repeat(64))),
  ]) {
    const one = copy()
    damage(one.home.auditWitness)
    const { outcome, said } = await outcomeOf(one)
    expect([told('witness taken away', outcome), said.includes(one.home.auditWitness)]).toEqual([
      'refused',
      true,
    ])
  }
})

test('a database that is gone or was emptied is not made anew where the key is in the environment', async () => {
  const env = { KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }
  for (const damage of [rmSync, (path: string) => writeFileSync(path, '')]) {
    const home = homeAt(join(temporaryFolder(), 'home'), {})
    const run = (...args: string[]) => runProgram([...args, '--home', home.folder], env)
    mkdirSync(home.folder, { mode: 0o700 })
    expect((await run('token', 'create', '--role', 'viewer')).code).toBe(0)
    damage(home.database)
    const files = readdirSync(home.folder)
    const { code, stderr } = await run('token', 'list')
    told('database gone, key in the environment', code === 0 ? 'lost' : 'refused')
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(home.database)])
    expect(stderr).toContain('audit accept-loss')
    expect(readdirSync(home.folder)).toEqual(files)
    expect(await run('audit', 'accept-loss')).toMatchObject({ code: 0 })
    expect((await run('doctor')).stdout).toContain('accepted loss')
  }
})

test.each(['folder', 'pipe'])('a %s in the place of the witness is refused by name', async (kind) => {
  const { home } = copy()
  rmSync(home.auditWitness)
  spawnSync(kind === 'pipe' ? 'mkfifo' : 'mkdir', [home.auditWitness])
  const { code, stderr } = await runProgram(['token', 'list', '--home', home.folder])
  told(`${kind} as the witness`, code === 0 ? 'lost' : 'refused')
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining(`${home.auditWitness} is not`)])
})

test(
  'a witness with a flipped bit or a torn end keeps no whole home from opening',
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const one = copy()
      const bytes = readFileSync(one.home.auditWitness)
      const place = Math.floor(chance() * bytes.length)
      bytes[place] = (bytes[place] ?? 0) ^ (1 << Math.floor(chance() * 8))
      // Where one page was torn the places of the other ends are still there.
      writeFileSync(one.home.auditWitness, round % 2 ? bytes : bytes.subarray(0, 8_192 + place / 2))
      const { outcome, said } = await outcomeOf(one)
      expect([told('bit flip or torn end of the witness', outcome), said]).not.toContain('lost')
    }
  },
  LIMIT_MS,
)

test.each(['knowtation.db', 'knowtation.db-wal', 'knowtation.db-shm', 'audit-witness'])(
  'a running hub notices that its %s was unlinked',
  async (name) => {
    const one = copy()
    const hub = await spawnHub({ home: one.home.folder })
    const health = () => send(hub.url, { path: '/healthz' })
    expect((await health()).status).toBe(200)
    rmSync(join(one.home.folder, name))
    await expect.poll(async () => (await health()).status, { timeout: 10_000 }).toBe(503)
    await hub.end('SIGKILL')
    told(`${name} unlinked under a running hub`, 'refused')
  },
)
