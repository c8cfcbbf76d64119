import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runInProcess } from '../harness/call-cli.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { addEntry, type BoundaryHub, startBoundaryHub } from './boundary-hub.ts'

describe.each(DATABASES)('the ledger on %s', (database) => {
  let hub: BoundaryHub
  beforeAll(async () => {
    hub = await startBoundaryHub({ database })
    await addEntry(hub, 'led-foreign', 't-002')
  })
  afterAll(() => hub.close())

  test('exported as an empty page passes neither for another tenant nor for the audit log, nor that for it', async () => {
    const { env } = hub.options
    const file = join(hub.home.folder, 'empty.jsonl')
    const verdict = async (chain: 'ledger' | 'audit', lines: readonly object[]) => {
      writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      const { exit, stdout } = await runInProcess([chain, 'verify', '--file', file, '--json'], {})
      return [exit, JSON.parse(stdout).intact]
    }
    const beyond = ['ledger', 'export', '--tenant-id', 't-002', '--after-seq', '1']
    const { stdout } = await runInProcess(beyond, env)
    const [start, end] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(await verdict('ledger', [start, end])).toEqual([0, true])
    for (const change of [{ tenant_id: 't-001' }, { vault_id: 'other' }])
      expect(await verdict('ledger', [{ ...start, ...change }, end])).toEqual([1, false])
    const { vault_id: _v, tenant_id: _t, ...opening } = start
    const asAudit = [
      { ...opening, kind: 'export' },
      { ...end, checkpoints: 0 },
    ]
    expect(await verdict('audit', asAudit)).toEqual([1, false])
    const { key } = hub.hub.audit
    const bounds = { key_id: key.key_id, exported_at: '2026', from_seq: 1, previous_hash: '0'.repeat(64) }
    const body = { ...bounds, seq: 0, hash: '0'.repeat(64), records: 0 }
    const signature = key.signExport({ ...body, checkpoints: 0 })
    const head = { kind: 'ledger', format: 1, vault_id: 'default', tenant_id: 't-001' }
    const asLedger = [
      { ...head, public_key: key.public_key, ...bounds },
      { kind: 'end', ...body, signature },
    ]
    expect(await verdict('ledger', asLedger)).toEqual([1, false])
  })
})
