import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { homeAt } from '../../src/platform/basics/home.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { asOwner, call, decide, startAskingHub } from './approvals.fixture.ts'

const ends: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

test('a yes of before does not count in a home that was restored: it may have been carried out since', async () => {
  const asking = await startAskingHub()
  ends.push(asking.close)
  const { hub, endpoint, grant } = asking
  const folder = mkdtempSync(join(tmpdir(), 'approvals-restored-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  const { body } = await call(asking, 'post', { n: 1 })
  const other = await call(asking, 'first', { n: 1 })
  await decide(hub, body.approval_id, 'approve')
  await decide(hub, other.body.approval_id, 'approve', { for: 'grant' })
  const copy = join(folder, 'copy')
  expect((await runInProcess(['backup', 'create', copy], hub.options.env)).exit).toBe(0)
  expect((await call(asking, 'post', { n: 1 })).status).toBe(200)
  const home = join(folder, 'home')
  const env = { ...hub.options.env, KNOWTATION_HOME: home }
  const restored = await runInProcess(['backup', 'restore', copy], env)
  expect([restored.exit, restored.stderr]).toEqual([0, expect.any(String)])
  const options = { ...hub.options, env, home: homeAt(home, env) }
  const again = await startHub({ ...options, host: '127.0.0.1', port: 0 })
  ends.push(() => again.stop())
  const there = { hub: { ...hub, url: again.url, hub: again.hub }, grant }
  expect((await call(there, 'post', { n: 1 })).body.code).toBe('FLOW_EXTERNAL_APPROVAL_EXPIRED')
  expect((await call(there, 'first', { n: 2 })).status).toBe(202)
  const { body: shown } = await asOwner(there.hub, 'GET', `/v1/owner/approvals/${body.approval_id}`)
  expect(shown).toMatchObject({ state: 'expired', reason: 'the home was restored' })
  expect(endpoint.got).toHaveLength(1)
})
