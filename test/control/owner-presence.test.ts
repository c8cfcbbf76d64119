import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runOperation } from '../../src/operations/run-operation.ts'
import { localCaller } from '../../src/platform/identity/caller.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { registry } from '../harness/call.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { confirmedPresence, PASSWORD } from './owner-visitor.ts'

let hub: OwnedHub
beforeAll(async () => {
  hub = await startOwnedHub()
})
afterAll(() => hub.close())

const cli = (line: string, stdin?: string) => runInProcess(line.split(' '), hub.options.env, stdin)
const mint = 'token create --role viewer --json'
const asked = sql<{ presence_id: string; digest: string }>(
  `SELECT presence_id, digest FROM owner_presence WHERE state = 'waiting'`,
)

/** What a command asks to have confirmed; the command needs its turns of the loop to come that far. */
async function askedRow(): Promise<{ presence_id: string; digest: string }> {
  for (;;) {
    const row = await hub.hub.db.get(asked)
    if (row) return row
    await pause(20)
  }
}

describe('what opens something by the command line', () => {
  test('is written out once more: an operation that opens must be known to', () => {
    const opening = [...registry.values()].filter(({ opens }) => opens).map(({ name }) => name)
    expect(opening.toSorted()).toEqual([
      'alert_acknowledge',
      'flow_external_grant_mint',
      'lock_release',
      'owner_approval_approve',
      'owner_approval_decide',
      'owner_device_approve',
      'owner_link_create',
      'owner_pin_review_accept',
      'owner_pin_review_keep',
      'owner_policy_edit',
      'owner_policy_gate_open',
      'owner_policy_revert',
      'owner_policy_tool_add',
      'owner_policy_tool_test',
      'owner_provider_add',
      'owner_provider_add_many',
      'owner_provider_take',
      'proposal_approve',
      'token_create',
      'tool_session_create',
    ])
  })

  test('is refused for every such operation without a proof, whatever the input', async () => {
    for (const operation of registry.values()) {
      if (!operation.opens) continue
      const call = { operation, surface: 'cli', caller: localCaller('knowtation') } as const
      const { shape } = operation.input
      const input = Object.fromEntries(Object.keys(shape).map((key) => [key, 'x']))
      const { ok, code } = await runOperation(hub.hub, { ...call, address: 'local', vault: undefined, input })
      expect([operation.name, ok]).toEqual([operation.name, false])
      expect(code).not.toBeNull()
    }
    const refused = await cli(mint)
    expect([refused.exit, refused.stdout]).toEqual([1, expect.stringContaining('PRESENCE_REQUIRED')])
  })

  test('goes on with the password from stdin, not with another one, nor from a variable', async () => {
    expect((await cli(`${mint} --password-stdin`, `${PASSWORD}\n`)).exit).toBe(0)
    expect((await cli(`${mint} --password-stdin`, 'another password 1\n')).exit).toBe(1)
    expect((await cli(`${mint} --password-stdin`, '')).exit).toBe(1)
    const env = { ...hub.options.env, KNOWTATION_PASSWORD: PASSWORD }
    expect((await runInProcess(mint.split(' '), env)).exit).toBe(1)
  })

  test('goes on with a tap in the browser, once and for just that', async () => {
    const running = cli(`${mint} --in-browser`)
    const row = await askedRow()
    const path = `/owner/presence/${row.presence_id}`
    const page = await hub.owner.get(path)
    expect(page.text).toContain('token_create')
    expect(page.text).toContain('&quot;role&quot;: &quot;viewer&quot;')
    expect(page.text).not.toContain('<script')
    const wrong = await hub.owner.post(path, { digest: `sha256:${'0'.repeat(64)}`, decision: 'confirm' })
    expect(wrong.status).toBe(404)
    await hub.owner.get(path)
    expect((await hub.owner.post(path, { digest: row.digest, decision: 'confirm' })).status).toBe(303)
    expect((await running).exit).toBe(0)
    const refused = cli(`${mint} --in-browser`)
    const { presence_id, digest } = await askedRow()
    await hub.owner.get(`/owner/presence/${presence_id}`)
    await hub.owner.post(`/owner/presence/${presence_id}`, { digest, decision: 'refuse' })
    expect((await refused).exit).toBe(1)
  })

  test('a confirmation opens nothing else, and nothing twice', async () => {
    const operation = registry.get('token_create')
    if (!operation) throw new Error('There is no such operation.')
    const input = { role: 'viewer' }
    const presence = await confirmedPresence(hub.hub, 'token_create', input)
    const call = { operation, surface: 'cli', caller: localCaller('knowtation'), presence } as const
    const run = (wanted: object) =>
      runOperation(hub.hub, { ...call, address: 'local', vault: undefined, input: wanted })
    expect((await run({ role: 'admin' })).code).toBe('PRESENCE_REQUIRED')
    const told = await Promise.all([run(input), run(input), run(input)])
    expect(told.filter(({ ok }) => ok)).toHaveLength(1)
  })

  test('is closed to the hub token, which lies in the home, and open to a token that the owner made', async () => {
    const make = async (bearer: string | undefined) => {
      const body = JSON.stringify({ role: 'viewer' })
      const { status, text } = await send(hub.url, { method: 'POST', path: '/api/v1/tokens', body, bearer })
      return [status, JSON.parse(text).code]
    }
    expect(await make(hub.credentials.bearers.hub)).toEqual([403, 'PRESENCE_REQUIRED'])
    expect(await make(hub.credentials.bearers.admin)).toEqual([201, undefined])
    expect((await hub.askAsOwner('POST', '/api/v1/tokens', { role: 'viewer' })).status).toBe(201)
  })

  test('closing never asks', async () => {
    const { stdout } = await cli(`${mint} --password-stdin`, `${PASSWORD}\n`)
    const { token } = JSON.parse(stdout)
    expect((await cli(`token revoke ${token.token_id}`)).exit).toBe(0)
    expect((await cli('lock all')).exit).toBe(0)
    expect((await cli('lock release all')).exit).toBe(1)
    expect((await cli('lock release all --password-stdin', `${PASSWORD}\n`)).exit).toBe(0)
  })
})
