import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Hub, openHub } from '../../src/operations/hub.ts'
import { type Answer, runOperation } from '../../src/operations/run-operation.ts'
import { localCaller } from '../../src/platform/identity/caller.ts'
import { GATE_FLAGS, type GateFlag } from '../../src/platform/policy/gates.ts'
import { makeTestHome, type TestHome } from '../harness/test-hub.ts'
import { sampleOperation } from './sample-operation.ts'

/** What the owner writes into a vault's policy to set each gate. */
const POLICIES: Record<GateFlag, (on: boolean) => object> = {
  FLOW_EXTERNAL_AGENT_ENABLED: (on) => ({ external_agent: { enabled: on } }),
  FLOW_HOSTED_PROJECTION_ENABLED: (on) => ({ external_agent: { hosted_projection_enabled: on } }),
  FLOW_AUTHORING_WRITES: (on) => ({ flow_authoring: { writes_enabled: on } }),
  FLOW_RUN_WRITES_ENABLED: (on) => ({ flow_runs: { writes_enabled: on } }),
  FLOW_AUTOMATABLE_EXECUTION_ENABLED: (on) => ({ flow_runs: { automatable_execution_enabled: on } }),
}
/** Gates that stand behind another one. */
const OUTER: Partial<Record<GateFlag, GateFlag>> = {
  FLOW_AUTOMATABLE_EXECUTION_ENABLED: 'FLOW_RUN_WRITES_ENABLED',
}
const DAMAGED = 'external_agent: {enabled: true}\nflow_authoring: [writes_enabled: true\n'
const WRONG_TYPE = {
  external_agent: { enabled: 'true' },
  flow_authoring: { writes_enabled: 1 },
  flow_runs: 'on',
}

type Setting = 'true' | 'false' | 'absent' | 'damaged' | 'wrong type'

/** The environment's word, the policy's word, and the gate that must come of them. */
const MATRIX: readonly (readonly [string | undefined, Record<Setting, 'on' | 'off'>])[] = [
  ['1', { true: 'on', false: 'on', absent: 'on', damaged: 'on', 'wrong type': 'on' }],
  ['true', { true: 'on', false: 'on', absent: 'on', damaged: 'on', 'wrong type': 'on' }],
  ['0', { true: 'off', false: 'off', absent: 'off', damaged: 'off', 'wrong type': 'off' }],
  ['false', { true: 'off', false: 'off', absent: 'off', damaged: 'off', 'wrong type': 'off' }],
  ...[undefined, '', 'yes', 'TRUE', 'on', ' 1', '01'].map(
    (other) =>
      [other, { true: 'on', false: 'off', absent: 'off', damaged: 'off', 'wrong type': 'off' }] as const,
  ),
]

let made: TestHome
let hub: Hub

beforeAll(async () => {
  made = await makeTestHome()
  hub = await openHub(made.options)
})
afterAll(async () => {
  await hub.close()
  await made[Symbol.asyncDispose]()
})

function callBehind(flag: GateFlag, input: unknown = { sample_id: 'a' }): Promise<Answer> {
  const operation = sampleOperation({ gate: { flag, whenOff: 'SAMPLE_OFF' } })
  const caller = localCaller('knowtation')
  return runOperation(hub, { operation, surface: 'cli', caller, address: 'test', vault: undefined, input })
}

function setPolicy(flag: GateFlag, setting: Setting): void {
  const file = made.home.vaultPolicy('default')
  if (setting === 'absent') rmSync(file, { force: true })
  else if (setting === 'damaged') made.write(file, DAMAGED)
  else made.write(file, setting === 'wrong type' ? WRONG_TYPE : POLICIES[flag](setting === 'true'))
}

describe.each(GATE_FLAGS)('%s', (flag) => {
  const outer = OUTER[flag]
  beforeAll(() => void (outer && (hub.env[outer] = '1')))
  afterAll(() => void (outer && delete hub.env[outer]))

  if (outer)
    test('is shut as long as the gate before it is', async () => {
      setPolicy(flag, 'true')
      hub.env[outer] = '0'
      expect((await callBehind(flag)).code).toBe('SAMPLE_OFF')
      hub.env[outer] = '1'
      expect((await callBehind(flag)).ok).toBe(true)
    })

  test.each(MATRIX)('set to %j by the environment', async (value, expected) => {
    if (value === undefined) delete hub.env[flag]
    else hub.env[flag] = value
    const found: Record<string, string> = {}
    for (const setting of Object.keys(expected) as Setting[]) {
      setPolicy(flag, setting)
      const { ok, status, code } = await callBehind(flag)
      expect([ok, status, code]).toEqual(ok ? [true, 200, null] : [false, 403, 'SAMPLE_OFF'])
      found[setting] = ok ? 'on' : 'off'
    }
    expect(found).toEqual(expected)
    delete hub.env[flag]
  })

  test('counts from the next call after the policy was edited, both ways', async () => {
    const seen: boolean[] = []
    for (const setting of ['true', 'false', 'true', 'damaged', 'true', 'absent'] as const) {
      setPolicy(flag, setting)
      seen.push((await callBehind(flag)).ok)
    }
    expect(seen).toEqual([true, false, true, false, true, false])
  })

  test('answers before the input is looked at', async () => {
    setPolicy(flag, 'false')
    expect((await callBehind(flag, { nonsense: true })).code).toBe('SAMPLE_OFF')
    setPolicy(flag, 'true')
    expect((await callBehind(flag, { nonsense: true })).code).toBe('BAD_REQUEST')
  })

  test('of one vault does not open another', async () => {
    setPolicy(flag, 'true')
    const operation = sampleOperation({ gate: { flag, whenOff: 'SAMPLE_OFF' } })
    const call = { operation, surface: 'cli', caller: localCaller('knowtation'), address: 'test' } as const
    const input = { sample_id: 'a' }
    expect((await runOperation(hub, { ...call, vault: 'other', input })).code).toBe('SAMPLE_OFF')
  })
})
