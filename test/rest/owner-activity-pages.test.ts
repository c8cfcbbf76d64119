import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { signIn, type Visitor, visitorOf } from '../control/owner-visitor.ts'
import { ACTIVITY, keepRecord, toldIn } from './owner-activity.fixture.ts'
import { faultIn, readAsOwner } from './owner-review.fixture.ts'
import { auditRecords, codeOf, type Received, recorded, send } from './rest-hub.fixture.ts'

const UNSEEN = 'seen-by-nobody-else'

let hub: OwnedHub
let owner: Visitor
beforeAll(async () => {
  hub = await startOwnedHub()
  ;({ owner } = hub)
  await owner.get(ACTIVITY)
})
afterAll(() => hub.close())

/** The numbers of the records that a page shows, in its order. */
const numbersIn = ({ text }: Received) => [...text.matchAll(/ · no\. (\d+)</g)].map(([, seq]) => Number(seq))

const endsIn = ({ text }: Received) =>
  [...text.matchAll(/<i class="ended (allowed|denied|failed)">(\w+)</g)].map(([, , word]) => word)

const change = (text: string) => hub.hub.db.transaction((tx) => tx.run(sql(text)))
const check = () => owner.post(`${ACTIVITY}/verify`, {})

test('whoever is not signed in sees the way in, and then the page they came for', async () => {
  await keepRecord(hub, { vault_id: 'default', target_kind: 'flow', target_id: UNSEEN })
  expect((await owner.get(ACTIVITY)).text).toContain(UNSEEN)
  const { status, text } = await visitorOf(hub).get(`${ACTIVITY}?outcome=denied`)
  expect([status, text.includes('<h1>Sign in</h1>')]).toEqual([200, true])
  expect(text).toContain(`name="place" value="${ACTIVITY}"`)
  expect(text).not.toContain(UNSEEN)
  for (const bearer of [hub.bearer, hub.credentials.bearers.hub])
    expect((await send(hub.url, { path: ACTIVITY, bearer })).text).not.toContain(UNSEEN)
  const hosted = await owner.ask({ path: ACTIVITY, headers: { host: 'api.knowtation.store' } })
  expect(hosted.status).toBe(404)
})

describe('the log', () => {
  test('tells of each call when, what, about what, by whom, how it ended and how long it took', async () => {
    await keepRecord(hub, {
      operation: 'lock_add',
      target_kind: 'agent',
      target_id: 'ag_told',
      outcome: 'denied',
      code: 'FORBIDDEN',
      duration_us: 2_340_000,
      repeats: 12,
    })
    const page = await owner.get(`${ACTIVITY}?vault=kept`)
    const row = /<li>(?:(?!<li>).)*ag_told.*?<\/li>/s.exec(page.text)?.[0] ?? ''
    const told = row.replace(/<[^>]+>/g, '|').replace(/\|+/g, '|')
    expect(told).toContain('|lock_add|denied|FORBIDDEN|agent |ag_told|')
    expect(told).toContain(
      '|token |tok_kept| · rest, |curl|2026-11-01 12:00:07 UTC · 2.3 s · 12 times · no. ',
    )
  })

  test('is narrowed by how calls ended and by operation, and only in its vault', async () => {
    await keepRecord(hub, { operation: 'flow_get', outcome: 'failed', code: 'RUNTIME_ERROR' })
    await keepRecord(hub, { operation: 'flow_get', outcome: 'denied', code: 'FORBIDDEN' })
    await keepRecord(hub)
    const shown = async (query: string) => endsIn(await owner.get(`${ACTIVITY}?vault=kept&${query}`))
    expect(await shown('operation=flow_get')).toEqual(['denied', 'failed'])
    expect(await shown('operation=flow_get&outcome=failed')).toEqual(['failed'])
    expect(await shown('operation=%20flow_get%20&outcome=')).toEqual(['denied', 'failed'])
    expect(new Set(await shown('outcome=allowed'))).toEqual(new Set(['allowed']))
    expect(await shown('operation=nothing')).toEqual([])
    const { text } = await owner.get(`${ACTIVITY}?vault=kept&operation=flow_get&outcome=failed`)
    expect(text).toContain('<option value="failed" selected>')
    expect(text).toContain('name="operation" value="flow_get"')
    expect(text).toContain('<input type="hidden" name="vault" value="kept">')
    expect(await shown('operation=owner_device_approve')).toEqual([])
    expect(endsIn(await owner.get(`${ACTIVITY}?operation=owner_device_approve`))).toEqual(['allowed'])
  })

  test('goes on page by page, each record once, with its filter', async () => {
    for (let count = 0; count < 65; count++)
      await keepRecord(hub, { vault_id: 'paged', operation: count % 2 ? 'flow_get' : 'flow_list' })
    const kept = (await auditRecords(hub)).filter((one) => one.vault_id === 'paged')
    const wanted = kept.filter(({ operation }) => operation === 'flow_list').map(({ seq }) => seq)
    const seen: number[] = []
    let address: string | undefined = `${ACTIVITY}?vault=paged&operation=flow_list`
    for (let pages = 0; address !== undefined && pages < 5; pages++) {
      const page: Received = await owner.get(address)
      expect(page.status).toBe(200)
      seen.push(...numbersIn(page))
      address = /<a href="([^"]+)">Older records</.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(address).toBe(undefined)
    expect(seen).toEqual(wanted.toReversed())
    expect(seen).toHaveLength(33)
  })

  test.each([
    'before_seq=x',
    'before_seq=-1',
    'before_seq=0',
    'before_seq=1.5',
    'before_seq=99999999999999999999',
    'outcome=%3Cscript%3E',
    `operation=${'x'.repeat(65)}`,
    'before=evt_x',
    'cursor=x',
    `agent_id=${'x'.repeat(200)}`,
  ])('says what is wrong with an odd address: %s', async (query) => {
    const page = await owner.get(`${ACTIVITY}?${query}`)
    const [name] = query.split('=')
    expect([page.status, faultIn(page)?.startsWith(`${name} `)]).toEqual([400, true])
    expect(page.text).toContain('cannot be shown now.')
    expect(page.text).not.toContain('<script>')
  })

  test('of a vault that can be none is that of the default one, with a word about it', async () => {
    const page = await owner.get(`${ACTIVITY}?vault=../x`)
    expect([page.status, faultIn(page)]).toEqual([
      400,
      'No vault can have that name. This is the default one.',
    ])
    expect(numbersIn(page).length).toBeGreaterThan(0)
  })

  test('has no sign-ins and no calls of strangers, which the owner lists on their own, and says so', async () => {
    const { visitor, done } = await signIn(hub, 'not the password at all')
    expect(done.status).toBe(401)
    await send(hub.url, { path: '/api/v1/flows' })
    const names = ['owner_password_sign_in', 'flow_list']
    const strange = (await auditRecords(hub)).filter(
      (one) => one.outcome === 'denied' && one.vault_id === '-',
    )
    expect(strange.map(({ operation }) => operation)).toEqual(expect.arrayContaining(names))
    for (const name of names) {
      const page = await owner.get(`${ACTIVITY}?outcome=denied&operation=${name}`)
      expect(endsIn(page)).toEqual([])
      expect(page.text).toContain('Sign-ins and calls without a good credential belong to no vault')
    }
    const exported = await readAsOwner(hub, '/api/v1/audit/export')
    const seqs = exported.lines.map((line: string) => JSON.parse(line).seq)
    expect(seqs).toEqual(expect.arrayContaining(strange.map(({ seq }) => seq)))
    const listed = await readAsOwner(hub, '/api/v1/audit?outside_vaults=true&outcome=denied')
    expect(listed).toMatchObject({ vault_id: '-' })
    expect(listed.records.map(({ seq }: { seq: number }) => seq)).toEqual(
      expect.arrayContaining(strange.map(({ seq }) => seq)),
    )
    const { admin, hub: token } = hub.credentials.bearers
    for (const bearer of [admin, token]) {
      const refused = await send(hub.url, { path: '/api/v1/audit?outside_vaults=true', bearer })
      expect([refused.status, codeOf(refused)]).toEqual([403, 'FORBIDDEN'])
    }
    expect((await visitor.get(ACTIVITY)).text).toContain('<h1>Sign in</h1>')
  })

  test('keeps the looks at itself together, and nothing else', async () => {
    await keepRecord(hub, { vault_id: 'default', operation: 'alert_list' })
    await owner.get(ACTIVITY)
    await owner.get(ACTIVITY)
    const page = await owner.get(ACTIVITY)
    const fold = /<details><summary>Your own looks at this page: (\d+) calls<.*?<\/details>/s.exec(page.text)
    expect(fold?.[1]).toBe('6')
    expect(numbersIn({ ...page, text: fold?.[0] ?? '' })).toEqual(numbersIn(page).slice(0, 6))
    expect(fold?.[0]).not.toContain('tok_kept')
    expect((await owner.get(`${ACTIVITY}?operation=audit_list`)).text).not.toContain('<details>')
  })

  test('shows each look of anybody else, and each that was refused, by itself', async () => {
    const look = { vault_id: 'folded', operation: 'audit_list' }
    const refused = { ...look, caller_kind: 'owner_session', outcome: 'denied', code: 'RATE_LIMITED' }
    for (const changes of [look, look, refused, refused]) await keepRecord(hub, changes)
    const page = await owner.get(`${ACTIVITY}?vault=folded`)
    expect(endsIn(page)).toEqual(['denied', 'denied', 'allowed', 'allowed'])
    expect(page.text).not.toContain('<details>')
  })

  test('is looked at through the operations of REST, each look once', async () => {
    const all = await recorded(hub, () => owner.get(ACTIVITY))
    expect(all.records.map((one) => [one.operation, one.caller_kind, one.outcome])).toEqual(
      ['audit_list', 'alert_list', 'violation_list'].map((name) => [name, 'owner_session', 'allowed']),
    )
    const one = await recorded(hub, () => owner.get(`${ACTIVITY}?outcome=denied`))
    expect(one.records.map(({ operation }) => operation)).toEqual(['audit_list'])
  })
})

describe('whether the log is intact', () => {
  test('is said when asked, through the operation, and not before', async () => {
    expect((await owner.get(ACTIVITY)).text).not.toContain('log is intact')
    const { result, records } = await recorded(hub, check)
    expect([result.status, faultIn(result)]).toEqual([200, undefined])
    expect(toldIn(result)).toMatch(/^The audit log is intact: \d+ records, 1 to \d+; 0 checkpoints\.$/)
    expect(records[0]).toMatchObject({ operation: 'audit_verify', caller_kind: 'owner_session' })
  })

  test('is not where a record was changed, and that is told as a fault', async () => {
    await keepRecord(hub, { vault_id: 'changed', caller_id: 'tok_before' })
    const seq = (await auditRecords(hub)).at(-1)?.seq
    await change(`UPDATE audit_records SET caller_id = 'tok_after' WHERE caller_id = 'tok_before'`)
    const page = await check()
    expect(toldIn(page)).toBe(undefined)
    expect(faultIn(page)).toContain(`The audit log is not intact: Record ${seq} was changed or moved.`)
    expect(faultIn(page)).toContain(`Sound before that: ${(seq ?? 0) - 1} records`)
    await change(`UPDATE audit_records SET caller_id = 'tok_before' WHERE caller_id = 'tok_after'`)
    expect(toldIn(await check())).toContain('The audit log is intact')
  })

  test('can be asked where the log is so damaged that nothing else works', async () => {
    await owner.get(ACTIVITY)
    await change(`UPDATE audit_head SET mac = 'x' || mac`)
    const page = await owner.get(ACTIVITY)
    expect([page.status, faultIn(page)]).toEqual([
      500,
      'The hub failed to answer. Check whether the log is intact: one that was changed is not used.',
    ])
    expect(page.text).not.toContain('No agent is in Alert Mode')
    const told = await check()
    expect(faultIn(told)).toMatch(/^The audit log is not intact: The head of the chain was changed\./)
    await change(`UPDATE audit_head SET mac = substr(mac, 2)`)
    expect((await owner.get(ACTIVITY)).status).toBe(200)
  })

  test('can be asked while everything is locked', async () => {
    await owner.get('/owner/locks')
    await owner.post('/owner/locks/add', { kind: 'all' })
    const { visitor } = await signIn(hub)
    expect((await visitor.get(ACTIVITY)).status).toBe(200)
    expect(toldIn(await visitor.post(`${ACTIVITY}/verify`, {}))).toContain('is intact')
    await visitor.post('/owner/locks/release', { kind: 'all' })
  })
})
