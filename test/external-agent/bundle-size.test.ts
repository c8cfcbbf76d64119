import { afterAll, beforeAll, expect } from 'vitest'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { stepsOf } from './bundles.ts'
import { ask, startGateHub } from './gate-hub.ts'

const LIMIT_BYTES = 65_536

let hub: TestHub
beforeAll(async () => void (hub = await startGateHub('on')))
afterAll(() => hub.close())

let made = 0

/** What becomes of a flow whose steps have instructions of these lengths. */
async function render(...lengths: number[]) {
  const flow_id = `flow_size_${1_000 + made++}`
  const steps = lengths.map((length) => ({ instruction: 'x'.repeat(length), skill_refs: [] }))
  await storeFlows(hub.hub, 'default', [stepsOf(flow_id, {}, steps)])
  const { body } = await ask(hub, 'flow_project', { flow_id, harness: 'agent_bundle' })
  const { rendered, fidelity } = body.projection
  const kept = JSON.parse(rendered).steps as unknown[]
  return { bytes: Buffer.byteLength(rendered), steps: kept.length, notes: fidelity.notes as string | null }
}

verifies('GATE-125', 'a bundle is whole up to the last byte that it may have', async () => {
  const lengths = [15_000, 15_000, 15_000]
  const { bytes, notes } = await render(...lengths, 1_000)
  expect(notes).toBeNull()
  const last = 1_000 + LIMIT_BYTES - bytes
  expect(await render(...lengths, last)).toEqual({ bytes: LIMIT_BYTES, steps: 4, notes: null })
  const over = await render(...lengths, last + 1)
  expect([over.steps, over.notes]).toEqual([3, expect.stringContaining('3 of 4 steps')])
})

verifies('GATE-125', 'a bundle that is cut keeps every step up to that same byte', async () => {
  // The last step fits in no case, so the note stands beside as many of the others as there is room for.
  const [others, last] = [[15_000, 15_000, 15_000], 20_000]
  const cut = await render(...others, 1_000, last)
  expect([cut.steps, cut.notes]).toEqual([4, expect.stringContaining('4 of 5 steps')])
  const fourth = 1_000 + LIMIT_BYTES - cut.bytes
  const full = await render(...others, fourth, last)
  expect([full.bytes, full.steps]).toEqual([LIMIT_BYTES, 4])
  const over = await render(...others, fourth + 1, last)
  expect([over.steps, over.notes]).toEqual([3, expect.stringContaining('3 of 5 steps')])
})
