import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { visitorOf } from '../control/owner-visitor.ts'

let hub: OwnedHub
beforeAll(async () => void (hub = await startOwnedHub()))
afterAll(() => hub.close())

test.each([
  ['/owner', '/console'],
  ['/owner/activity', '/console/activity'],
  ['/owner/approvals/appr_4f1c2a9be07d5386', '/console/inbox?item=call%3Aappr_4f1c2a9be07d5386'],
  ['/owner/proposals/prop_1?vault=garden', '/console/inbox?vault=garden&item=proposal%3Aprop_1'],
  ['/owner/proposals/%3Cb%3E', '/console/inbox'],
  ['/owner/connections', '/console/data'],
  ['/owner/runs', '/console/data'],
  ['/owner/intents/cint_4f1c2a9be07d5386', '/console/data/connect/cint_4f1c2a9be07d5386'],
  ['/owner/intents/..%2F..%2Fx', '/console/data/connect'],
  ['/owner/locks', '/console'],
  ['/owner/consents', '/console/agents?tab=consents'],
])('the old address %s leads to %s', async (former, now) => {
  const { status, headers } = await hub.owner.get(former)
  expect([status, headers.location]).toEqual([303, now])
})

test('a deep link of the console is kept through the sign-in, and no other address is', async () => {
  const visitor = visitorOf(hub)
  for (const [asked, place] of [
    ['/console/inbox?item=call:appr_1&vault=garden', '/console/inbox?item=call:appr_1&amp;vault=garden'],
    ['/console/activity?record=7&why=true', '/console/activity?record=7&amp;why=true'],
    ['/console/inbox?next=https://evil.example', '/console/inbox'],
  ] as const)
    expect((await visitor.get(asked)).text).toContain(`name="place" value="${place}"`)
})

test('the value that a change of the account takes is given to the owner alone', async () => {
  expect((await visitorOf(hub).get('/owner/form-token')).status).toBe(401)
  expect(JSON.parse((await hub.owner.get('/owner/form-token')).text).form_token).toMatch(/^[0-9a-f]{64}$/)
})
