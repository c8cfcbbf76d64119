import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { auditRecords, send } from '../rest/rest-hub.fixture.ts'
import { ask, mint, startGateHub, turnGate, USE, writePolicy } from './gate-hub.ts'

let hub: TestHub
beforeAll(async () => void (hub = await startGateHub('on')))
afterAll(() => hub.close())

const invoke = (bearer: string) =>
  ask(hub, 'flow_external_tool_invoke', USE, { as: 'viewer', presented: { external_bearer: bearer } })

async function invokeRecords() {
  return (await auditRecords(hub)).filter(({ operation }) => operation === 'flow_external_tool_invoke')
}

test('the record of a tool call names grant, flow and version, allowed or denied, however early', async () => {
  const { grant, bearer } = await mint(hub)
  expect((await invoke(bearer)).status).toBe(200)
  turnGate(hub, '0')
  expect((await invoke(bearer)).status).toBe(403)
  turnGate(hub, '1')
  writePolicy(hub, { allowed_tools: [] })
  expect((await invoke(bearer)).code).toBe('FLOW_EXTERNAL_TOOL_DENIED')
  writePolicy(hub)
  await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })
  expect((await invoke(bearer)).code).toBe('FLOW_EXTERNAL_GRANT_REVOKED')
  const names = {
    grant_id: grant.grant_id,
    flow_id: grant.flow_id,
    flow_version: grant.flow_version,
    seat_id: null,
  }
  const records = await invokeRecords()
  expect(records).toHaveLength(4)
  for (const record of records)
    expect(record).toMatchObject({ ...names, request_id: expect.stringMatching(/^req_/) })

  const list = async (filter: object) => (await ask(hub, 'audit_list', filter, { as: 'admin' })).body.records
  const [allowed] = records
  expect(await list({ grant: grant.grant_id, operation: 'flow_external_tool_invoke' })).toHaveLength(4)
  // The revoke is about the grant too.
  expect(await list({ grant: grant.grant_id })).toHaveLength(5)
  expect(await list({ flow: grant.flow_id, outcome: 'denied' })).toHaveLength(3)
  expect(await list({ request_id: allowed?.request_id })).toMatchObject([{ seq: allowed?.seq }])
  expect(await list({ tool: USE.tool_id, until: new Date(0).toISOString() })).toEqual([])
  expect(
    await list({ tool: USE.tool_id, since: new Date(0).toISOString(), called_by: allowed?.caller_id }),
  ).not.toEqual([])
  expect(await list({ called_by: 'tok_nobody' })).toEqual([])

  const denied = records.at(-1)
  const told = await ask(hub, 'explain', { record: denied?.seq }, { as: 'owner' })
  expect(told.body).toMatchObject({
    allowed: false,
    code: 'FLOW_EXTERNAL_GRANT_REVOKED',
    recorded: { seq: denied?.seq, outcome: 'denied', code: 'FLOW_EXTERNAL_GRANT_REVOKED' },
  })
  expect((await ask(hub, 'explain', { record: 1 }, { as: 'owner' })).status).toBeGreaterThanOrEqual(400)

  await ask(hub, 'explain', USE, { as: 'owner' })
  const looks = (await auditRecords(hub)).filter(({ operation }) => operation === 'explain')
  expect(looks.map(({ target_kind, target_id }) => [target_kind, target_id])).toEqual([
    [null, null],
    [null, null],
    ['flow', USE.flow_id],
  ])
})

test('from the counts of calls in OpenMetrics one call leads to its grant, flow and version', async () => {
  const { grant, bearer } = await mint(hub)
  expect((await invoke(bearer)).status).toBe(200)
  const metrics = async (accept: string) =>
    (await send(hub.url, { path: '/metrics', headers: { accept } })).text
  const open = await metrics('application/openmetrics-text; version=1.0.0, text/plain;q=0.5')
  const counted = open
    .split('\n')
    .find((line) => /^knowtation_calls_total\{operation="flow_external_tool_invoke".*allowed/.test(line))
  expect(counted).toMatch(/\} \d+ # \{grant_id="[^}]+"\} 1 \d+(\.\d+)?$/)
  for (const [name, value] of Object.entries({
    grant_id: grant.grant_id,
    flow_id: grant.flow_id,
    flow_version: grant.flow_version,
  }))
    expect(counted).toContain(`${name}="${value}"`)
  expect(open).toMatch(/^# TYPE knowtation_calls counter$/m)
  expect(open.endsWith('\n# EOF\n')).toBe(true)
  const plain = await metrics('text/plain')
  expect(plain).toMatch(/^# TYPE knowtation_calls_total counter$/m)
  expect(plain).not.toContain('grant_id')
})

test('a bearer that opens nothing is named by nothing', async () => {
  const before = (await invokeRecords()).length
  expect((await invoke(`fgb_${'a'.repeat(43)}`)).status).toBe(403)
  expect((await invokeRecords()).slice(before)).toMatchObject([{ grant_id: null, flow_id: null }])
})

test('a list that waits answers as soon as there is something', async () => {
  const after_seq = (await auditRecords(hub)).at(-1)?.seq ?? 0
  const waiting = ask(
    hub,
    'audit_list',
    { after_seq, wait_seconds: 20, operation: 'whoami' },
    { as: 'admin' },
  )
  await ask(hub, 'whoami', {}, { as: 'viewer' })
  expect((await waiting).body.records).toMatchObject([{ operation: 'whoami' }])
})
