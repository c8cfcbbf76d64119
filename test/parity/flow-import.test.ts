import { afterAll, beforeAll, describe, expect } from 'vitest'
import { call, requireOperation, WAYS, type Way } from '../harness/call.ts'
import { DATABASES, startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { bundleOf, SAMPLE_FLOWS } from './sample-flows.ts'

describe.each(DATABASES)('imports on %s', (database) => {
  let hub: TestHub
  beforeAll(async () => {
    hub = await startTestHub({ database, env: { FLOW_AUTHORING_WRITES: '1' } })
    await storeFlows(hub.hub, 'default', SAMPLE_FLOWS)
    for (const way of WAYS)
      hub.write(hub.home.vaultPolicy(`copy-${way}`), { external_agent: { allowed_tools: ['web_search'] } })
  })
  afterAll(() => hub.close())

  function ask(way: Way, name: string, input: Record<string, unknown>, vault: string) {
    return call(hub, way, { operation: requireOperation(name), input, as: 'hub', vault })
  }

  verifies('FLOW-070', 'an exported flow comes into another vault with every field', async () => {
    for (const way of WAYS)
      for (const flow_id of ['flow_two', 'flow_bare', 'flow_hostile', 'flow_long']) {
        const exported = await ask(way, 'flow_export', { flow_id }, 'default')
        const bundle = JSON.parse(exported.text)
        const imported = await ask(way, 'flow_import', { bundle, intent: 'Bring it over' }, `copy-${way}`)
        const { proposal_id } = JSON.parse(imported.text)
        const shown = await ask(way, 'proposal_show', { proposal_id }, `copy-${way}`)
        const { flow, steps } = JSON.parse(shown.text)
        expect({ way, flow_id, flow, steps }).toEqual({ way, flow_id, ...bundle })
      }
  })

  verifies('FLOW-025', 'a hint or reference that is too long is refused, not cut', async () => {
    const limits = { source_vault_hint: 128, external_ref: 256 }
    for (const way of WAYS)
      for (const [field, longest] of Object.entries(limits)) {
        const vault = `copy-${way}`
        const importing = (length: number) => ({
          bundle: bundleOf(`flow_${field}_${length}`),
          intent: 'Bring it over',
          [field]: 'x'.repeat(length),
        })
        const refused = await ask(way, 'flow_import', importing(longest + 1), vault)
        expect({ way, ok: refused.ok, code: JSON.parse(refused.text).code }).toEqual({
          way,
          ok: false,
          code: 'FLOW_IMPORT_BUNDLE_MALFORMED',
        })
        const taken = await ask(way, 'flow_import', importing(longest), vault)
        const { proposal_id } = JSON.parse(taken.text)
        const shown = await ask(way, 'proposal_show', { proposal_id }, vault)
        expect(JSON.parse(shown.text).proposal[field]).toBe('x'.repeat(longest))
      }
  })
})
