import { describe, expect, test } from 'vitest'
import { runInProcess } from '../harness/call-cli.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { auditRecords, codeOf, send, startRestHub } from './rest-hub.fixture.ts'

/** Waits for records that are not there yet, longer than any test goes on. */
const WAITING = '/api/v1/audit?after_seq=1000000&wait_seconds=20'

describe.each(DATABASES)('a call that waits (%s)', (database) => {
  const ends: [string, (token_id: string) => string[], string][] = [
    ['the end of its token', (token_id) => ['token', 'revoke', token_id], 'UNAUTHENTICATED'],
    ['a lock on everything', () => ['lock', 'all'], 'LOCKED'],
    ['a lock on its caller', (token_id) => ['lock', 'agent', token_id], 'LOCKED'],
  ]
  test.each(ends)('is ended by %s, and tells nothing more', async (_what, command, code) => {
    await using hub = await startRestHub({ database })
    const { bearers, token_ids } = hub.credentials
    const answer = send(hub.url, { path: WAITING, bearer: bearers.admin })
    await send(hub.url, { path: '/api/v1/whoami', bearer: bearers.admin })
    expect((await runInProcess(command(token_ids.admin), hub.options.env)).exit).toBe(0)
    expect(codeOf(await answer)).toBe(code)
    const [, ...told] = (await auditRecords(hub)).filter(({ operation }) => operation !== 'hub_started')
    expect(told).toContainEqual(
      expect.objectContaining({ operation: 'audit_list', outcome: 'denied', code }) as object,
    )
  })
})

test('looks along the log are made one after the other, and no more wait than may', async () => {
  await using hub = await startRestHub()
  const { admin } = hub.credentials.bearers
  const look = () => send(hub.url, { path: '/api/v1/audit', bearer: admin })
  const giveBack = await hub.hub.longLooks.acquire()
  const waiting = Array.from({ length: 20 }, look)
  await expect.poll(() => hub.hub.longLooks.waiting()).toBe(20)
  const refused = await look()
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
  expect((await send(hub.url, { path: '/api/v1/whoami', bearer: admin })).status).toBe(200)
  giveBack()
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200)
})
