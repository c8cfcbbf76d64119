import { expect, test } from 'vitest'
import { parseAuditKey } from '../../src/platform/audit/audit-key.ts'
import { verifyChain } from '../../src/platform/audit/verify-chain.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { type Database, sql } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { freshPostgresUrl } from './postgres-server.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { startWriter } from './writer-process.ts'

const key = parseAuditKey('ab'.repeat(32), 'test')
const NOW = new Date('2026-11-01T00:00:00.000Z')
const acts = sql<{ key: string }>("SELECT key FROM hub_meta WHERE value = 'act'")

async function checkStore(db: Database, acknowledged: readonly string[]): Promise<number> {
  const report = await verifyChain(db, key)
  const kept = new Set((await db.all(acts)).map((row) => row.key))
  expect(report).toMatchObject({ intact: true, fault: null, records: kept.size })
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
  return kept.size
}

test('whatever was acknowledged survives kill -9 at any moment', async () => {
  const folder = temporaryFolder()
  const acknowledged: string[] = []
  for (let round = 0; round < 10; round++) {
    const writer = startWriter(folder, `round${round}`, 1_000_000)
    while (writer.acknowledged().length === 0 && writer.child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 2))
    await new Promise((resolve) => setTimeout(resolve, (round * 37) % 90))
    writer.child.kill('SIGKILL')
    expect((await writer.ended).errors).toBe('')
    acknowledged.push(...writer.acknowledged())
    const db = await openDatabase(homeAt(folder, {}), {}, NOW, { checkIntegrity: true })
    await checkStore(db, acknowledged)
    await db.close()
  }
  expect(acknowledged.length).toBeGreaterThan(10)
}, 60_000)

async function severalProcesses(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const db = await openDatabase(homeAt(folder, {}), env, NOW)
  try {
    const writers = ['a', 'b', 'c'].map((name) => startWriter(folder, name, 500, { ...process.env, ...env }))
    const ends = await Promise.all(writers.map((writer) => writer.ended))
    for (const end of ends) expect(end).toEqual({ code: 0, errors: '' })
    const acknowledged = writers.flatMap((writer) => writer.acknowledged())
    expect(acknowledged).toHaveLength(1_500)
    expect(await checkStore(db, acknowledged)).toBe(1_500)
  } finally {
    await db.close()
  }
}

test('several processes write one SQLite file at once: all get their turn, nothing is lost', async () => {
  await severalProcesses(temporaryFolder(), {})
}, 60_000)

test('several processes write one PostgreSQL at once: all get their turn, nothing is lost', async () => {
  await severalProcesses(temporaryFolder(), { KNOWTATION_DATABASE_URL: await freshPostgresUrl() })
}, 60_000)
