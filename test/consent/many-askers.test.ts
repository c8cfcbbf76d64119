import { expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { type Clock, DATABASES, startTestHub } from '../harness/test-hub.ts'
import { CALLBACK, post, register } from './sign-in.fixture.ts'

const told = sql<{ records: number; told: number }>(
  `SELECT COUNT(*) AS records, SUM(repeats) AS told FROM audit_records
   WHERE caller_kind = 'anonymous' AND outcome = 'allowed' AND operation = ?`,
)

test.each(DATABASES)(
  'whoever registers and asks for codes all day leaves few records, and each is counted (%s)',
  async (database) => {
    const clock: Clock = { now: new Date('2026-11-15T08:00:00Z') }
    const flooded = await startTestHub({ database, clock })
    const made = { mcp_client_register: 0, owner_device_request: 0 }
    const minutes = 14
    for (let minute = 0; minute < minutes; minute++) {
      clock.now = new Date(Date.parse('2026-11-15T08:00:00Z') + minute * 60_000)
      const asked = Array.from({ length: 12 }, async () => {
        const { status } = await register(flooded, { client_name: 'A', redirect_uris: [CALLBACK] })
        if (status === 201) made.mcp_client_register++
        const codes = await post(flooded, '/oauth/device_authorization', { client_id: 'a-program' })
        if (codes.status === 200) made.owner_device_request++
      })
      await Promise.all(asked)
    }
    await flooded.hub.refusals.flushAll()
    let records = 0
    for (const [operation, times] of Object.entries(made)) {
      const found = await flooded.hub.db.get(told, operation)
      expect([operation, Number(found?.told)]).toEqual([operation, times])
      records += Number(found?.records)
    }
    expect(made.mcp_client_register).toBe(12 * minutes)
    expect(records).toBeGreaterThanOrEqual(100)
    // A hundred at once, one more each minute, and the counts that are written at the end.
    expect(records).toBeLessThanOrEqual(100 + minutes + 2)
    await flooded.close()
  },
)
