import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Authority } from '../../src/operations/authority.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { jwt } from './credentials.fixture.ts'
import { head, sendRaw } from './raw-http.fixture.ts'
import { codeOf, recorded, send, startRestHub } from './rest-hub.fixture.ts'
import { requestOf, requireExpectation, routed } from './routes.fixture.ts'

let hub: TestHub
beforeAll(async () => void (hub = await startRestHub()))
afterAll(() => hub.close())

const PATH = '/api/v1/whoami'

test('without a vault header the vault is default', async () => {
  const told = await send(hub.url, { path: PATH, bearer: hub.credentials.bearers.viewer })
  expect(JSON.parse(told.text)).toMatchObject({ vault_id: 'default' })
})

test('a vault that the credential does not open is refused alike on every route, existing or not', async () => {
  for (const operation of routed) {
    const sent = requestOf(operation, requireExpectation(operation).input(hub))
    const { status, code, kept } = refusalOf(operation.authority)
    for (const bearer of [hub.credentials.bearers.admin, await jwt({ claims: { role: 'admin' } })]) {
      const headers = { 'x-vault-id': 'other' }
      const { result, records } = await recorded(hub, () => send(hub.url, { ...sent, bearer, headers }))
      expect([operation.name, result.status, codeOf(result)]).toEqual([operation.name, status, code])
      // What the caller asked for is not his, so the record lies in the vault that is.
      expect(records).toMatchObject([{ code: kept, vault_id: 'default', target_id: null }])
    }
  }
})

test('on the surface of the owner a vault that does not exist is refused, and filed where the owner looks', async () => {
  const headers = { 'x-vault-id': 'elsewhere' }
  const asked = { path: '/v1/owner/connections', headers }
  const owner = await recorded(hub, () => sendAsOwner(hub, asked))
  expect([owner.result.status, codeOf(owner.result)]).toEqual([400, 'invalid_request'])
  expect(owner.records).toMatchObject([{ vault_id: 'default', outcome: 'denied' }])
  // Who is not the owner hears the same of a vault that is there.
  const bearer = hub.credentials.bearers.hub
  const other = await recorded(hub, () => send(hub.url, { ...asked, bearer }))
  expect([other.result.status, codeOf(other.result)]).toEqual([403, 'permission_error'])
  expect(other.records).toMatchObject([{ vault_id: 'default', outcome: 'denied' }])
})

/** What is told, and what is written down, in the words of each contract. */
function refusalOf({ kind, otherwise }: Authority): { status: number; code: string; kept: string } {
  if (kind === 'owner_surface')
    return { status: otherwise === 'authentication_error' ? 401 : 403, code: otherwise, kept: otherwise }
  const code = kind === 'seat' ? 'PermissionDenied' : 'VAULT_DENIED'
  return { status: 403, code, kept: 'VAULT_DENIED' }
}

test('a JWT opens each vault of its list and acts in the one it names', async () => {
  const bearer = await jwt({ claims: { vault_ids: ['default', 'team-b'] } })
  const headers = { 'x-vault-id': 'team-b' }
  const told = await send(hub.url, { path: PATH, bearer, headers })
  expect(JSON.parse(told.text)).toMatchObject({ vault_id: 'team-b' })
})

test.each([
  ['empty', ''],
  ['upper case', 'Default'],
  ['a path', '../default'],
  ['a hidden folder', '.git'],
  ['a list', 'default, default'],
  ['a slash', 'default/x'],
  ['too long', 'a'.repeat(65)],
  ['percent-encoded', 'def%61ult'],
  ['not ASCII', 'd\u00e9fault'],
])('a malformed vault id (%s) is refused, and filed where the owner looks', async (_what, vault) => {
  const headers = { 'x-vault-id': vault }
  const { bearers } = hub.credentials
  const act = () => send(hub.url, { path: PATH, bearer: bearers.hub, headers })
  const { result, records } = await recorded(hub, act)
  expect([result.status, codeOf(result)]).toEqual([400, 'BAD_REQUEST'])
  expect(records).toMatchObject([{ code: 'BAD_REQUEST', vault_id: 'default' }])
})

test.each([
  ['twice the same', ['X-Vault-Id: default', 'X-Vault-Id: default']],
  ['two different ones', ['X-Vault-Id: default', 'x-vault-id: other']],
])('a repeated vault header (%s) is refused', async (_what, lines) => {
  const bearer = `Authorization: Bearer ${hub.credentials.bearers.hub}`
  const request = head(`GET ${PATH} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', bearer, ...lines)
  const reply = await sendRaw(hub.url, request)
  expect([reply.status, codeOf({ text: reply.body })]).toEqual([400, 'BAD_REQUEST'])
})
