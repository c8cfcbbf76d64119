import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type AgentInput,
  ARTIFACT_TYPES_BY_OBJECTIVE,
  INPUT_KEYS,
  OBJECTIVE_TYPES,
} from '../../src/boundary/index.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import {
  addEntry,
  ask,
  type BoundaryHub,
  entries,
  inputOf,
  run,
  startBoundaryHub,
  traceRun,
} from './boundary-hub.ts'
import { answering, goodAnswer } from './probe-engine.ts'

describe.each(DATABASES)('submissions on %s', (database) => {
  let hub: BoundaryHub
  const traced = (input: unknown, more: object = {}) => traceRun(hub, input, more)
  beforeAll(async () => {
    hub = await startBoundaryHub({ database })
  })
  afterEach(() => void (hub.probe.answer = goodAnswer))
  afterAll(() => hub.close())

  verifies(
    'BNDY-004',
    'count once, however often the same is submitted; anything else is a conflict',
    async () => {
      const input = inputOf()
      const first = await traced(input)
      expect([first.told.status, first.told.body.idempotent, first.made]).toEqual([201, false, 2])
      const shuffled = Object.fromEntries(Object.entries(input).toReversed())
      const lineage = { dependsOnLedgerIds: ['led-200', 'led-100', 'led-200'] }
      for (const same of [input, shuffled, { ...input, allowedLineage: lineage }]) {
        const again = await traced(same)
        expect([again.told.body.idempotent, again.made, again.called]).toEqual([true, 0, 0])
        expect(again.execution).toEqual(first.execution)
      }
      const others = [
        { constraints: { tone: 'other' } },
        { allowedLineage: { dependsOnLedgerIds: ['led-100'] } },
        { intelligenceSnapshot: { signals: [1] } },
        { runMode: 'execute' },
      ]
      for (const change of others) {
        const { told, made, called } = await traced({ ...input, ...change })
        expect([told.status, told.code, made, called]).toEqual([409, 'IDEMPOTENCY_CONFLICT', 0, 0])
      }
      const former = inputOf()
      await traced(former)
      for (const more of [{ engine: 'another' }, { rerun_of_execution_id: former.executionId }]) {
        const { told, made, called } = await traced(input, more)
        expect([told.status, told.code, made, called]).toEqual([409, 'IDEMPOTENCY_CONFLICT', 0, 0])
      }
      const sameIdElsewhere = await traced({ ...input, robotId: 'r-002' })
      expect([sameIdElsewhere.told.status, sameIdElsewhere.told.body.idempotent]).toEqual([201, false])
    },
  )

  verifies('BNDY-024', 'ask for artifacts by their objective when the host composes the input', async () => {
    for (const type of OBJECTIVE_TYPES) {
      const composed = await ask(hub, 'boundary_compose', {
        tenant_id: 't-001',
        robot_id: 'r-001',
        objective: { type, action: 'plan', payload: {} },
        snapshot: { signals: [type] },
      })
      const { execution } = await traced(composed.body.input)
      expect(execution.state).toBe('succeeded')
      const given = JSON.parse(hub.probe.calls.at(-1)?.body ?? '') as AgentInput
      expect(Object.keys(given)).toEqual([...INPUT_KEYS])
      expect(given.allowedArtifactTypes).toEqual(ARTIFACT_TYPES_BY_OBJECTIVE[type])
    }
  })

  verifies(
    ['BNDY-040', 'BNDY-041'],
    'are refused before any engine is called when their input is not valid',
    async () => {
      const wrong: [Partial<Record<keyof AgentInput, unknown>>, string][] = [
        [{ boundaryContractVersion: undefined }, 'boundaryContractVersion'],
        [{ boundaryContractVersion: 'v2' }, 'boundaryContractVersion'],
        [{ allowedLineage: { dependsOnLedgerIds: [] } }, 'allowedLineage.dependsOnLedgerIds'],
        [{ allowedArtifactTypes: [] }, 'allowedArtifactTypes'],
      ]
      for (const [changes, path] of wrong) {
        const { told, called, made } = await traced(inputOf(changes))
        expect([told.status, told.code, called, made]).toEqual([400, 'VALIDATION_ERROR', 0, 0])
        expect(told.body.error).toContain(`${path} must`)
      }
      const { told } = await traced(undefined)
      expect([told.status, told.code, told.body.error]).toEqual([400, 'BAD_REQUEST', 'input is missing.'])
    },
  )

  verifies('BNDY-042', 'that would execute on a stale snapshot are blocked without a call', async () => {
    const { told, execution, called, made, outcome } = await traced(
      inputOf({ runMode: 'execute', coherenceStatus: 'stale' }),
    )
    expect([told.status, execution.state, called, made]).toEqual([201, 'failed', 0, 0])
    expect(outcome).toMatchObject({
      status: 'blocked',
      error: { code: 'COHERENCE_BLOCKED', retryable: false },
    })
    // Whether its lineage would have done is no question any more, and the ledger shows nothing of it.
    const lineage = { dependsOnLedgerIds: ['led-nowhere'] }
    const adrift = await traced(
      inputOf({ runMode: 'execute', coherenceStatus: 'stale', allowedLineage: lineage }),
    )
    expect([adrift.told.status, adrift.called, adrift.made]).toEqual([201, 0, 0])
    expect(adrift.outcome).toMatchObject({ status: 'blocked', error: { code: 'COHERENCE_BLOCKED' } })
  })

  verifies(
    'BNDY-043',
    'on every other snapshot are carried out, and their artifacts are drafts',
    async () => {
      const modes = [
        ['dry_run', 'stale'],
        ['dry_run', 'partial'],
        ['execute', 'coherent'],
        ['execute', 'partial'],
      ]
      for (const [runMode, coherenceStatus] of modes) {
        const { execution, called, made } = await traced(inputOf({ runMode, coherenceStatus }))
        expect([execution.state, called, made]).toEqual(['succeeded', 1, 2])
        const [artifact, event] = (await entries(hub)).slice(-2)
        expect(artifact?.state).toBe('draft')
        expect(event?.payload.dryRun).toBe(runMode === 'dry_run')
      }
    },
  )

  verifies('BNDY-060', 'go on to a higher attempt only, and only after one that failed', async () => {
    const input = inputOf({ attempt: 2 })
    hub.probe.answer = answering({ ok: false, status: 'failed' })
    expect((await traced(input)).execution).toMatchObject({ state: 'failed', attempt: 2 })
    const lower = await traced({ ...input, attempt: 1 })
    expect([lower.told.status, lower.told.code, lower.called]).toEqual([409, 'IDEMPOTENCY_CONFLICT', 0])
    const equal = await traced({ ...input, constraints: {} })
    expect([equal.told.code, equal.called]).toEqual(['IDEMPOTENCY_CONFLICT', 0])
    hub.probe.answer = goodAnswer
    const next = await traced({ ...input, attempt: 3 })
    expect([next.execution.state, next.execution.attempt, next.made]).toEqual(['succeeded', 3, 2])
    const former = await traced(input)
    expect([former.told.body.idempotent, former.execution.attempt, former.execution.state]).toEqual([
      true,
      2,
      'failed',
    ])
    const other = await traced({ ...input, constraints: {} })
    expect([other.told.status, other.told.code, other.called]).toEqual([409, 'IDEMPOTENCY_CONFLICT', 0])
    const more = await traced({ ...input, attempt: 4 })
    expect([more.told.status, more.told.code, more.called]).toEqual([409, 'IDEMPOTENCY_CONFLICT', 0])
  })

  test('need lineage of their own tenant, that was there when the snapshot was taken', async () => {
    await addEntry(hub, `led-late-${database}`)
    await addEntry(hub, `led-other-${database}`, 't-002')
    const before = new Date(Date.now() - 60_000).toISOString()
    const ids = [`led-nope`, `led-other-${database}`]
    for (const id of ids) {
      const { told, called } = await traced(
        inputOf({ allowedLineage: { dependsOnLedgerIds: ['led-100', id] } }),
      )
      expect([told.status, told.code, called]).toEqual([400, 'MISSING_LINEAGE', 0])
    }
    expect((await traced(inputOf({ snapshotAt: before }))).told.code).toBe('MISSING_LINEAGE')
    const future = await traced(inputOf({ snapshotAt: new Date(Date.now() + 60_000).toISOString() }))
    expect([future.told.code, future.told.body.error]).toEqual([
      'VALIDATION_ERROR',
      'snapshotAt must not lie in the future.',
    ])
  })

  test('may run another one anew, under a new id', async () => {
    const first = inputOf()
    await run(hub, first)
    const again = await traced(inputOf(), { rerun_of_execution_id: first.executionId })
    expect(again.execution.rerun_of_execution_id).toBe(first.executionId)
    expect((await entries(hub)).at(-1)?.payload.rerunOfExecutionId).toBe(first.executionId)
    const unknown = await traced(inputOf(), { rerun_of_execution_id: 'exec-nope' })
    expect([unknown.told.status, unknown.told.code]).toEqual([404, 'unknown_execution'])
  })
})
