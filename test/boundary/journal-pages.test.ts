import { afterAll, beforeAll, expect, test } from 'vitest'
import { addEntry, ask, type BoundaryHub, startBoundaryHub } from './boundary-hub.ts'

/** More than is read of the journal at once. */
const ENTRIES = 1_001
const TENANTS = 7

let hub: BoundaryHub
beforeAll(async () => void (hub = await startBoundaryHub()))
afterAll(() => hub.close())

test('a journal of more than a page is walked to its end, each step once', async () => {
  const append = async (tenant: number) => {
    for (let at = tenant; at < ENTRIES; at += TENANTS) await addEntry(hub, `led-page-${at}`, `t-${tenant}`)
  }
  await Promise.all(Array.from({ length: TENANTS }, (_, tenant) => append(tenant)))
  const { body } = await ask(hub, 'ledger_verify', {}, { as: 'hub' })
  expect(body).toMatchObject({ intact: true, fault: null })
  const { tenants } = body as { tenants: { entries: number }[] }
  expect(tenants.reduce((sum, { entries }) => sum + entries, 0)).toBeGreaterThanOrEqual(ENTRIES)
}, 60_000)
