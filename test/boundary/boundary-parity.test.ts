import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentInput } from '../../src/boundary/index.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { expectParity, type ParityCase } from '../parity/parity-case.ts'
import { addEntry, type BoundaryHub, inputOf, run, startBoundaryHub } from './boundary-hub.ts'
import { answering, goodAnswer } from './probe-engine.ts'

/** The harness hands documents over by stdin, of which there is one; the command line has its own tests. */
const TWO_DOCUMENTS = { cli: 'two documents', home: 'two documents' }
const RUN = { run_id: `brun_${'0'.repeat(32)}` }
const OBJECTIVE = { type: 'site_plan', action: 'plan', payload: {} }
const COMPOSE = {
  tenant_id: 't-001',
  robot_id: 'r-001',
  execution_id: 'exec-composed',
  objective: OBJECTIVE,
  snapshot: { signals: [1] },
  depends_on: ['led-100'],
}
const ENTRY = {
  tenant_id: 't-001',
  ledger_id: 'led-parity',
  source: 'crm',
  type: 'signal',
  payload: { a: [1, 'ü'] },
}

const refused = (
  name: string,
  operation: string,
  input: object,
  code: string,
  status: number,
): ParityCase => ({
  name,
  operation,
  input: { ...input },
  as: 'admin',
  code,
  status,
})

/** Signed anew each time, at another moment. */
const maskExport = (text: string) =>
  text.replace(/\\"(exported_at|signature)\\":\\"[^"\\]+\\"/g, '\\"$1\\":\\"…\\"')

describe.each(DATABASES)('every surface answers alike on %s:', (database) => {
  let hub: BoundaryHub
  let ended: AgentInput
  let broken: AgentInput
  beforeAll(async () => {
    hub = await startBoundaryHub({ database })
    ended = inputOf()
    broken = inputOf()
    await run(hub, ended)
    hub.probe.answer = answering({ extra: 1 })
    await run(hub, broken)
    hub.probe.answer = goodAnswer
    await addEntry(hub, ENTRY.ledger_id, ENTRY.tenant_id, ENTRY)
  })
  afterAll(() => hub.close())
  const runIdOf = async (input: object) => (await run(hub, input)).body.execution.run_id as string

  const READS: ParityCase[] = [
    { name: 'the engines', operation: 'boundary_engines', as: 'viewer', status: 200 },
    { name: 'the executions', operation: 'boundary_list', as: 'viewer', status: 200 },
    {
      name: 'the first execution of many',
      operation: 'boundary_list',
      input: { limit: 1 },
      as: 'admin',
      status: 200,
    },
    { name: 'the ledger', operation: 'ledger_list', as: 'viewer', status: 200 },
    {
      name: 'a tenant’s ledger',
      operation: 'ledger_list',
      input: { tenant_id: 't-001', limit: 2 },
      as: 'admin',
      status: 200,
    },
    { name: 'an entry', operation: 'ledger_show', input: { ledger_id: 'led-100' }, as: 'admin', status: 200 },
    {
      name: 'what came of an entry',
      operation: 'ledger_lineage',
      input: { ledger_id: 'led-100', direction: 'down' },
      as: 'admin',
      status: 200,
      check: ({ nodes }) => expect(nodes.length).toBeGreaterThan(2),
    },
    {
      name: 'the ledger’s soundness',
      operation: 'ledger_verify',
      as: 'admin',
      status: 200,
      check: ({ intact }) => expect(intact).toBe(true),
    },
    {
      name: 'a tenant’s export',
      operation: 'ledger_export',
      input: { tenant_id: 't-001' },
      as: 'admin',
      status: 200,
      mask: maskExport,
    },
    { name: 'the dead letters', operation: 'boundary_dead_letter_list', as: 'admin', status: 200 },
    {
      name: 'an entry that is there already',
      operation: 'ledger_append',
      input: ENTRY,
      as: 'admin',
      status: 201,
    },
  ]
  const REFUSALS: ParityCase[] = [
    refused(
      'an input that is not valid',
      'boundary_run',
      { engine: 'probe', input: inputOf({ tenantId: '', attempt: 0 }) },
      'VALIDATION_ERROR',
      400,
    ),
    refused(
      'an input that is no object',
      'boundary_run',
      { engine: 'probe', input: [] },
      'VALIDATION_ERROR',
      400,
    ),
    refused(
      'an engine that is not there',
      'boundary_run',
      { engine: 'nope', input: inputOf() },
      'unknown_engine',
      404,
    ),
    refused(
      'an engine’s name of another form',
      'boundary_run',
      { engine: 'No pe', input: inputOf() },
      'BAD_REQUEST',
      400,
    ),
    refused(
      'lineage that is not there',
      'boundary_run',
      { engine: 'probe', input: inputOf({ allowedLineage: { dependsOnLedgerIds: ['led-nope'] } }) },
      'MISSING_LINEAGE',
      400,
    ),
    refused('a run that is not there', 'boundary_show', RUN, 'unknown_execution', 404),
    refused('a cancel of what is not there', 'boundary_cancel', RUN, 'unknown_execution', 404),
    refused(
      'an entry that is not there',
      'ledger_show',
      { ledger_id: 'led-nope' },
      'unknown_ledger_entry',
      404,
    ),
    refused('a tenant that is not there', 'ledger_export', { tenant_id: 't-nope' }, 'unknown_tenant', 404),
    refused(
      'a dead letter that is not there',
      'boundary_dead_letter_replay',
      { dead_letter_id: `bdead_${'0'.repeat(24)}` },
      'unknown_dead_letter',
      404,
    ),
    {
      ...refused(
        'an empty snapshot',
        'boundary_compose',
        { ...COMPOSE, snapshot: {} },
        'SNAPSHOT_EMPTY',
        400,
      ),
      notOn: TWO_DOCUMENTS,
    },
    {
      ...refused(
        'an input from nothing',
        'boundary_compose',
        { ...COMPOSE, depends_on: ['led-nope'] },
        'MISSING_LINEAGE',
        400,
      ),
      notOn: TWO_DOCUMENTS,
    },
    refused(
      'an id taken by something else',
      'ledger_append',
      { ...ENTRY, payload: {} },
      'IDEMPOTENCY_CONFLICT',
      409,
    ),
    refused(
      'a payload with a key that would be dropped',
      'ledger_append',
      { ...ENTRY, ledger_id: 'led-odd', payload: JSON.parse('{"a":1,"__proto__":{"b":2}}') },
      'BAD_REQUEST',
      400,
    ),
    {
      ...refused(
        'such a key further down',
        'boundary_compose',
        { ...COMPOSE, objective: { ...OBJECTIVE, payload: JSON.parse('{"__proto__":1}') } },
        'BAD_REQUEST',
        400,
      ),
      notOn: TWO_DOCUMENTS,
      check: ({ error }) => expect(error).toBe('objective.payload has a key that is not known.'),
    },
    {
      ...refused(
        'a viewer runs nothing',
        'boundary_run',
        { engine: 'probe', input: inputOf() },
        'FORBIDDEN',
        403,
      ),
      as: 'viewer',
      notOn: { mcp: 'the tool is not shown to a viewer' },
    },
    { ...refused('a viewer adds nothing', 'ledger_append', ENTRY, 'FORBIDDEN', 403), as: 'viewer' },
    {
      ...refused('an editor exports nothing', 'ledger_export', { tenant_id: 't-001' }, 'FORBIDDEN', 403),
      as: 'editor',
    },
  ]
  for (const one of [...READS, ...REFUSALS]) test(one.name, () => expectParity(hub, one))

  test('an execution that has ended, submitted again', () =>
    expectParity(hub, {
      name: '',
      operation: 'boundary_run',
      input: { engine: 'probe', input: ended, wait_seconds: 5 },
      as: 'admin',
      status: 201,
      check: ({ idempotent, execution }) =>
        expect([idempotent, execution.state]).toEqual([true, 'succeeded']),
    }))

  test('an execution that succeeded and one that failed', async () => {
    for (const input of [ended, broken]) {
      const run_id = await runIdOf(input)
      await expectParity(hub, {
        name: '',
        operation: 'boundary_show',
        input: { run_id },
        as: 'admin',
        status: 200,
      })
      await expectParity(hub, {
        name: '',
        operation: 'boundary_cancel',
        input: { run_id },
        as: 'admin',
        code: 'EXECUTION_ENDED',
        status: 409,
      })
    }
  })

  test('something else under an id that was used', () =>
    expectParity(
      hub,
      refused(
        '',
        'boundary_run',
        { engine: 'probe', input: { ...ended, constraints: {} } },
        'IDEMPOTENCY_CONFLICT',
        409,
      ),
    ))

  test('an input that the host composes', () =>
    expectParity(hub, {
      name: '',
      operation: 'boundary_compose',
      input: COMPOSE,
      as: 'admin',
      status: 200,
      notOn: TWO_DOCUMENTS,
      mask: (text) => text.replace(/"snapshotAt":"[^"]+"/, '"snapshotAt":"…"'),
      check: ({ input }) =>
        expect(input).toMatchObject({
          coherenceStatus: 'coherent',
          allowedLineage: { dependsOnLedgerIds: ['led-100'] },
          allowedArtifactTypes: ['site_plan'],
          intelligenceSnapshot: { signals: [1] },
        }),
    }))
})
