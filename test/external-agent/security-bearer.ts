import { afterAll, beforeAll, describe, expect } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import type { Who } from '../harness/callers.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords, codeOf, send } from '../rest/rest-hub.fixture.ts'
import { ask, listed, MINT_INPUT, mint, startGateHub, turnGate, USE, writePolicy } from './gate-hub.ts'

const DENIED = 'FLOW_EXTERNAL_GRANT_DENIED'
const REVOKED = 'FLOW_EXTERNAL_GRANT_REVOKED'
const EXPIRED = 'FLOW_EXTERNAL_GRANT_EXPIRED'
const MISMATCH = 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH'
const FETCH = { flow_id: 'flow_gate', version: '1.2.0', harness: 'agent_bundle' }
const SURFACES = ['rest', 'mcp', 'cli'] as const
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

type How = Parameters<typeof ask>[3]

export const refused = (status: number, code: string) => expect.objectContaining({ status, code })

/** What a bearer is, how it travels, and when it opens nothing any more. */
export function describeBearers(): void {
  const clock: { now?: Date | undefined } = {}
  let hub: TestHub
  beforeAll(async () => {
    const config = { rate_limits: { failed_authentications_per_minute: 1_000_000 } }
    hub = await startGateHub('on', { clock, config })
  })
  afterAll(() => hub.close())
  const invoke = (how: How = {}, input: object = {}) =>
    ask(hub, 'flow_external_tool_invoke', { ...USE, ...input }, how)
  const fetch = (how: How = {}, input: object = {}) => ask(hub, 'flow_project', { ...FETCH, ...input }, how)
  const named = (grant_id: string, external_bearer?: string) =>
    invoke({ presented: { grant_id, ...(external_bearer && { external_bearer }) } })
  const revoke = (grant_id: string, how: How = {}) =>
    ask(hub, 'flow_external_grant_revoke', { grant_id }, how)

  describe('a bearer', () => {
    verifies(['GATE-036', 'GATE-037'], 'is random, of its form, and new with each mint', async () => {
      const minted = []
      for (let at = 0; at < 1_000; at += 50)
        minted.push(
          ...(await Promise.all(
            Array.from({ length: 50 }, () => ask(hub, 'flow_external_grant_mint', MINT_INPUT)),
          )),
        )
      const bearers = minted.map(({ body }) => body.bearer as string)
      expect(new Set(bearers).size).toBe(1_000)
      // 64 hex digits are 256 bits; none of them may be the same everywhere.
      for (const bearer of bearers) expect(bearer).toMatch(/^fgrnt_bearer_[0-9a-f]{64}$/)
      for (let at = 13; at < 77; at++) expect(new Set(bearers.map((bearer) => bearer[at])).size).toBe(16)
      for (const { body } of minted) {
        expect(body.expires_at).toBe(body.grant.expires_at)
        expect(body.expires_at).toMatch(ISO_UTC)
      }
    })

    verifies(['GATE-038', 'GATE-039', 'GATE-040', 'GATE-070'], 'is shown once and never again', async () => {
      for (const way of SURFACES) {
        const { bearer, grant, presented } = await mint(hub, { actor_label: 'someone' }, { way })
        const shown = JSON.stringify(grant)
        expect(shown).not.toMatch(/bearer|token|oauth|refresh|Do what number/i)
        const later = [
          await ask(hub, 'flow_external_grant_list', {}, { way }),
          await fetch({ way, presented }),
          await revoke(grant.grant_id, { way }),
          await ask(hub, 'flow_external_grant_list', { flow_id: 'flow_gate' }, { way }),
        ]
        for (const { text } of later) expect(text).not.toContain(bearer.slice(13))
        const [before, , revoked, after] = later
        for (const told of [before, revoked, after]) expect(told?.text).not.toMatch(/bearer/i)
        expect(revoked?.body.grant_id).toBe(grant.grant_id)
      }
    })

    verifies(['GATE-072', 'GATE-074'], 'is no transport credential, alone or as one', async () => {
      const { bearer } = await mint(hub)
      const path = '/api/v1/flows/flow_gate/projection?harness=agent_bundle&version=1.2.0'
      expect((await send(hub.url, { path, bearer })).status).toBe(401)
      const headers = { 'x-flow-external-bearer': bearer }
      expect((await send(hub.url, { path, headers })).status).toBe(401)
      const invoking = { method: 'POST', path: '/api/v1/flows/external-tools/web_search/invoke' }
      const body = JSON.stringify({ flow_id: 'flow_gate', flow_version: '1.2.0' })
      expect((await send(hub.url, { ...invoking, headers, body })).status).toBe(401)
      expect((await send(hub.url, { ...invoking, bearer, body, headers })).status).toBe(401)
      const both = { ...invoking, body, headers, bearer: hub.credentials.bearers.editor }
      expect((await send(hub.url, both)).status).toBe(200)
    })

    verifies('GATE-073', 'counts in its header only', async () => {
      const { bearer } = await mint(hub)
      for (const key of ['bearer', 'grant'])
        expect(await invoke({}, { [key]: bearer })).toEqual(refused(403, DENIED))
      const tool = '/api/v1/flows/external-tools/web_search/invoke'
      const body = JSON.stringify({ flow_id: 'flow_gate', flow_version: '1.2.0' })
      const editor = hub.credentials.bearers.editor
      const read = '/api/v1/flows/flow_gate/projection?harness=agent_bundle'
      const plain = JSON.parse((await send(hub.url, { path: read, bearer: editor })).text)
      for (const name of ['bearer', 'external_bearer', 'X-Flow-External-Bearer']) {
        const query = await send(hub.url, {
          method: 'POST',
          path: `${tool}?${name}=${bearer}`,
          body,
          bearer: editor,
        })
        expect([query.status, codeOf(query)]).toEqual([403, DENIED])
        // Nor does it make a fetch one of the grant's, which would be refused for another version or bearer.
        for (const value of [bearer, 'fgrnt_bearer_wrong']) {
          const told = await send(hub.url, { path: `${read}&${name}=${value}`, bearer: editor })
          expect([told.status, JSON.parse(told.text).projection]).toEqual([200, plain.projection])
        }
      }
      const other = await send(hub.url, { method: 'POST', path: `${tool}?dry=1`, body, bearer: editor })
      expect([other.status, codeOf(other)]).toEqual([400, 'BAD_REQUEST'])
    })

    verifies(['GATE-059', 'GATE-065'], 'can be withdrawn though its end cannot be read', async () => {
      const spoil = sql('UPDATE flow_external_grants SET expires_at = ? WHERE grant_id = ?')
      for (const end of ['whenever', '', '2026-13-45T99:00:00.000Z', '2100-01-01 00:00']) {
        const { grant, presented } = await mint(hub)
        await hub.hub.db.transaction((tx) => tx.run(spoil, end, grant.grant_id))
        const revoked = await revoke(grant.grant_id)
        expect([revoked.status, revoked.body.revoked_at]).toEqual([200, expect.stringMatching(ISO_UTC)])
        expect(await invoke({ presented })).toEqual(refused(403, REVOKED))
      }
    })

    verifies(
      ['GATE-075', 'GATE-076'],
      'must be that of the grant named beside it, which alone is nothing',
      async () => {
        const [a, b] = [await mint(hub), await mint(hub)]
        expect(await named(b.grant.grant_id, a.bearer)).toEqual(refused(403, DENIED))
        expect(await named('fgrnt_0123456789abcdef', a.bearer)).toEqual(refused(403, DENIED))
        expect((await named(a.grant.grant_id, a.bearer)).status).toBe(200)
        expect(await named(a.grant.grant_id)).toEqual(refused(403, DENIED))
      },
    )

    verifies(
      ['GATE-068', 'GATE-067'],
      'in the place of an id is an unknown grant, told to nobody',
      async () => {
        const { bearer, grant } = await mint(hub)
        const other = await mint(hub, {}, { as: 'hub', vault: 'default' })
        const ids = [bearer, bearer.slice(0, 40), 'fgrnt_0123456789abcdef', 'nonsense', 'x'.repeat(200)]
        const told = await Promise.all(ids.map((id) => revoke(id)))
        const foreign = await revoke(other.grant.grant_id, { as: 'hub', vault: 'elsewhere' })
        const unseen = await mint(hub, { flow_id: 'flow_higher' }, { as: 'admin' })
        const invisible = await revoke(unseen.grant.grant_id)
        const [first, ...rest] = [...told, foreign, invisible]
        expect(first).toEqual(refused(404, 'unknown_grant'))
        for (const one of rest) expect([one.status, one.text]).toEqual([404, first?.text])
        expect(await invoke({ presented: { external_bearer: grant.grant_id } })).toEqual(refused(403, DENIED))
        await invoke({ presented: { external_bearer: bearer, grant_id: bearer } })
        const kept = [hub.logged.join(), JSON.stringify(await auditRecords(hub))]
        for (const text of [...told.map((one) => one.text), ...kept])
          expect(text).not.toContain(bearer.slice(0, 40))
        expect((await invoke({ presented: { external_bearer: bearer } })).status).toBe(200)
      },
    )
  })

  describe('the life of a grant', () => {
    verifies(['GATE-059', 'GATE-064', 'GATE-193'], 'ends with its time, its revoke or its pin', async () => {
      const start = Date.now()
      clock.now = new Date(start)
      const [a, b, c] = [
        await mint(hub, { ttl_seconds: 60 }),
        await mint(hub, { ttl_seconds: 60 }),
        await mint(hub),
      ]
      clock.now = new Date(start + 60_000)
      expect((await invoke(a)).status).toBe(200)
      clock.now = new Date(start + 60_001)
      expect(await invoke(a)).toEqual(refused(403, EXPIRED))
      expect(await fetch(a)).toEqual(refused(403, EXPIRED))
      await revoke(b.grant.grant_id)
      expect(await invoke(b)).toEqual(refused(403, REVOKED))
      clock.now = undefined
      await revoke(a.grant.grant_id)
      clock.now = new Date(start + 120_000)
      expect(await invoke(a)).toEqual(refused(403, REVOKED))
      clock.now = undefined
      const spoil = sql('UPDATE flow_external_grants SET expires_at = ? WHERE grant_id = ?')
      await hub.hub.db.transaction((tx) => tx.run(spoil, 'whenever', c.grant.grant_id))
      expect(await invoke(c)).toEqual(refused(403, EXPIRED))
      expect(await listed(hub)).toContainEqual({ ...c.grant, expires_at: c.grant.issued_at })
      await hub.hub.db.transaction((tx) => tx.run(spoil, '2100-01-01T00:00:00.000Z', c.grant.grant_id))
      // What was refused as expired stays so.
      expect(await invoke(c)).toEqual(refused(403, EXPIRED))
      expect(await invoke(await mint(hub), { flow_version: '1.3.0' })).toEqual(refused(403, MISMATCH))
    })

    verifies('GATE-060', 'is a day at most, whatever the policy says', async () => {
      const life = async (terms: object, ttl_seconds?: number) => {
        writePolicy(hub, terms)
        const { grant } = await mint(hub, ttl_seconds === undefined ? {} : { ttl_seconds })
        return (Date.parse(grant.expires_at) - Date.parse(grant.issued_at)) / 1_000
      }
      expect(await life({ max_ttl_seconds: 999_999 }, 999_999)).toBe(86_400)
      expect(await life({ default_ttl_seconds: 999_999 })).toBe(86_400)
      expect(await life({ default_ttl_seconds: 7_200, max_ttl_seconds: 600 })).toBe(600)
      writePolicy(hub)
    })

    verifies(['GATE-061', 'GATE-079'], 'is one version’s: the next one needs another', async () => {
      const held = await mint(hub)
      expect(await invoke(held, { flow_version: '1.3.0' })).toEqual(refused(403, MISMATCH))
      expect((await invoke(held)).status).toBe(200)
      const latest = { flow_id: 'flow_gate', harness: 'agent_bundle' }
      expect(await ask(hub, 'flow_project', latest, held)).toEqual(refused(403, MISMATCH))
      expect(await fetch(held, { version: '1.3.0' })).toEqual(refused(403, MISMATCH))
      expect(await fetch(held, { flow_id: 'flow_plain', version: '1.0.0' })).toEqual(refused(403, MISMATCH))
      expect((await fetch(held)).status).toBe(200)
    })

    verifies(['GATE-063', 'GATE-066'], 'is over with the answer of the revoke, once for all', async () => {
      for (const way of SURFACES) {
        const held = await mint(hub)
        expect((await invoke(held)).status).toBe(200)
        const first = await revoke(held.grant.grant_id, { way })
        for (const use of SURFACES) {
          expect((await invoke({ ...held, way: use })).code).toBe(REVOKED)
          expect((await fetch({ ...held, way: use })).code).toBe(REVOKED)
        }
        clock.now = new Date(Date.now() + 5_000)
        const second = await revoke(held.grant.grant_id, { way })
        clock.now = undefined
        expect(second.body).toEqual(first.body)
        const kept = (await listed(hub)).find(({ grant_id }) => grant_id === held.grant.grant_id)
        expect(kept).toEqual(first.body)
        expect(first.body.revoked_at).toMatch(ISO_UTC)
      }
    })

    verifies('GATE-065', 'can be ended whatever the gates say', async () => {
      for (const way of SURFACES) {
        const [a, b] = [await mint(hub), await mint(hub)]
        turnGate(hub, '0')
        expect((await revoke(a.grant.grant_id, { way })).body.revoked_at).toMatch(ISO_UTC)
        turnGate(hub, '1')
        writePolicy(hub, { forbidden: true })
        expect((await revoke(b.grant.grant_id, { way })).body.revoked_at).toMatch(ISO_UTC)
        writePolicy(hub)
        for (const held of [a, b]) expect((await invoke(held)).code).toBe(REVOKED)
      }
    })

    verifies(
      ['GATE-062', 'GATE-069', 'GATE-071'],
      'begins and ends by those who may write there',
      async () => {
        const project = { flow_id: 'flow_project_only' }
        const org = { flow_id: 'flow_higher' }
        const minting = (as: Who, input: object = {}) =>
          ask(hub, 'flow_external_grant_mint', { ...MINT_INPUT, ...input }, { as })
        for (const as of ['viewer', 'evaluator'] as const) {
          const held = await mint(hub)
          expect(await minting(as)).toEqual(refused(403, DENIED))
          expect(await revoke(held.grant.grant_id, { as })).toEqual(refused(403, DENIED))
          expect((await invoke({ ...held, as })).status).toBe(200)
        }
        for (const input of [{}, project]) expect((await minting('editor', input)).status).toBe(201)
        expect((await minting('admin', org)).status).toBe(201)
        const top = await mint(hub, org, { as: 'admin' })
        expect((await revoke(top.grant.grant_id, { as: 'admin' })).status).toBe(200)
        const seen = async (as: Who) =>
          [...new Set((await listed(hub, {}, { as })).map(({ scope }) => scope))].toSorted()
        expect([await seen('viewer'), await seen('editor')]).toEqual([['personal'], ['personal', 'project']])
        for (const which of [{}, { flow_id: 'flow_higher' }]) {
          const all = await listed(hub, which, { as: 'admin' })
          expect(all.find(({ grant_id }) => grant_id === top.grant.grant_id)?.revoked_at).toMatch(ISO_UTC)
        }
      },
    )
  })
}
