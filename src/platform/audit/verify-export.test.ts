import { describe, expect, test } from 'vitest'
import { auditRecord } from '../../../test/store/audit-records.ts'
import { type AuditStore, auditStore } from '../../../test/store/audit-store.ts'
import { parseAuditKey } from './audit-key.ts'
import { type ChainedRecord, chainHash } from './audit-record.ts'
import { pruneAudit } from './checkpoint.ts'
import { renderExport } from './render-export.ts'
import { verifyExport } from './verify-export.ts'

const NOW = new Date('2026-11-02T00:00:00.000Z')
const exported_at = NOW.toISOString()

async function linesOf({ db, key }: AuditStore, after_seq = 0, limit?: number): Promise<string[]> {
  const lines: string[] = []
  const wanted = { after_seq, exported_at, ...(limit !== undefined && { limit }) }
  for await (const line of renderExport(db, key, wanted)) lines.push(line)
  return lines
}

async function prunedStore(): Promise<AuditStore> {
  const store = await auditStore(40)
  for (const max_records of [30, 20])
    await pruneAudit(store.db, store.log, { max_age_days: 365, max_records }, { now: NOW, ran_ms: 0 })
  return store
}

test('an export verifies with nothing but itself', async () => {
  const store = await prunedStore()
  const report = await verifyExport(await linesOf(store), store.key.public_key)
  expect(report).toEqual({
    intact: true,
    records: 20,
    first_seq: 21,
    last_seq: 40,
    checkpoints: 2,
    fault: null,
    public_key: store.key.public_key,
    anchored: true,
  })
})

test('a part of the chain, an empty chain and many pages verify too', async () => {
  const large = await auditStore(12_000)
  expect(await verifyExport(await linesOf(large))).toMatchObject({
    intact: true,
    records: 12_000,
    anchored: true,
  })
  const part = await verifyExport(await linesOf(large, 100, 2_500))
  expect(part).toMatchObject({ intact: true, first_seq: 101, last_seq: 2_600, anchored: false })
  const empty = await verifyExport(await linesOf(await auditStore()))
  expect(empty).toMatchObject({ intact: true, records: 0, anchored: true })
})

function edit(line: string | undefined, change: object): string {
  return JSON.stringify({ ...JSON.parse(line ?? ''), ...change })
}

/** Changes a record and makes its hash, and all that build on it, fit again: only a signature tells. */
function rewritten(lines: string[], first: number): string[] {
  let { hash } = JSON.parse(lines[first - 1] ?? '') as ChainedRecord
  return lines.map((line, at) => {
    const record = JSON.parse(line) as ChainedRecord & { kind: string }
    if (at < first || record.kind !== 'record') return line
    const caller_id = at === first ? 'someone' : record.caller_id
    hash = chainHash(record.seq, hash, { ...record, caller_id })
    return edit(line, { caller_id, hash })
  })
}

describe('each of these is found', () => {
  const attacks: Record<string, (lines: string[]) => string[]> = {
    'a file cut after any record': (lines) => lines.slice(0, 10),
    'only the opening line': (lines) => lines.slice(0, 1),
    'nothing at all': () => [],
    'a record left out': (lines) => lines.toSpliced(5, 1),
    'the last record left out': (lines) => lines.toSpliced(20, 1),
    'a record changed': (lines) => lines.with(5, edit(lines[5], { caller_id: 'someone' })),
    'a record changed, and the chain after it made to fit': (lines) => rewritten(lines, 5),
    'a record with a field more': (lines) => lines.with(5, edit(lines[5], { note: 'x' })),
    'records swapped': (lines) => lines.with(5, lines[6] ?? '').with(6, lines[5] ?? ''),
    'a record twice': (lines) => lines.toSpliced(5, 0, lines[5] ?? ''),
    'a checkpoint left out': (lines) => lines.toSpliced(21, 1),
    'a checkpoint changed': (lines) => lines.with(21, edit(lines[21], { at: '2020-01-01T00:00:00.000Z' })),
    'a checkpoint in another place': (lines) => lines.with(22, edit(lines[22], { seq: 19 })),
    'all checkpoints left out': (lines) => lines.toSpliced(21, 2),
    'another beginning': (lines) => lines.with(0, edit(lines[0], { previous_hash: '1'.repeat(64) })),
    'another time of export': (lines) => lines.with(0, edit(lines[0], { exported_at: '2020' })),
    'another key named': (lines) =>
      lines.with(0, edit(lines[0], { public_key: parseAuditKey('cd'.repeat(32), 'x').public_key })),
    'another key id': (lines) => lines.with(0, edit(lines[0], { key_id: '0'.repeat(16) })),
    'a closing line that counts otherwise': (lines) => lines.with(23, edit(lines[23], { records: 21 })),
    'a closing line of another time': (lines) => lines.with(23, edit(lines[23], { exported_at: '2020' })),
    'something after the end': (lines) => [...lines, lines[5] ?? ''],
    'a line that is not JSON': (lines) => lines.with(5, 'not json'),
    'a huge line': (lines) => lines.with(5, 'x'.repeat(100_000)),
    'two exports in one file': (lines) => [...lines, ...lines],
  }
  for (const [name, attack] of Object.entries(attacks)) {
    test(name, async () => {
      const lines = await linesOf(await prunedStore())
      expect(lines).toHaveLength(24)
      const report = await verifyExport(attack(lines))
      expect(report.intact).toBe(false)
      expect(report.fault).toBeTypeOf('string')
    })
  }

  test('a file signed by another key than the trusted one', async () => {
    const lines = await linesOf(await prunedStore())
    const trusted = parseAuditKey('cd'.repeat(32), 'x').public_key
    expect((await verifyExport(lines, trusted)).fault).toMatch(/another key/)
  })
})

test('a chain that is not sound is not exported: the signature would vouch for it', async () => {
  const store = await auditStore(20)
  await store.tamper("UPDATE audit_records SET caller_id = 'someone' WHERE seq = 5")
  await expect(linesOf(store)).rejects.toThrow(/Record 5/)
  const cut = await auditStore(20)
  await cut.tamper('DELETE FROM audit_records WHERE seq > 10')
  await cut.tamper('UPDATE audit_head SET seq = 10, hash = (SELECT hash FROM audit_records WHERE seq = 10)')
  await expect(linesOf(cut)).rejects.toThrow(/head/)
  await expect(cut.log.append(auditRecord())).rejects.toThrow()
})
