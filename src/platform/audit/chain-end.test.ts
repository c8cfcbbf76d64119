import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { auditStore } from '../../../test/store/audit-store.ts'
import { temporaryFolder } from '../../../test/store/temporary-folder.ts'
import { sql } from '../storage/database.ts'
import { openSqlite } from '../storage/sqlite/sqlite.ts'
import { type AuditLog, openAuditLog } from './audit-log.ts'
import { chainEnd } from './chain-end.ts'
import { verifyChain } from './verify-chain.ts'

const readHead = sql<{ seq: number }>('SELECT seq FROM audit_head')

/** One home opened by two processes, as far as the chain can tell. */
async function twoHubs() {
  const path = join(temporaryFolder(), 'store.db')
  const store = await auditStore(0, openSqlite(path))
  const other = openSqlite(path)
  onTestFinished(() => other.close())
  return { store, hubs: [store, { db: other, log: await openAuditLog(other, store.key) }] as const }
}

test('whoever appends, whatever fails and whoever prunes: one sound chain without a gap', async () => {
  const { store, hubs } = await twoHubs()
  const step = fc.record({
    by: fc.constantFrom(0 as const, 1 as const),
    how: fc.constantFrom('alone', 'many', 'twice in one', 'fails', 'moved too'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const before = (await store.db.get(readHead))?.seq ?? 0
      let added = 0
      for (const { by, how } of steps) added += await appendBy(hubs[by], how)
      expect((await store.db.get(readHead))?.seq).toBe(before + added)
      expect(await verifyChain(store.db, store.key)).toMatchObject({ intact: true, last_seq: before + added })
    }),
    { numRuns: 25 },
  )
})

async function appendBy(
  { db, log }: Pick<Awaited<ReturnType<typeof auditStore>>, 'db' | 'log'>,
  how: string,
) {
  if (how === 'alone') await log.append(auditRecord())
  if (how === 'many') await Promise.all([1, 2, 3].map((n) => log.append(auditRecord({ target_id: `${n}` }))))
  if (how === 'twice in one') await db.transaction((tx) => twice(log, tx))
  if (how === 'moved too') await db.transaction(async (tx) => log.moveHead(tx, await log.lockHead(tx)))
  if (how === 'fails') {
    const failing = db.transaction(async (tx) => {
      await twice(log, tx)
      throw new Error('not kept')
    })
    await expect(failing).rejects.toThrow('not kept')
  }
  return { alone: 1, many: 3, 'twice in one': 2 }[how] ?? 0
}

async function twice(log: AuditLog, tx: Parameters<AuditLog['appendIn']>[0]): Promise<void> {
  await log.appendIn(tx, [auditRecord({ target_id: 'one' })])
  await log.appendIn(tx, [auditRecord({ target_id: 'two' })])
}

test.each(['seq = seq - 1', `hash = '${'1'.repeat(64)}'`, 'checkpoint_seq = 1', `mac = 'x'`])(
  'an end that this process has sealed itself is not moved on after it was changed: %s',
  async (change) => {
    const { db, key, tamper } = await auditStore(3)
    const end = chainEnd('sqlite', key)
    const move = () =>
      db.transaction((tx) => end.moveOn(tx, ({ seq, ...rest }) => ({ ...rest, seq: seq + 1 })))
    expect(await move()).toBeUndefined()
    await db.transaction(async (tx) => end.move(tx, await end.lock(tx)))
    expect(await move()).toMatchObject({ seq: 4 })
    await tamper(`UPDATE audit_head SET ${change}`)
    expect(await move()).toBeUndefined()
    await expect(db.transaction((tx) => end.lock(tx))).rejects.toThrow('changed from outside')
  },
)
