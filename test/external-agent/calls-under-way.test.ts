import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { ask, type Minted, mint, policyWith, startGateHub, turnGate, writePolicy } from './gate-hub.ts'
import { fakeProvider, toolFlow } from './tool-servers.ts'

const pin = { flow_id: 'flow_slow', flow_version: '1.0.0' }
// Longer than a test may take: what ends sooner has been ended.
const hang = { id: 'hang', provider: fakeProvider('hang', { timeout_seconds: 600 }) }
const cancelled = { id: 'cancelled', provider: fakeProvider('cancelled') }

const clock: { now?: Date | undefined } = {}
let hub: TestHub
beforeAll(async () => {
  hub = await startGateHub('on', { clock, policy: policyWith({ allowed_tools: [hang, cancelled] }) })
  await storeFlows(hub.hub, 'default', [toolFlow(pin.flow_id, ['hang', 'cancelled'])])
})
afterAll(() => hub.close())

const use = (tool_id: string, held: Minted, way: 'rest' | 'cli' | 'home' | 'direct' = 'rest') =>
  ask(hub, 'flow_external_tool_invoke', { tool_id, ...pin }, { ...held, way })

/** Begins a call that does not end by itself, and waits until it is under way. */
async function begin(way: 'rest' | 'cli' | 'home' | 'direct') {
  const held = await mint(hub, { ...pin, requested_tools: ['hang', 'cancelled'] })
  const call = use('hang', held, way)
  await vi.waitFor(async () => {
    const { body } = await ask(hub, 'flow_external_grant_list')
    const found = body.grants.find(({ grant_id }: Minted['grant']) => grant_id === held.grant.grant_id)
    expect(found.invocation_count).toBe(1)
  }, 20_000)
  return { held, call }
}

const revoke = ({ grant }: Minted) => ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })

const lock = ({ grant }: Minted) =>
  ask(hub, 'lock_add', { kind: 'agent', id: grant.grant_id }, { as: 'owner' })

describe('a call under way', () => {
  test.each(['direct', 'rest', 'cli', 'home'] as const)(
    'is stopped by the revoke of its grant, and says so: %s',
    async (way) => {
      const { held, call } = await begin(way)
      await revoke(held)
      expect((await call).code).toBe('FLOW_EXTERNAL_GRANT_REVOKED')
      const last = (await auditRecords(hub)).findLast(({ target_id }) => target_id === 'hang')
      expect(last).toMatchObject({ outcome: 'denied', code: 'FLOW_EXTERNAL_GRANT_REVOKED' })
    },
    60_000,
  )

  test('is cancelled at the provider', async () => {
    const watching = await mint(hub, { ...pin, requested_tools: ['cancelled'] })
    const countOf = async () => Number((await use('cancelled', watching)).body.result.content[0].text)
    const { held, call } = await begin('rest')
    const before = await countOf()
    await revoke(held)
    await call
    expect(await countOf()).toBe(before + 1)
  })

  test.each<[string, string, (held: Minted) => unknown, () => unknown]>([
    ['LOCKED', 'a lock of its grant', lock, () => {}],
    ['FLOW_EXTERNAL_AGENT_DISABLED', 'the gate', () => turnGate(hub, '0'), () => turnGate(hub, '1')],
    [
      'FLOW_EXTERNAL_TOOL_DENIED',
      'the allowlist',
      () => writePolicy(hub, { allowed_tools: [cancelled] }),
      () => writePolicy(hub, { allowed_tools: [hang, cancelled] }),
    ],
    [
      'FLOW_EXTERNAL_GRANT_EXPIRED',
      'the end of its grant',
      () => void (clock.now = new Date(Date.now() + 3_601_000)),
      () => void (clock.now = undefined),
    ],
  ])('hears %s from %s, as the next call would', async (code, _, stop, mend) => {
    const { held, call } = await begin('rest')
    await stop(held)
    expect((await call).code).toBe(code)
    expect((await use('hang', held)).code).toBe(code)
    await mend()
  })
})
