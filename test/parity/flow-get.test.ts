import { expect } from 'vitest'
import { describeParity, type ParityCase } from './parity-case.ts'

const FLOW_KEYS =
  'schema flow_id title version scope summary tags steps inputs vault_mirror_path updated truncated'
const STEP_KEYS =
  'schema step_id flow_id ordinal owned_job instruction trigger when_not_to_run requires boundaries skill_refs inputs outputs output_shape verification automatable'

const keysOf = (value: object) => Object.keys(value).join(' ')

const GETS: ParityCase[] = [
  {
    name: 'a flow and its steps have their keys in the order of the contract, the version of a row is no key',
    rules: ['FLOW-010', 'FLOW-013', 'FLOW-014', 'FLOW-037'],
    operation: 'flow_get',
    input: { flow_id: 'flow_two' },
    as: 'editor',
    status: 200,
    check(body) {
      expect(keysOf(body)).toBe('schema vault_id flow steps')
      expect(keysOf(body.flow)).toBe(FLOW_KEYS)
      expect(body.flow.schema).toBe('knowtation.flow/v0')
      for (const step of body.steps) {
        expect(keysOf(step)).toBe(STEP_KEYS)
        expect(step.schema).toBe('knowtation.flow_step/v0')
        expect(step).not.toHaveProperty('flow_version')
      }
    },
  },
  {
    name: 'without a version the latest one comes, its steps in order',
    rules: ['FLOW-030'],
    operation: 'flow_get',
    input: { flow_id: 'flow_two' },
    as: 'viewer',
    status: 200,
    check({ schema, flow, steps }) {
      expect([schema, flow.version]).toEqual(['knowtation.flow_get/v0', '1.1.0'])
      expect(steps.map((step: { ordinal: number }) => step.ordinal)).toEqual([1, 2])
    },
  },
  {
    name: 'with a version that one comes',
    rules: ['FLOW-030'],
    operation: 'flow_get',
    input: { flow_id: 'flow_two', version: '1.0.0' },
    as: 'viewer',
    status: 200,
    check({ flow, steps }) {
      expect([flow.version, steps.length]).toEqual(['1.0.0', 3])
    },
  },
  {
    name: 'the latest is the latest one visible',
    rules: ['FLOW-030', 'FLOW-033'],
    operation: 'flow_get',
    input: { flow_id: 'flow_grown' },
    as: 'viewer',
    status: 200,
    check: ({ flow }) => expect(flow.version).toBe('1.0.0'),
  },
  {
    name: 'what a bundle left out comes with its defaults',
    rules: ['FLOW-011'],
    operation: 'flow_get',
    input: { flow_id: 'flow_bare' },
    as: 'viewer',
    status: 200,
    check({ flow, steps }) {
      expect(flow).toMatchObject({ tags: [], inputs: [], vault_mirror_path: null })
      expect(keysOf(flow)).toBe(FLOW_KEYS)
      expect(steps[0]).toMatchObject({ requires: [], skill_refs: [], inputs: [], outputs: [] })
    },
  },
  {
    name: 'a flow of more than 100 steps is cut there and says so',
    rules: ['FLOW-023'],
    operation: 'flow_get',
    input: { flow_id: 'flow_long' },
    as: 'viewer',
    status: 200,
    check({ flow, steps }) {
      expect([steps.length, flow.truncated]).toEqual([100, true])
      expect(steps.at(-1).ordinal).toBe(100)
    },
  },
  {
    name: 'a flow of 100 steps is whole',
    rules: ['FLOW-023'],
    operation: 'flow_get',
    input: { flow_id: 'flow_brim' },
    as: 'viewer',
    status: 200,
    check: ({ flow, steps }) => expect([steps.length, flow.truncated]).toEqual([100, false]),
  },
  ...(
    [
      ['a flow that is not there', { flow_id: 'flow_nope' }],
      ['a flow of a scope the caller does not see', { flow_id: 'flow_company' }],
      ['a version of a scope the caller does not see', { flow_id: 'flow_grown', version: '2.0.0' }],
      ['a version that is not there', { flow_id: 'flow_two', version: '9.0.0' }],
    ] as const
  ).flatMap(([what, input]) =>
    ['flow_get', 'flow_export'].map(
      (operation): ParityCase => ({
        name: `${what} is unknown to ${operation}, in the same words`,
        rules: ['FLOW-031', 'FLOW-032'],
        operation,
        input,
        as: 'viewer',
        code: 'unknown_flow',
        status: 404,
        check: (_body, text) => expect(text).toBe('{"error":"unknown_flow","code":"unknown_flow"}'),
      }),
    ),
  ),
  ...['Flow-1', 'flow_', 'flow_A', `flow_${'a'.repeat(65)}`, 'notes', 'flow_a b'].flatMap((flow_id) =>
    (['flow_get', 'flow_export', 'flow_project'] as const).map(
      (operation): ParityCase => ({
        name: `the id ${JSON.stringify(flow_id.slice(0, 12))} is a bad request to ${operation}, not unknown`,
        rules: ['FLOW-007', 'FLOW-031'],
        operation,
        input: { flow_id, ...(operation === 'flow_project' && { harness: 'cli_runbook' }) },
        as: 'viewer',
        code: 'BAD_REQUEST',
        status: 400,
        check: (body) => expect(keysOf(body)).toBe('error code'),
      }),
    ),
  ),
  ...['1', '1.0', '01.0.0', '1.0.0-rc1', 'v1.0.0', '1.0.0+1'].map(
    (version): ParityCase => ({
      name: `the version ${version} is a bad request`,
      operation: 'flow_get',
      input: { flow_id: 'flow_two', version },
      as: 'viewer',
      code: 'BAD_REQUEST',
      status: 400,
    }),
  ),
]

describeParity('flow_get', GETS)
