import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { putSecret, readSecret } from '../../src/domains/control/connections/connection-secrets.ts'
import { openText } from '../../src/platform/secrets/envelope.ts'
import { findKeyToCome, finishExchange, sealAnew } from '../../src/platform/secrets/exchange-key.ts'
import { openSecret, sealSecret } from '../../src/platform/secrets/sealed-secrets.ts'
import { requireSecretsKey } from '../../src/platform/secrets/secrets-key.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { migrations } from '../../src/platform/storage/schema.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'

const INTENT = { id: 'cint_0000000000000001', field: 'authorization' }
const SUBSCRIPTION = { id: 'esub_0000000000000001', field: 'signing_secret' }
const LATER = '2999-01-01T00:00:00.000Z'
const putIntent = sql(
  `INSERT INTO connection_intents (intent_id, connector_id, state, step, created_at, created_by, expires_at, sealed)
   VALUES (?, 'feed', 'awaiting_owner', 'settings', '${LATER}', 'test', '${LATER}', ?)`,
)
const putSubscription = sql(
  `INSERT INTO event_subscriptions (subscription_id, authority_kind, client_id, callback_url, filters_json, status,
   sealed_secret, sealed_former_secret, former_until, created_at, updated_at, last_seq)
   VALUES (?, 'owner', 'test', 'https://receiver.example/', '{}', 'disabled', ?, ?, '${LATER}', '${LATER}', '${LATER}', 0)`,
)
const listSealed = sql<{ id: string; field: string; sealed: string }>(
  `SELECT connection_id AS id, name AS field, sealed FROM connection_secrets
   UNION ALL SELECT intent_id, 'authorization', sealed FROM connection_intents WHERE sealed IS NOT NULL
   UNION ALL SELECT subscription_id, 'signing_secret', sealed_secret FROM event_subscriptions
   UNION ALL SELECT subscription_id, 'signing_secret', sealed_former_secret FROM event_subscriptions`,
)
const findWaiting = sql<{ pid: number }>(
  `SELECT pid FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_locks
   WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())) LIMIT 1`,
)
/** More than one page of them. */
const CONNECTIONS = Array.from({ length: 40 }, (_, at) => `conn_${at}`)

test('whatever column is added for sealed texts has to be sealed anew too', () => {
  const found = migrations.flatMap(({ statements }) =>
    statements.flatMap((text) => {
      const [, table] = /^\s*CREATE TABLE (\w+)/.exec(text) ?? []
      const [, altered] = /^\s*ALTER TABLE (\w+)/.exec(text) ?? []
      const columns = text.matchAll(/\b(\w*sealed\w*) TEXT/g)
      return [...columns].map(([, column]) => `${table ?? altered}.${column}`)
    }),
  )
  expect(found.toSorted()).toEqual([
    'call_approvals.arguments_sealed',
    'call_approvals.result_sealed',
    'connection_intents.sealed',
    'connection_secrets.sealed',
    'event_subscriptions.sealed_former_secret',
    'event_subscriptions.sealed_secret',
    'owner_presence.input_sealed',
    'policy_revisions.text_sealed',
  ])
})

async function rotateAt(hub: TestHub, env: NodeJS.ProcessEnv = {}) {
  const run = await runInProcess(['secrets', 'rotate', '--json'], { ...hub.options.env, ...env })
  return { exit: run.exit, body: JSON.parse(run.stdout) }
}

test('on postgres an exchange waits for whoever has begun to seal', async () => {
  await using hub = await startTestHub({ database: 'postgres' })
  const place = { connection_id: 'conn_0', name: 'password', value: 'first' }
  await hub.hub.db.transaction((tx) => putSecret(tx, hub.hub, place))
  const rotation = await hub.hub.db.transaction(async (tx) => {
    const sealed = await sealSecret(tx, hub.hub, { id: 'conn_0', field: 'password' }, 'late')
    const state = { isOver: false }
    const under_way = rotateAt(hub).finally(() => (state.isOver = true))
    while (!state.isOver && !(await tx.get(findWaiting)))
      await new Promise((resolve) => setTimeout(resolve, 5))
    await tx.run(sql(`UPDATE connection_secrets SET sealed = '${sealed}'`))
    return { under_way }
  })
  expect(await rotation.under_way).toMatchObject({ exit: 0, body: { resealed: 1 } })
  expect(await readSecret(hub.hub.db, hub.hub, 'conn_0', 'password')).toBe('late')
})

describe.each(DATABASES)('the secrets key on %s', (database) => {
  let hub: TestHub
  beforeEach(async () => void (hub = await startTestHub({ database })))
  afterEach(() => hub.close())

  const rotate = (env?: NodeJS.ProcessEnv) => rotateAt(hub, env)
  const fill = (place = hub.hub as Parameters<typeof sealSecret>[1]) =>
    hub.hub.db.transaction(async (tx) => {
      const seal = (at: typeof INTENT, text: string) => sealSecret(tx, place, at, text)
      for (const connection_id of CONNECTIONS)
        await putSecret(tx, place, { connection_id, name: 'password', value: `of ${connection_id}` })
      await tx.run(putIntent, INTENT.id, await seal(INTENT, 'pending'))
      await tx.run(
        putSubscription,
        SUBSCRIPTION.id,
        await seal(SUBSCRIPTION, 'signs'),
        await seal(SUBSCRIPTION, 'signed'),
      )
    })
  /** Everything that is sealed, as it is opened now. */
  const opened = async (place = hub.hub as Parameters<typeof openSecret>[0]) =>
    (await hub.hub.db.all(listSealed)).map((row) => openSecret(place, row, row.sealed)).toSorted()
  const keyText = () => readFileSync(hub.home.secretsKey, 'utf8')

  test('is exchanged for a new one: all opens at once in a hub that runs, and nothing with the old key', async () => {
    await fill()
    const before = await opened()
    const old = requireSecretsKey(hub.hub)
    const { exit, body } = await rotate()
    expect([exit, body.resealed, body.source]).toEqual([0, CONNECTIONS.length + 3, hub.home.secretsKey])
    expect(requireSecretsKey(hub.hub).key_id).toBe(body.key_id)
    expect(body.key_id).not.toBe(old.key_id)
    expect(statSync(hub.home.secretsKey).mode & 0o077).toBe(0)
    expect(existsSync(hub.home.nextSecretsKey)).toBe(false)
    expect(await opened()).toEqual(before)
    expect(await readSecret(hub.hub.db, hub.hub, 'conn_7', 'password')).toBe('of conn_7')
    for (const row of await hub.hub.db.all(listSealed))
      expect(() => openText(old, row, row.sealed)).toThrow(/key/)
    // What is sealed from now on is sealed with the new key.
    await hub.hub.db.transaction((tx) =>
      putSecret(tx, hub.hub, { connection_id: 'conn_new', name: 'password', value: 'of conn_new' }),
    )
    expect(await opened()).toEqual([...before, 'of conn_new'].toSorted())
    const { stdout } = await runInProcess(
      ['audit', 'list', '--operation', 'secrets_key_rotate', '--json'],
      hub.options.env,
    )
    expect(JSON.parse(stdout).records).toMatchObject([{ outcome: 'allowed', caller_kind: 'local' }])
    expect(stdout).not.toContain(keyText().trim())
  })

  test('that was half exchanged opens all the same, and the exchange is made again', async () => {
    await fill()
    const before = await opened()
    const old = keyText()
    // Broken off before the store was changed.
    const next = await findKeyToCome(hub.hub.db, hub.hub)
    if (!next) throw new Error('there is no key to come')
    await expect(
      hub.hub.db.transaction(async (tx) => {
        await sealAnew(tx, hub.hub, next)
        throw new Error('killed')
      }),
    ).rejects.toThrow('killed')
    expect([await opened(), keyText()]).toEqual([before, old])
    // Broken off after it was, before the key took its place.
    expect(await hub.hub.db.transaction((tx) => sealAnew(tx, hub.hub, next))).toBe(CONNECTIONS.length + 3)
    expect([await opened(), keyText()]).toEqual([before, old])
    await hub.hub.db.transaction((tx) =>
      putSecret(tx, hub.hub, { connection_id: 'conn_0', name: 'password', value: 'of conn_0' }),
    )
    const backup = await runInProcess(['backup', 'create', join(temporaryFolder(), 'b')], hub.options.env)
    expect([backup.exit, backup.stderr]).toEqual([1, expect.stringContaining('secrets rotate')])
    const doctor = await runInProcess(['doctor'], hub.options.env)
    expect([doctor.exit, doctor.stdout]).toEqual([1, expect.stringContaining('secrets rotate')])
    // One that comes late to its end puts no other key in place.
    const late = { ...next, key_id: '0'.repeat(16) }
    await finishExchange(hub.hub.db, hub.hub, late)
    expect([await opened(), keyText()]).toEqual([before, old])
    expect(await rotate()).toMatchObject({ exit: 0, body: { resealed: 0, key_id: next.key_id } })
    expect(await opened()).toEqual(before)
    expect(keyText()).not.toBe(old)
    expect(
      (await runInProcess(['backup', 'create', join(temporaryFolder(), 'b')], hub.options.env)).exit,
    ).toBe(0)
  })

  test('is exchanged while others seal, and nobody is left with the old one', async () => {
    await fill()
    const before = await opened()
    const state = { isOver: false }
    const others = Array.from({ length: 4 }, async (_, at) => {
      for (let turn = 0; !state.isOver || turn < 3; turn++)
        await hub.hub.db.transaction((tx) =>
          putSecret(tx, hub.hub, { connection_id: `conn_${at}`, name: 'password', value: `of conn_${at}` }),
        )
    })
    for (let turn = 0; turn < 3; turn++) expect((await rotate()).exit).toBe(0)
    state.isOver = true
    await Promise.all(others)
    expect(await opened()).toEqual(before)
  })

  test('of the environment is exchanged for the one that the owner gives beside it', async () => {
    const [one, two] = ['ab', 'cd'].map((pair) => pair.repeat(32)) as [string, string]
    const at = (env: NodeJS.ProcessEnv) => ({ ...hub.hub, env })
    await fill(at({ KNOWTATION_SECRETS_KEY: one }))
    const before = await opened(at({ KNOWTATION_SECRETS_KEY: one }))
    const refused = await rotate({ KNOWTATION_SECRETS_KEY: one })
    expect(refused).toMatchObject({ exit: 1, body: { code: 'secrets_key_unusable' } })
    expect(refused.body.error).toContain('KNOWTATION_SECRETS_KEY_NEXT')
    const both = { KNOWTATION_SECRETS_KEY: one, KNOWTATION_SECRETS_KEY_NEXT: two }
    expect(await rotate(both)).toMatchObject({ exit: 0, body: { source: 'KNOWTATION_SECRETS_KEY_NEXT' } })
    for (const env of [both, { KNOWTATION_SECRETS_KEY: two }]) expect(await opened(at(env))).toEqual(before)
    await expect(opened(at({ KNOWTATION_SECRETS_KEY: one }))).rejects.toThrow('is sealed with the key')
    const twice = await rotate({ KNOWTATION_SECRETS_KEY: two, KNOWTATION_SECRETS_KEY_NEXT: two })
    expect(twice.body.error).toContain('in use already')
    expect(existsSync(hub.home.secretsKey) || existsSync(hub.home.nextSecretsKey)).toBe(false)
  })

  test('is left as it is where nothing is sealed, a secret is damaged, or the next key is open to others', async () => {
    expect(await rotate()).toMatchObject({ exit: 1, body: { code: 'nothing_sealed' } })
    expect(existsSync(hub.home.nextSecretsKey)).toBe(false)
    await fill()
    const old = keyText()
    await hub.hub.db.transaction((tx) =>
      tx.run(sql(`UPDATE connection_intents SET sealed = '${'A'.repeat(200)}' WHERE sealed IS NOT NULL`)),
    )
    expect(await rotate()).toMatchObject({ exit: 1, body: { code: 'secrets_key_unusable' } })
    expect(await readSecret(hub.hub.db, hub.hub, 'conn_7', 'password')).toBe('of conn_7')
    writeFileSync(hub.home.nextSecretsKey, `${'ef'.repeat(32)}\n`)
    chmodSync(hub.home.nextSecretsKey, 0o644)
    expect((await rotate()).body.error).toContain('open to others')
    expect(keyText()).toBe(old)
  })
})
