import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allOperations } from '../../src/domains/index.ts'
import { vaultMember } from '../../src/operations/authority.ts'
import type { Operation } from '../../src/operations/define-operation.ts'
import { COMMON_ERRORS, Refusal } from '../../src/operations/errors.ts'
import { type Hub, openHub } from '../../src/operations/hub.ts'
import { type Call, runOperation } from '../../src/operations/run-operation.ts'
import { type Caller, localCaller, toolboxCaller } from '../../src/platform/identity/caller.ts'
import { GATE_FLAGS } from '../../src/platform/policy/gates.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { makeTestHome, type TestHome } from '../harness/test-hub.ts'
import { sampleOperation } from './sample-operation.ts'

const writeMeta = sql(`INSERT INTO hub_meta (key, value) VALUES ('sample', 'written')`)
const readMeta = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'sample'`)
const readRecords = sql<{ operation: string; outcome: string; code: string | null }>(
  'SELECT operation, outcome, code FROM audit_records ORDER BY seq',
)

let made: TestHome
let hub: Hub

beforeAll(async () => {
  made = await makeTestHome({ env: Object.fromEntries(GATE_FLAGS.map((flag) => [flag, '1'])) })
  hub = await openHub(made.options)
})
afterAll(async () => {
  await hub.close()
  await made[Symbol.asyncDispose]()
})

function run(operation: Operation, changes: Partial<Call> = {}) {
  const call = { operation, surface: 'cli', caller: localCaller('knowtation'), address: 'test' } as const
  return runOperation(hub, { ...call, vault: undefined, input: { sample_id: 'a' }, ...changes })
}

/** A caller whom the operation is for: the owner, or an agent at a seat with the right role. */
function callerFor({ authority }: Operation): Caller {
  if (authority.kind !== 'seat' && authority.kind !== 'any_seat') return localCaller('knowtation')
  const [role = 'any'] = authority.kind === 'seat' ? authority.roles : []
  const seat = { project_root: '/', service_root: '/', role, agent_id: 'sample' }
  return toolboxCaller('sample', 'default', seat, 'knowtation')
}

/** An operation whose handler throws. */
function failing(error: Error): Operation {
  return sampleOperation({ handle: () => Promise.reject(error) })
}

const RUNTIME_ERROR = { ok: false, status: 500, code: 'RUNTIME_ERROR' }
const RUNTIME_TEXT = JSON.stringify({ error: COMMON_ERRORS.RUNTIME_ERROR.message, code: 'RUNTIME_ERROR' })

describe('what a handler may not do becomes an error of the hub, without detail', () => {
  test('a code it did not declare', async () => {
    const answer = await run(failing(new Refusal('NOT_DECLARED', 'a detail')))
    expect(answer).toMatchObject({ ...RUNTIME_ERROR, text: RUNTIME_TEXT })
    expect(made.logged.join('')).toContain('"undeclared":"NOT_DECLARED"')
    expect(made.logged.join('')).not.toContain('a detail')
  })

  test('any other error, whose message is not even logged', async () => {
    expect(await run(failing(new TypeError('holds a secret of someone')))).toMatchObject({
      ...RUNTIME_ERROR,
      text: RUNTIME_TEXT,
    })
    expect(made.logged.join('')).toContain('"fault":"TypeError"')
    expect(made.logged.join('')).not.toContain('holds a secret')
  })

  test.each([
    ['an output with a field too many', { sample_id: 'a', more: 1 }],
    ['an output of the wrong type', { sample_id: 1 }],
    ['no output', undefined],
  ])('%s', async (_name, output) => {
    expect(await run(sampleOperation({ handle: async () => output }))).toMatchObject({
      ...RUNTIME_ERROR,
      text: RUNTIME_TEXT,
    })
  })

  test('a declared code goes out with its own status and text', async () => {
    expect(await run(failing(new Refusal('SAMPLE_OFF')))).toMatchObject({
      status: 403,
      text: '{"error":"Samples are off.","code":"SAMPLE_OFF"}',
    })
  })
})

test('a change that fails leaves nothing behind but its record', async () => {
  const operation = sampleOperation({
    name: 'sample_write',
    effect: 'create',
    authority: vaultMember('write'),
    handle: async ({ db }) => {
      await (db as { run(statement: unknown): Promise<number> }).run(writeMeta)
      throw new Refusal('SAMPLE_OFF')
    },
  })
  expect((await run(operation)).code).toBe('SAMPLE_OFF')
  expect(await hub.db.get(readMeta)).toBeUndefined()
  const records = await hub.db.all(readRecords)
  expect(records.filter((record) => record.operation === 'sample_write')).toEqual([
    { operation: 'sample_write', outcome: 'denied', code: 'SAMPLE_OFF' },
  ])
})

test.each(['rest', 'mcp', 'cli'] as const)('an operation without %s is not there', async (surface) => {
  const none = { rest: undefined, mcp: false, cli: undefined }
  const here = { rest: 'GET /api/v1/samples/{sample_id}', mcp: true, cli: 'sample get <sample_id>' }
  const without = sampleOperation({ ...here, [surface]: none[surface] })
  const only = sampleOperation({ ...none, [surface]: here[surface] })
  expect((await run(without, { surface })).code).toBe('NOT_FOUND')
  expect((await run(only, { surface })).ok).toBe(true)
})

describe.each(allOperations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_name, operation) => {
    const refused = { status: 400, code: operation.whenInvalid ?? 'BAD_REQUEST' }
    const surface = operation.rest ? 'rest' : operation.mcp ? 'mcp' : 'cli'
    const unreachable = { ...operation, handle: () => Promise.reject(new Error('must not be reached')) }
    const caller = callerFor(operation)

    test('knows all keys it takes, and refuses any other', async () => {
      const issues = operation.input.safeParse({ surely_not_known: 1 }).error?.issues ?? []
      expect(issues).toContainEqual(
        expect.objectContaining({ code: 'unrecognized_keys', keys: ['surely_not_known'] }),
      )
      expect(await run(unreachable, { surface, caller, input: { surely_not_known: 1 } })).toMatchObject(
        refused,
      )
    })

    test.each([
      ['a list', []],
      ['a text', 'x'],
      ['null', null],
      ['a number', 1],
    ])('refuses %s as its input', async (_what, input) => {
      expect(await run(unreachable, { surface, caller, input })).toMatchObject(refused)
    })
  },
)
