import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { countMade, everythingKept, LOOPBACK_SOURCES, meet, type People } from './intents.fixture.ts'

const INTENTS = '/v1/owner/connections/intents'
const ORDERS = 'Order ID,Order Date,Product Name\n111-2222222-3333333,2026-01-05T10:00:00Z,A kettle\n'

describe.each(DATABASES)('on the machine of the hub, on %s', (database) => {
  let hub: TestHub
  let people: People
  let notes: string
  beforeAll(async () => {
    hub = await startTestHub({ database, config: LOOPBACK_SOURCES })
    people = await meet(hub)
    notes = mkdtempSync(join(tmpdir(), 'knowtation-notes-'))
    writeFileSync(join(notes, 'one.md'), '# One\n')
  })
  afterAll(async () => {
    await hub.close()
    rmSync(notes, { recursive: true, force: true })
  })

  test('a local collector is enrolled with its code, once, by the owner alone', async () => {
    const intent = await people.begin('folder', { collection_scope: { source_roots: [notes] } })
    const { next_step } = intent
    expect(next_step).toMatchObject({
      kind: 'enroll_local_collector',
      enrollment_code: expect.stringMatching(/^lde_[0-9a-f]{32}$/),
      enroll_endpoint: expect.stringMatching(/\/_ref\/collectors\/enroll$/),
      expires_at: intent.expires_at,
      local_binding_name: expect.stringMatching(/^folder-[0-9a-f]{8}$/),
      collection_scope: { source_roots: [notes] },
    })
    expect(Date.parse(intent.expires_at) - Date.parse(intent.created_at)).toBe(15 * 60_000)
    const code = next_step.enrollment_code as string
    const again = await people.asAgent('GET', `${INTENTS}/${intent.intent_id}`)
    expect(JSON.stringify(again.body)).not.toContain(code)
    expect(await everythingKept(hub)).not.toContain(code)
    const enroll = (body: object) => people.asOwner('POST', '/_ref/collectors/enroll', body)
    const before = await countMade(hub)
    const missing = await enroll({ code, folder: join(notes, 'none') })
    expect(missing.body.error?.code).toMatch(/^source_/)
    const relative = await enroll({ code, folder: 'notes' })
    expect([relative.status, relative.body.error?.code]).toEqual([400, 'invalid_request'])
    expect(await countMade(hub)).toEqual(before)
    const done = await enroll({ code, folder: notes, device_name: 'Desk' })
    expect(done).toMatchObject({ status: 201, body: { state: 'completed', connection_active: true } })
    const { connection_id } = done.body as { connection_id: string }
    const { body } = await people.asOwner('GET', '/_ref/devices')
    expect(body.data).toContainEqual(expect.objectContaining({ device_name: 'Desk', connection_id }))
    const used = await enroll({ code, folder: notes })
    expect([used.status, used.body.error?.code]).toEqual([400, 'enrollment_code_invalid'])
    expect((await people.asAgent('GET', '/_ref/devices')).status).toBe(401)
    const shown = await people.asAgent('GET', '/v1/owner/connections?connector_id=folder')
    expect(JSON.stringify(shown.body)).toContain(connection_id)
  })

  verifies(
    ['OWNR-011', 'OWNR-013'],
    'what a connection began with is erased with it, and no other',
    async () => {
      const begun = await Promise.all(
        [1, 2].map(async () => {
          const { intent_id } = await people.begin('amazon')
          const path = `/_ref/intents/${intent_id}/complete`
          const { body } = await people.asOwner('POST', path, { values: { file: ORDERS } })
          return { intent_id, connection_id: String(body.connection_id) }
        }),
      )
      const show = (at: number) => people.asAgent('GET', `${INTENTS}/${begun[at]?.intent_id}`)
      const kept = await show(1)
      expect(kept.body).toMatchObject({ state: 'completed', connection_id: begun[1]?.connection_id })
      const gone = await people.asAgent('DELETE', `/v1/owner/connections/${begun[0]?.connection_id}`)
      expect(gone.status).toBe(200)
      const missing = await show(0)
      expect([missing.status, missing.body.error?.code]).toEqual([404, 'intent_not_found'])
      expect(await show(1)).toEqual(kept)
    },
  )

  test('without the key to seal with, nothing is connected, and the file is named to the owner', async () => {
    const key = hub.home.secretsKey
    const first = await people.begin('amazon')
    await people.asOwner('POST', `/_ref/intents/${first.intent_id}/complete`, { values: { file: ORDERS } })
    const kept = readFileSync(key, 'utf8')
    const { intent_id } = await people.begin('amazon')
    const before = await countMade(hub)
    rmSync(key)
    const complete = () =>
      people.asOwner('POST', `/_ref/intents/${intent_id}/complete`, { values: { file: ORDERS } })
    const done = await complete()
    expect([done.status, done.body.error?.code]).toEqual([503, 'secrets_unavailable'])
    expect(done.body.error?.message).toContain(key)
    expect(await countMade(hub)).toEqual(before)
    mkdirSync(hub.home.folder, { recursive: true })
    writeFileSync(key, kept, { mode: 0o600 })
    expect((await complete()).status).toBe(200)
  })
})
