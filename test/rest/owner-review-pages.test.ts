import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { draft } from '../../src/domains/flows/authoring/drafts.fixture.ts'
import { flowUsing, OPEN_POLICY, proposeOverRest, publishOverRest } from '../browser/owner-browser.fixture.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { type Visitor, visitorOf } from '../control/owner-visitor.ts'
import { AGENTS, faultIn, grantsOf, mintFields, readAsOwner } from './owner-review.fixture.ts'
import { type Received, recorded, send } from './rest-hub.fixture.ts'

let hub: OwnedHub
let owner: Visitor
beforeAll(async () => {
  hub = await startOwnedHub({ policy: OPEN_POLICY })
  ;({ owner } = hub)
  await publishOverRest(hub, flowUsing('flow_granted', 'web_search', 'not_allowed'))
})
afterAll(() => hub.close())
beforeEach(() => setPolicy(OPEN_POLICY))

function setPolicy(policy: object, vault = 'default'): void {
  hub.write(hub.home.vaultPolicy(vault), policy)
}

const grants = () => grantsOf(hub)

const read = (path: string, headers?: Record<string, string>) => readAsOwner(hub, path, headers)

const statusOf = async (proposal_id: string): Promise<string> =>
  (await read(`/api/v1/proposals/${proposal_id}`)).proposal.status

let flows = 0
/** An open proposal of a flow of its own. */
function proposed(intent?: string): Promise<string> {
  flows += 1
  return proposeOverRest(hub, draft({ flow_id: `flow_number_${flows}` }), intent)
}

describe('a form that may not count changes nothing', () => {
  const ways = ['approve', 'discard', 'evaluate', 'mint', 'revoke'] as const

  test.each(ways)('%s', async (act) => {
    const proposal_id = await proposed()
    await owner.post(AGENTS, await mintFields(owner))
    const before = await grants()
    const isGrant = act === 'mint' || act === 'revoke'
    const own = act === 'mint' ? AGENTS : `${AGENTS}/revoke`
    const path = isGrant ? own : `/owner/proposals/${proposal_id}/${act}`
    const fields = { ...(await mintFields(owner)), grant_id: before[0]?.grant_id ?? '', outcome: 'pass' }
    const stranger = visitorOf(hub)
    await stranger.get('/owner/sign-in')
    const tries = [
      () => stranger.post(path, fields),
      () => owner.post(path, fields, { origin: 'http://localhost:1' }),
      () => owner.post(path, { ...fields, form_token: '0'.repeat(64) }),
    ]
    const statuses = []
    for (const attempt of tries) {
      const { result, records } = await recorded(hub, attempt)
      statuses.push(result.status)
      expect(records[0]?.outcome).toBe('denied')
      if (result.status === 401) expect(result.text).toContain('<h1>Sign in</h1>')
      expect(result.text).not.toContain('fgrnt_bearer_')
    }
    expect(statuses).toEqual([401, 401, 403])
    expect(await statusOf(proposal_id)).toBe('proposed')
    expect((await read(`/api/v1/proposals/${proposal_id}`)).proposal.evaluation_status).toBe('none')
    expect(await grants()).toEqual(before)
  })

  test('whoever is not signed in sees the way in, and then the page they came for', async () => {
    const proposal_id = await proposed('Nobody else reads this.')
    for (const path of ['/owner/proposals', `/owner/proposals/${proposal_id}`, AGENTS]) {
      const { status, text } = await visitorOf(hub).get(path)
      expect([status, text.includes('<h1>Sign in</h1>')]).toEqual([200, true])
      expect(text).toContain(`name="place" value="${path}"`)
      expect(text).not.toContain('Nobody else reads this.')
    }
    const hosted = await owner.ask({ path: '/owner/proposals', headers: { host: 'api.knowtation.store' } })
    expect(hosted.status).toBe(404)
  })
})

describe('a decision', () => {
  test('is refused with a sentence while authoring is off, and taken when it is on', async () => {
    const proposal_id = await proposed()
    await owner.get(`/owner/proposals/${proposal_id}`)
    setPolicy({ ...OPEN_POLICY, flow_authoring: {} })
    const approve = () => owner.post(`/owner/proposals/${proposal_id}/approve`, {})
    const { result, records } = await recorded(hub, approve)
    expect([result.status, faultIn(result)]).toEqual([403, 'Authoring of flows is off.'])
    expect(result.text).toContain('It is off by default')
    expect(result.text).not.toContain('/approve"')
    expect(records[0]).toMatchObject({ operation: 'proposal_approve', outcome: 'denied', surface: 'rest' })
    expect(await statusOf(proposal_id)).toBe('proposed')
    setPolicy({ flow_authoring: { writes_enabled: true, forbidden: true } })
    expect((await owner.get(`/owner/proposals/${proposal_id}`)).text).toContain(
      'flow_authoring.forbidden: true',
    )
    setPolicy(OPEN_POLICY)
    const done = await recorded(hub, approve)
    expect(done.result.headers.location).toBe(`/owner/proposals/${proposal_id}?told=approve`)
    expect(done.records).toMatchObject([
      { operation: 'proposal_approve', outcome: 'allowed', caller_kind: 'owner_session' },
    ])
    expect(await statusOf(proposal_id)).toBe('approved')
  })

  test('on a flow that has moved on is refused with a sentence, and not offered again', async () => {
    const base = draft({ flow_id: 'flow_moving' })
    await publishOverRest(hub, base)
    const stale = await proposeOverRest(hub, draft({ flow_id: 'flow_moving', version: '1.1.0' }), 'A', base)
    await owner.get(`/owner/proposals/${stale}`)
    const other = draft({ flow_id: 'flow_moving', version: '1.2.0', step: { instruction: 'Other.' } })
    await publishOverRest(hub, other, base)
    const refused = await owner.post(`/owner/proposals/${stale}/approve`, {})
    expect(refused.status).toBe(409)
    expect(faultIn(refused)).toMatch(/^The flow has moved on since this was proposed/)
    expect(refused.text).toContain('but the flow is at 1.2.0 by now')
    expect(refused.text).not.toContain(`${stale}/approve"`)
    expect(refused.text).toContain(`${stale}/discard"`)
    expect(await statusOf(stale)).toBe('proposed')
  })

  test('that was taken already, needs a waiver, or is about nothing is refused with a sentence', async () => {
    const gone = await proposed()
    await owner.get(`/owner/proposals/${gone}`)
    await owner.post(`/owner/proposals/${gone}/discard`, {})
    const twice = await owner.post(`/owner/proposals/${gone}/approve`, {})
    expect([twice.status, faultIn(twice)]).toEqual([409, 'The proposal has been decided already.'])
    const failed = await proposed()
    await owner.post(`/owner/proposals/${failed}/evaluate`, { outcome: 'fail', comment: 'No.' })
    const unwaived = await owner.post(`/owner/proposals/${failed}/approve`, {})
    expect(unwaived.status).toBe(403)
    expect(faultIn(unwaived)).toMatch(/^The evaluation was not passed/)
    expect(unwaived.text).toContain('name="waiver_reason"')
    const mute = await owner.post(`/owner/proposals/${failed}/evaluate`, { outcome: 'fail', comment: '' })
    expect([mute.status, faultIn(mute)]).toEqual([400, 'comment is required unless the outcome is pass.'])
    for (const id of ['prop_nope', '<script>', 'x'.repeat(9_000)]) {
      const path = `/owner/proposals/${encodeURIComponent(id)}`
      expect((await owner.get(path)).status).toBe(id === 'prop_nope' ? 404 : 400)
      const none = await owner.post(`${path}/approve`, {})
      expect(none.status).toBe(id === 'prop_nope' ? 404 : 400)
      expect(none.text).not.toContain('<script>')
    }
  })
})

test('the list goes on page by page, each proposal once', async () => {
  setPolicy(OPEN_POLICY, 'paged')
  const headers = { 'x-vault-id': 'paged' }
  const made: string[] = []
  for (let at = 0; at < 45; at += 1) {
    const body = JSON.stringify({ ...draft({ flow_id: `flow_paged_${at}` }), intent: 'One of many.' })
    const bearer = hub.credentials.bearers.hub
    const sent = await send(hub.url, { method: 'POST', path: '/api/v1/flows', body, headers, bearer })
    made.push(JSON.parse(sent.text).proposal_id)
  }
  const seen: string[] = []
  const sizes: number[] = []
  let next: string | undefined = '/owner/proposals?vault=paged'
  while (next !== undefined) {
    const { text }: Received = await owner.get(next)
    const found = [...text.matchAll(/href="\/owner\/proposals\/(prop_\w+)\?vault=paged"/g)].map(
      ([, id]) => id ?? '',
    )
    seen.push(...found)
    sizes.push(found.length)
    next = /<a href="([^"]+)">More</.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  expect(sizes).toEqual([20, 20, 5])
  expect(seen.toSorted()).toEqual(made.toSorted())
  const wrong = await owner.get('/owner/proposals?cursor=nonsense')
  expect([wrong.status, faultIn(wrong)]).toEqual([400, 'cursor does not have the required form.'])
  const state = await owner.get('/owner/proposals?status=constructor&told=constructor')
  expect(state.status).toBe(400)
  // What is done on a page of a vault is done in that vault.
  const [one = ''] = made
  expect((await owner.get(`/owner/proposals/${one}`)).status).toBe(404)
  await owner.get(`/owner/proposals/${one}?vault=paged`)
  expect((await owner.post(`/owner/proposals/${one}/discard`, {})).status).toBe(404)
  const done = await owner.post(`/owner/proposals/${one}/discard`, { vault: 'paged' })
  expect(done.headers.location).toBe(`/owner/proposals/${one}?vault=paged&told=discard`)
  expect((await read(`/api/v1/proposals/${one}`, headers)).proposal.status).toBe('discarded')
})

test('a name that no vault can have is told, and nothing is done under it', async () => {
  for (const vault of ['../default', 'UPPER', '<em>', 'x'.repeat(65)]) {
    for (const path of ['/owner/proposals', AGENTS]) {
      const { status, text } = await owner.get(`${path}?vault=${encodeURIComponent(vault)}`)
      expect([status, text.includes('No vault can have that name')]).toEqual([400, true])
      expect(text).not.toContain(vault)
    }
    const before = await grants()
    const refused = await owner.post(AGENTS, { ...(await mintFields(owner)), vault })
    expect(refused.status).toBe(400)
    expect(await grants()).toEqual(before)
  }
})

test('what cannot be read is told on the page, in place of a guess', async () => {
  const proposal_id = await proposed()
  hub.write(hub.home.vaultMembers('default'), 'scope_overrides: [')
  for (const path of ['/owner/proposals', `/owner/proposals/${proposal_id}`, AGENTS]) {
    const page = await owner.get(path)
    expect([page.status, faultIn(page)]).toEqual([
      400,
      expect.stringContaining('members.yaml cannot be read'),
    ])
  }
  hub.write(hub.home.vaultMembers('default'), {})
  for (const query of ['flow=flow_nope', 'flow=flow_granted&version=9.9.9']) {
    const page = await owner.get(`${AGENTS}?${query}`)
    expect([page.status, faultIn(page)]).toEqual([404, 'There is no such flow, or not in that version.'])
  }
})
