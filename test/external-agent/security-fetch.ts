import { afterAll, beforeAll, expect } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { codeOf, send } from '../rest/rest-hub.fixture.ts'
import { ALLOWED_TOOLS, ask, mint, startGateHub, writePolicy } from './gate-hub.ts'
import { refused } from './security-bearer.ts'

const DENIED = 'FLOW_EXTERNAL_GRANT_DENIED'
const FETCH = { flow_id: 'flow_gate', version: '1.2.0', harness: 'agent_bundle' }

/** What a grant does to the reading of a flow. */
export function describeFetches(): void {
  let hub: TestHub
  beforeAll(async () => void (hub = await startGateHub('on')))
  afterAll(() => hub.close())
  const fetch = (how: Parameters<typeof ask>[3] = {}, input: object = {}) =>
    ask(hub, 'flow_project', { ...FETCH, ...input }, how)

  verifies(['GATE-077', 'GATE-083'], 'is the same with and without a grant', async () => {
    const held = await mint(hub)
    const [plain, granted] = [await fetch(), await fetch(held)]
    expect([plain.status, granted.status]).toEqual([200, 200])
    expect(granted.body.projection).toEqual(plain.body.projection)
    expect(granted.body.generator.content_hash).toBe(plain.body.generator.content_hash)
    expect(JSON.parse(plain.body.projection.rendered).grant_required).toBe(true)
  })

  verifies(['GATE-078', 'GATE-080', 'GATE-081', 'GATE-082'], 'with a grant is held to it', async () => {
    const held = await mint(hub, { requested_tools: ['web_search', 'alpha'] })
    const foreign = { external_bearer: held.bearer }
    for (const external_bearer of [
      'fgrnt_bearer_wrong',
      `fgrnt_bearer_${'0'.repeat(64)}`,
      'x',
      held.grant.grant_id,
    ]) {
      const told = await fetch({ presented: { external_bearer } })
      expect(told).toEqual(refused(403, DENIED))
      expect(told.body.projection).toBeUndefined()
    }
    const empty = await send(hub.url, {
      path: '/api/v1/flows/flow_gate/projection?harness=agent_bundle',
      bearer: hub.credentials.bearers.editor,
      headers: { 'x-flow-external-bearer': '' },
    })
    expect([empty.status, codeOf(empty)]).toEqual([403, DENIED])
    hub.write(hub.home.vaultPolicy('other'), { external_agent: { allowed_tools: ['web_search'] } })
    const elsewhere = { flow_id: 'flow_research_brief', harness: 'agent_bundle' }
    const other = await ask(hub, 'flow_project', elsewhere, {
      as: 'hub',
      vault: 'other',
      presented: foreign,
    })
    expect(other).toEqual(refused(403, DENIED))
    for (const harness of ['cursor_rule', 'cli_runbook'])
      expect(await fetch(held, { harness })).toEqual(refused(403, DENIED))
    for (const gone of held.grant.allowed_tools) {
      writePolicy(hub, { allowed_tools: ALLOWED_TOOLS.filter(({ id }) => id !== gone) })
      expect(await fetch(held)).toEqual(refused(403, 'FLOW_EXTERNAL_TOOL_DENIED'))
    }
    writePolicy(hub)
    const org = await mint(hub, { flow_id: 'flow_higher' }, { as: 'admin' })
    const higher = { flow_id: 'flow_higher', version: '1.2.0' }
    expect(await fetch({ ...org, as: 'viewer' }, higher)).toEqual(refused(404, 'unknown_flow'))
    expect((await fetch({ ...org, as: 'admin' }, higher)).status).toBe(200)
  })
}
