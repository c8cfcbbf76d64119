import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { putSecret, readSecret } from '../../src/domains/control/connections/connection-secrets.ts'
import { keyIdOf } from '../../src/platform/secrets/envelope.ts'
import { type SqlValue, sql } from '../../src/platform/storage/database.ts'
import {
  type AskingHub,
  asOwner,
  call,
  decide,
  startAskingHub,
  waiting,
} from '../external-agent/approvals.fixture.ts'
import type { Json } from '../external-agent/gate-hub.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { DATABASES } from '../harness/test-hub.ts'

const SENT = { text: 'a note' }
const OAUTH = { connection_id: 'conn_0', name: 'oauth', value: '{"access_token":"t"}' }
const SEALED = [
  'policy_revisions.text_sealed',
  'call_approvals.arguments_sealed',
  'connection_secrets.sealed',
]

describe.each(DATABASES)('what is kept sealed of policies and calls, on %s', (database) => {
  let asking: AskingHub
  beforeEach(async () => void (asking = await startAskingHub({ database })))
  afterEach(() => asking.close())

  const policy = () => readFileSync(asking.hub.home.vaultPolicy('default'), 'utf8')
  const history = async () =>
    (await asOwner(asking.hub, 'GET', '/v1/owner/policy/history')).body.data as Json[]
  const revert = (revision: string) => asOwner(asking.hub, 'POST', '/v1/owner/policy/revert', { revision })
  const rows = async (place: string) => {
    const [table, column] = place.split('.')
    return asking.hub.hub.db.all(
      sql<{ sealed: string }>(`SELECT ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`),
    )
  }
  const damage = (text: string, ...values: SqlValue[]) =>
    asking.hub.hub.db.transaction((tx) => tx.run(sql(text), ...values))

  test('opens after the key was exchanged, and nothing of it with the old one', async () => {
    const { hub, endpoint } = asking
    const before = policy()
    await asOwner(hub, 'POST', '/v1/owner/policy/gates/authoring/close', {})
    expect(policy()).not.toBe(before)
    await hub.hub.db.transaction((tx) => putSecret(tx, hub.hub, OAUTH))
    await call(asking, 'post', SENT)
    const rotated = await runInProcess(['secrets', 'rotate', '--json'], hub.options.env)
    const { key_id } = JSON.parse(rotated.stdout)
    for (const place of SEALED) {
      const found = await rows(place)
      expect([place, found.length > 0]).toEqual([place, true])
      expect([place, new Set(found.map(({ sealed }) => keyIdOf(sealed)))]).toEqual([place, new Set([key_id])])
    }
    expect(await readSecret(hub.hub.db, hub.hub, OAUTH.connection_id, OAUTH.name)).toBe(OAUTH.value)
    const [one] = await waiting(hub)
    expect(one.arguments).toEqual(SENT)
    await decide(hub, one.approval_id, 'approve')
    expect((await call(asking, 'post', SENT)).status).toBe(200)
    expect(endpoint.got).toHaveLength(1)
    const first = (await history()).at(-1)
    expect((await revert(String(first.number))).status).toBe(200)
    expect(policy()).toBe(before)
  })

  test('a revision that was changed in the store, or swapped for another, is refused and writes nothing', async () => {
    await asOwner(asking.hub, 'POST', '/v1/owner/policy/gates/authoring/close', {})
    const [latest, first] = await history()
    const now = policy()
    const swap = `UPDATE policy_revisions SET text_sealed = (SELECT text_sealed FROM policy_revisions WHERE number = ?) WHERE number = ?`
    const damages: [string, SqlValue[]][] = [
      [swap, [latest.number, first.number]],
      [`UPDATE policy_revisions SET text_sealed = 'AAAA' WHERE number = ?`, [first.number]],
      [`UPDATE policy_revisions SET text_sealed = '' WHERE number = ?`, [first.number]],
    ]
    for (const [text, values] of damages) {
      await damage(text, ...values)
      const { status, body } = await revert(String(first.number))
      expect([status, body.error.code]).toEqual([409, 'policy_revision_unreadable'])
      expect([policy(), (await history()).length]).toEqual([now, 2])
    }
  })

  test('a call whose arguments were changed in the store is not shown, not carried out, and can be denied', async () => {
    const { hub, endpoint } = asking
    const told = await call(asking, 'post', SENT)
    const path = `/v1/owner/approvals/${told.body.approval_id}`
    const { digest } = (await asOwner(hub, 'GET', path)).body
    await damage(`UPDATE call_approvals SET arguments_sealed = 'AAAA'`)
    const shown = await asOwner(hub, 'GET', path)
    expect([shown.status, shown.body.error.code]).toEqual([409, 'approval_unreadable'])
    const denied = await asOwner(hub, 'POST', `${path}/decision`, { decision: 'deny', digest })
    expect([denied.status, denied.body.state]).toEqual([200, 'denied'])
    expect((await call(asking, 'post', SENT)).body.code).toBe('FLOW_EXTERNAL_APPROVAL_DENIED')
    expect(endpoint.got).toEqual([])
  })
})
