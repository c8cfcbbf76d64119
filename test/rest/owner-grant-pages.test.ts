import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { flowUsing, OPEN_POLICY, publishOverRest } from '../browser/owner-browser.fixture.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { signIn, type Visitor } from '../control/owner-visitor.ts'
import { AGENTS, faultIn, grantsOf, mintFields } from './owner-review.fixture.ts'
import { recorded } from './rest-hub.fixture.ts'

let hub: OwnedHub
let owner: Visitor
beforeAll(async () => {
  hub = await startOwnedHub({ policy: OPEN_POLICY })
  ;({ owner } = hub)
  await publishOverRest(hub, flowUsing('flow_granted', 'web_search', 'not_allowed'))
})
afterAll(() => hub.close())
beforeEach(() => setPolicy(OPEN_POLICY))

function setPolicy(policy: object): void {
  hub.write(hub.home.vaultPolicy('default'), policy)
}

const grants = () => grantsOf(hub)

describe('a grant', () => {
  test('is minted once for each form, also when the form is sent twice at a time', async () => {
    const fields = await mintFields(owner)
    const before = (await grants()).length
    const answers = await Promise.all([owner.post(AGENTS, fields), owner.post(AGENTS, fields)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403])
    const shown = answers.filter(({ text }) => text.includes('fgrnt_bearer_'))
    expect(shown.map(({ status, headers }) => [status, headers['cache-control']])).toEqual([
      [201, 'no-store'],
    ])
    const again = await owner.post(AGENTS, fields)
    expect([again.status, faultIn(again)?.includes('no grant was minted now')]).toEqual([403, true])
    expect(await grants()).toHaveLength(before + 1)
    const [grant] = await grants()
    expect(Date.parse(grant?.expires_at ?? '') - Date.parse(grant?.issued_at ?? '')).toBe(900_000)
  })

  test('is not minted by a form that was never given out, or that another session was given', async () => {
    const before = await grants()
    const fields = await mintFields(owner)
    const { visitor } = await signIn(hub)
    await visitor.get(AGENTS)
    for (const [who, once] of [
      [owner, ''],
      [owner, '0'.repeat(32)],
      [visitor, fields.once ?? ''],
    ] as const) {
      const { status, text } = await who.post(AGENTS, { ...fields, once })
      expect([status, text.includes('fgrnt_bearer_')]).toEqual([403, false])
    }
    expect(await grants()).toEqual(before)
    expect((await owner.post(AGENTS, fields)).status).toBe(201)
  })

  test('that cannot be is refused with a sentence, and the page has a new form', async () => {
    const before = await grants()
    const { 'tool.0': _tool, ...none } = await mintFields(owner)
    const cases = [
      [none, 400, /requested_tools/],
      [{ ...none, 'tool.0': 'not_allowed' }, 403, /not on the allowlist/],
      [{ ...none, 'tool.0': 'undeclared' }, 400, /does not declare the tool/],
      [{ ...none, 'tool.0': 'web_search', flow_version: '9.9.9' }, 404, /no such flow/],
      [{ ...none, 'tool.0': 'web_search', ttl_seconds: '-5' }, 400, /ttl_seconds/],
      [{ ...none, 'tool.0': 'web_search', flow_id: '<script>' }, 400, /flow_id/],
    ] as const
    for (const [fields, status, sentence] of cases) {
      const { once } = await mintFields(owner)
      const refused = await owner.post(AGENTS, { ...fields, once: once ?? '' })
      expect([refused.status, faultIn(refused)]).toEqual([status, expect.stringMatching(sentence)])
      expect(refused.text).not.toContain('<script>')
    }
    expect(await grants()).toEqual(before)
  })

  test('is refused while access is off, and never lives longer than the policy says', async () => {
    const fields = await mintFields(owner)
    const before = (await grants()).length
    setPolicy({ external_agent: { ...OPEN_POLICY.external_agent, enabled: false } })
    const { result, records } = await recorded(hub, () => owner.post(AGENTS, fields))
    expect([result.status, faultIn(result)]).toEqual([403, 'Access for external agents is off.'])
    expect(records[0]).toMatchObject({ operation: 'flow_external_grant_mint', outcome: 'denied' })
    setPolicy(OPEN_POLICY)
    expect(await grants()).toHaveLength(before)
    const page = await owner.get(`${AGENTS}?flow=flow_granted`)
    const lifetimes = [...page.text.matchAll(/<option value="(\d+)"/g)].map(([, seconds]) => Number(seconds))
    expect(lifetimes).toEqual([900, 3_600, 7_200])
    await owner.post(AGENTS, { ...(await mintFields(owner)), ttl_seconds: '999999' })
    const [grant] = await grants()
    expect(Date.parse(grant?.expires_at ?? '') - Date.parse(grant?.issued_at ?? '')).toBe(7_200_000)
  })

  test('is revoked by its id, also while access is off', async () => {
    await owner.post(AGENTS, await mintFields(owner))
    const [grant] = await grants()
    const grant_id = grant?.grant_id ?? ''
    setPolicy({})
    const page = await owner.get(AGENTS)
    expect(page.text).not.toContain(grant_id)
    expect((await owner.post(`${AGENTS}/revoke`, { grant_id })).headers.location).toBe(
      `${AGENTS}?told=revoke`,
    )
    const none = await owner.post(`${AGENTS}/revoke`, { grant_id: 'fgrnt_unknown_one' })
    expect([none.status, faultIn(none)]).toEqual([404, 'There is no such grant in this vault.'])
    setPolicy(OPEN_POLICY)
    expect(await grants()).toContainEqual(
      expect.objectContaining({ grant_id, revoked_at: expect.any(String) }),
    )
  })
})
