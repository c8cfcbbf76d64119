import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import {
  addConnection,
  CREDENTIAL_SENTINEL,
  everythingOf,
  type OwnedHub,
  startOwnedHub,
} from './connection-samples.ts'

const MANIFEST = `
connector_id: giver
display_name: Giver
version: 1.0.0
connector_modality: api_network
setup_modality: provider_authorization
support_state: supported
reason: Gives its credentials back.
streams: [orders, items]
settings: []
oauth: { issuer: "https://provider.invalid", client_id: test, scope: "" }
collector: ./giver.mjs
`

/** A connection of a connector whose provider can be told to forget; `act` is what the telling does. */
async function addReturnable(hub: OwnedHub, act: string): Promise<string> {
  const folder = join(hub.home.folder, 'connectors', 'giver')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'manifest.yaml'), MANIFEST)
  const collector = `import { writeFileSync } from 'node:fs'
export const collector = {
  probe: async () => ({}),
  async *collect() {},
  async revoke(source) { const secret = await source.secret('password'); ${act} },
}
`
  writeFileSync(join(folder, 'giver.mjs'), collector)
  return addConnection(hub, { connector_id: 'giver' })
}

test('the credentials of a deleted connection are given back at its provider', async () => {
  await using hub = await startOwnedHub()
  const file = join(hub.home.folder, 'given-back')
  const id = await addReturnable(hub, `writeFileSync(${JSON.stringify(file)}, secret)`)
  expect((await hub.ask('POST', `/v1/owner/connections/${id}/revoke`)).status).toBe(200)
  expect(existsSync(file)).toBe(false)
  const { status, body } = await hub.ask('DELETE', `/v1/owner/connections/${id}`)
  expect([status, body.deleted]).toEqual([200, true])
  expect(readFileSync(file, 'utf8')).toBe(CREDENTIAL_SENTINEL)
  expect(await hub.events()).toMatchObject([
    { data: { operation: 'delete' } },
    { data: { operation: 'revoke' } },
  ])
})

test('that a provider fails changes nothing: it is gone here, and nothing of it is in a log', async () => {
  await using hub = await startOwnedHub()
  const id = await addReturnable(hub, 'throw new Error(`the provider said ${secret}`)')
  expect((await hub.ask('DELETE', `/v1/owner/connections/${id}`)).status).toBe(200)
  expect(Object.values(await everythingOf(hub, id)).flat()).toEqual([])
  expect(await hub.events()).toMatchObject([{ status: 'succeeded', data: { operation: 'delete' } }])
  expect(hub.logged.join('')).toContain('give_back')
  expect(hub.logged.join('')).not.toContain(CREDENTIAL_SENTINEL)
})

test('credentials that can no longer be unsealed can still be erased', async () => {
  await using hub = await startOwnedHub()
  const id = await addReturnable(hub, '')
  const spoil = sql(`UPDATE connection_secrets SET sealed = 'AAAA' WHERE connection_id = ?`)
  await hub.hub.db.transaction((tx) => tx.run(spoil, id))
  expect((await hub.ask('DELETE', `/v1/owner/connections/${id}`)).status).toBe(200)
  expect(Object.values(await everythingOf(hub, id)).flat()).toEqual([])
})
