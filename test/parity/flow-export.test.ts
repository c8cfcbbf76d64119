import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, requireOperation, WAYS } from '../harness/call.ts'
import { DATABASES, startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { describeParity } from './parity-case.ts'
import { SAMPLE_FLOWS } from './sample-flows.ts'

describeParity('flow_export', [
  {
    name: 'an export is the bundle of a version and nothing else',
    operation: 'flow_export',
    input: { flow_id: 'flow_two', version: '1.0.0' },
    as: 'admin',
    status: 200,
    check: (body) => expect(body).toEqual(SAMPLE_FLOWS[0]),
  },
  {
    name: 'an export is whole also where a read is cut',
    operation: 'flow_export',
    input: { flow_id: 'flow_long' },
    as: 'viewer',
    status: 200,
    check: ({ flow, steps }) => expect([steps.length, flow.truncated]).toEqual([101, false]),
  },
])

describe.each(DATABASES)('a round trip on %s', (database) => {
  let hub: TestHub
  beforeAll(async () => {
    hub = await startTestHub({ database })
    await storeFlows(hub.hub, 'default', SAMPLE_FLOWS)
  })
  afterAll(() => hub.close())

  test.each(['flow_two', 'flow_bare', 'flow_hostile', 'flow_long', 'flow_overseer_handover'])(
    'the export of %s is a valid bundle that keeps every field, on each surface',
    async (flow_id) => {
      for (const way of WAYS) {
        const exported = await call(hub, way, {
          operation: requireOperation('flow_export'),
          input: { flow_id },
          as: 'admin',
        })
        const bundle = JSON.parse(exported.text)
        const checked = await call(hub, way, {
          operation: requireOperation('flow_check'),
          input: { bundle },
          as: 'admin',
        })
        const { flow, steps } = JSON.parse(checked.text)
        expect({ way, flow, steps }).toEqual({ way, ...bundle })
        expect(JSON.stringify({ flow, steps })).toBe(exported.text)
      }
    },
  )
})
