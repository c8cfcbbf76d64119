import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { chainHash, type LedgerRow } from '../../src/domains/boundary/ledger/ledger-record.ts'
import { type Database, type Statement, sql } from '../../src/platform/storage/database.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { DATABASES } from '../harness/test-hub.ts'
import {
  addEntry,
  ask,
  type BoundaryHub,
  entryCount,
  inputOf,
  run,
  startBoundaryHub,
  traceRun,
} from './boundary-hub.ts'
import { goodAnswer } from './probe-engine.ts'

const ADMIN = { as: 'admin' } as const

/** Does something to the store behind the hub's back, and takes it back afterwards. */
async function tampered<Result>(
  db: Database,
  acts: readonly Statement<never>[],
  undo: readonly Statement<never>[],
  look: () => Promise<Result>,
): Promise<Result> {
  const runAll = (statements: readonly Statement<never>[]) =>
    db.transaction(async (tx) => {
      for (const statement of statements) await tx.run(statement)
    })
  await runAll(acts)
  try {
    return await look()
  } finally {
    await runAll(undo)
  }
}

describe.each(DATABASES)('the ledger on %s', (database) => {
  let hub: BoundaryHub
  beforeAll(async () => {
    hub = await startBoundaryHub({ database })
    for (let turn = 0; turn < 3; turn++) await run(hub, inputOf())
    await addEntry(hub, 'led-derived', 't-001', { depends_on: ['led-100', 'led-200'] })
    await addEntry(hub, 'led-foreign', 't-002')
  })
  afterEach(() => void (hub.probe.answer = goodAnswer))
  afterAll(() => hub.close())

  const verify = async () => (await ask(hub, 'ledger_verify', {}, ADMIN)).body
  const E = `UPDATE ledger_entries SET`

  test('is a chain of its own for each tenant', async () => {
    const report = await verify()
    expect(report).toMatchObject({ intact: true, fault: null })
    expect(report.tenants).toEqual([
      { tenant_id: 't-001', intact: true, entries: 9, fault: null },
      { tenant_id: 't-002', intact: true, entries: 1, fault: null },
    ])
    expect((await ask(hub, 'ledger_verify', { tenant_id: 't-003' }, ADMIN)).code).toBe('unknown_tenant')
  })

  test.each([
    [
      'a payload was changed',
      [`${E} payload_json = '{"of":"x"}' WHERE id = 'led-100'`],
      [`${E} payload_json = '{"of":"led-100"}' WHERE id = 'led-100'`],
      'Entry 1 was changed',
    ],
    [
      'a state was changed',
      [`${E} state = 'approved' WHERE id = 'led-200'`],
      [`${E} state = 'recorded' WHERE id = 'led-200'`],
      'Entry 2 was changed',
    ],
    [
      'an entry went to another tenant',
      [`${E} tenant_id = 't-009' WHERE id = 'led-100'`],
      [`${E} tenant_id = 't-001' WHERE id = 'led-100'`],
      'Entry 1 is missing',
    ],
    [
      'the head was cut back',
      [`UPDATE ledger_heads SET seq = 8 WHERE tenant_id = 't-001'`],
      [`UPDATE ledger_heads SET seq = 9 WHERE tenant_id = 't-001'`],
      'The head of the chain was changed',
    ],
    [
      'a link was added',
      [`INSERT INTO ledger_links (vault_id, id, depends_on) VALUES ('default', 'led-200', 'led-100')`],
      [`DELETE FROM ledger_links WHERE id = 'led-200'`],
      'The links of an entry',
    ],
    [
      'a link was removed',
      [`DELETE FROM ledger_links WHERE id = 'led-derived' AND depends_on = 'led-100'`],
      [`INSERT INTO ledger_links (vault_id, id, depends_on) VALUES ('default', 'led-derived', 'led-100')`],
      'The links of an entry',
    ],
    [
      'a link belongs to nothing',
      [`INSERT INTO ledger_links (vault_id, id, depends_on) VALUES ('default', 'led-x', 'led-y')`],
      [`DELETE FROM ledger_links WHERE id = 'led-x'`],
      'A link belongs to no entry',
    ],
    [
      'an entry moved',
      [`${E} seq = 99 WHERE id = 'led-derived'`],
      [`${E} seq = 9 WHERE id = 'led-derived'`],
      'Entry 9 is missing',
    ],
  ])('shows when %s', async (_what, acts, undo, fault) => {
    const report = await tampered(
      hub.hub.db,
      acts.map((text) => sql(text)),
      undo.map((text) => sql(text)),
      verify,
    )
    expect(report.intact).toBe(false)
    expect(report.fault).toContain(fault)
    expect((await verify()).intact).toBe(true)
  })

  test.each([2, 9])('shows when entry %i was rewritten together with its own hash', async (seq) => {
    const read = sql<LedgerRow>(`SELECT * FROM ledger_entries WHERE tenant_id = 't-001' AND seq = ?`)
    const [before, row] = [
      await hub.hub.db.get(read, seq - 1),
      await hub.hub.db.get(read, seq),
    ] as LedgerRow[]
    if (!before || !row) throw new Error('There is no such entry.')
    const put = (state: string, hash: string) =>
      sql(`${E} state = '${state}', hash = '${hash}' WHERE tenant_id = 't-001' AND seq = ${seq}`)
    const fitting = chainHash(before.hash, { ...row, state: 'approved' })
    const report = await tampered(hub.hub.db, [put('approved', fitting)], [put(row.state, row.hash)], verify)
    // The next entry builds on the hash that was, and after the last one the sealed head does.
    expect(report.fault).toContain(seq === 9 ? 'Entry 9 was changed' : `Entry ${seq + 1} was changed`)
    expect((await verify()).intact).toBe(true)
  })

  test('is walked both ways', async () => {
    const up = (await ask(hub, 'ledger_lineage', { ledger_id: 'led-derived' })).body
    expect(up.nodes.map(({ id, depth }: any) => [id, depth])).toEqual([
      ['led-derived', 0],
      ['led-100', 1],
      ['led-200', 1],
    ])
    expect(up.edges).toEqual([
      { id: 'led-derived', dependsOnLedgerId: 'led-100' },
      { id: 'led-derived', dependsOnLedgerId: 'led-200' },
    ])
    const down = (await ask(hub, 'ledger_lineage', { ledger_id: 'led-200', direction: 'down' })).body
    expect(down.nodes.map(({ id }: any) => id)).toEqual(['led-200', 'led-derived'])
    const few = (await ask(hub, 'ledger_lineage', { ledger_id: 'led-100', direction: 'down', limit: 3 })).body
    expect([few.nodes.length, few.truncated]).toEqual([3, true])
    expect((await ask(hub, 'ledger_lineage', { ledger_id: 'led-nope' })).code).toBe('unknown_ledger_entry')
  })

  test('is listed in pages that leave nothing out and repeat nothing', async () => {
    for (const input of [{}, { tenant_id: 't-001' }]) {
      const whole = (await ask(hub, 'ledger_list', { ...input, limit: 200 })).body.entries
      const paged: unknown[] = []
      let cursor: string | null | undefined
      while (cursor !== null) {
        const page = (await ask(hub, 'ledger_list', { ...input, limit: 2, ...(cursor && { cursor }) })).body
        paged.push(...page.entries)
        cursor = page.next_cursor
      }
      expect(paged).toEqual(whole)
      expect(whole.length).toBeGreaterThan(8)
    }
    expect((await ask(hub, 'ledger_list', { cursor: 'nonsense' })).code).toBe('BAD_REQUEST')
  })

  test('takes the same entry once under one id, and nothing else under it', async () => {
    const entry = {
      tenant_id: 't-001',
      ledger_id: 'led-once',
      source: 'crm',
      type: 'signal',
      payload: { a: 1, b: 2 },
    }
    const count = await entryCount(hub)
    const first = await ask(hub, 'ledger_append', entry)
    const again = await ask(hub, 'ledger_append', { ...entry, payload: { b: 2, a: 1 } })
    expect([first.body.idempotent, again.body.idempotent]).toEqual([false, true])
    expect(again.body.entry).toEqual(first.body.entry)
    for (const change of [
      { payload: { a: 2 } },
      { tenant_id: 't-002' },
      { type: 'note' },
      { depends_on: ['led-100'] },
    ]) {
      expect((await ask(hub, 'ledger_append', { ...entry, ...change })).code).toBe('IDEMPOTENCY_CONFLICT')
    }
    const foreign = await ask(hub, 'ledger_append', {
      ...entry,
      ledger_id: 'led-two',
      depends_on: ['led-foreign'],
    })
    expect(foreign.code).toBe('MISSING_LINEAGE')
    const forged = await ask(hub, 'ledger_append', {
      ...entry,
      ledger_id: 'led-three',
      type: 'execution_event',
    })
    expect([forged.code, (await entryCount(hub)) - count]).toEqual(['BAD_REQUEST', 1])
  })

  test('is exported in signed lines that verify anywhere, and show every change', async () => {
    const env = { ...hub.options.env, KNOWTATION_DATABASE_URL: hub.options.env.KNOWTATION_DATABASE_URL }
    const file = join(hub.home.folder, 'ledger.jsonl')
    const made = await runInProcess(['ledger', 'export', '--tenant-id', 't-001', '--out', file], env)
    expect(made.exit).toBe(0)
    const check = async (text: string) => {
      writeFileSync(file, text)
      const { exit, stdout } = await runInProcess(['ledger', 'verify', '--file', file, '--json'], {})
      const report = JSON.parse(stdout)
      expect(exit).toBe(report.intact ? 0 : 1)
      return report
    }
    const text = readFileSync(file, 'utf8')
    const lines = text.trim().split('\n')
    expect(await check(text)).toMatchObject({
      intact: true,
      anchored: true,
      tenant_id: 't-001',
      entries: lines.length - 2,
    })
    expect(await check(text.replace('led-100', 'led-101'))).toMatchObject({ intact: false })
    expect(await check(lines.slice(0, -1).join('\n'))).toMatchObject({ intact: false })
    expect(await check(lines.toSpliced(2, 1).join('\n'))).toMatchObject({ intact: false })
    const end = JSON.parse(lines.at(-1) as string)
    for (const change of [{ records: end.records + 1 }, { exported_at: '2020' }, { key_id: '0' }]) {
      const closing = [...lines.slice(0, -1), JSON.stringify({ ...end, ...change })]
      expect(await check(closing.join('\n'))).toMatchObject({ intact: false })
    }
    expect(await check(text.replaceAll('"t-001"', '"t-002"'))).toMatchObject({ intact: false })
    const page = async (after: string) =>
      (
        await runInProcess(
          ['ledger', 'export', '--tenant-id', 't-001', '--limit', '4', '--after-seq', after],
          env,
        )
      ).stdout
    const pages = [await page('0'), await page('4')]
    expect(await check(pages.join(''))).toMatchObject({ intact: true, entries: 8 })
    expect(await check(pages.toReversed().join(''))).toMatchObject({ intact: false })
  })

  test('keeps an answer it could not take as a dead letter, which is replayed when it can', async () => {
    const damage = [sql(`UPDATE ledger_heads SET mac = 'x' || mac WHERE tenant_id = 't-001'`)]
    const mend = [sql(`UPDATE ledger_heads SET mac = SUBSTR(mac, 2) WHERE tenant_id = 't-001'`)]
    const input = inputOf({ intelligenceSnapshot: { planted: 'SNAPSHOT-WORD' } })
    const failed = await tampered(hub.hub.db, damage, mend, () => traceRun(hub, input))
    expect([failed.execution.state, failed.made]).toEqual(['failed', 0])
    expect(failed.outcome).toMatchObject({ error: { code: 'LEDGER_WRITE_FAILED', retryable: true } })
    const { dead_letter_id } = failed.outcome
    const listed = (await ask(hub, 'boundary_dead_letter_list', {}, ADMIN)).body.dead_letters
    expect(listed).toMatchObject([
      { dead_letter_id, run_id: failed.execution.run_id, attempt: 1, replayed_at: null },
    ])
    const stored = await hub.hub.db.all(sql<object>('SELECT * FROM boundary_dead_letters'))
    expect(JSON.stringify(stored)).not.toContain('SNAPSHOT-WORD')
    const calls = hub.probe.calls.length
    const count = await entryCount(hub)
    const replays = await Promise.all(
      Array.from({ length: 3 }, () => ask(hub, 'boundary_dead_letter_replay', { dead_letter_id }, ADMIN)),
    )
    expect(replays.map(({ body }) => body.idempotent).toSorted()).toEqual([false, true, true])
    expect(replays[0]?.body.execution).toMatchObject({ state: 'succeeded', attempt: 2 })
    expect([(await entryCount(hub)) - count, hub.probe.calls.length - calls]).toEqual([2, 0])
    const former = await traceRun(hub, input)
    expect([former.told.body.idempotent, former.execution.attempt, former.execution.state]).toEqual([
      true,
      1,
      'failed',
    ])
    expect((await verify()).intact).toBe(true)
  })

  test('forgets a dead letter whose execution went on without it', async () => {
    const damage = [sql(`UPDATE ledger_heads SET mac = 'x' || mac WHERE tenant_id = 't-001'`)]
    const mend = [sql(`UPDATE ledger_heads SET mac = SUBSTR(mac, 2) WHERE tenant_id = 't-001'`)]
    const input = inputOf()
    const failed = await tampered(hub.hub.db, damage, mend, () => traceRun(hub, input))
    await run(hub, { ...input, attempt: 2 })
    const { dead_letter_id } = failed.outcome
    const count = await entryCount(hub)
    const told = await ask(hub, 'boundary_dead_letter_replay', { dead_letter_id }, ADMIN)
    expect([told.status, told.code, (await entryCount(hub)) - count]).toEqual([
      409,
      'IDEMPOTENCY_CONFLICT',
      0,
    ])
  })
})
