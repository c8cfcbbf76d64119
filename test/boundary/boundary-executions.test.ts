import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
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
import { answering, artifactOf, goodAnswer } from './probe-engine.ts'

describe.each(DATABASES)('executions on %s', (database) => {
  let hub: BoundaryHub
  const traced = (input: unknown, more: object = {}) => traceRun(hub, input, more)
  beforeAll(async () => {
    hub = await startBoundaryHub({ database })
  })
  afterEach(() => void (hub.probe.answer = goodAnswer))
  afterAll(() => hub.close())

  verifies('BNDY-001', 'keep what the host decided, whatever the engine says', async () => {
    const input = inputOf({ coherenceStatus: 'partial' })
    const claims = {
      coherenceStatus: 'stale',
      runMode: 'execute',
      allowedArtifactTypes: ['copy'],
      dependsOn: ['x'],
    }
    hub.probe.answer = answering({ diagnostics: claims })
    const { execution, made } = await traced(input)
    expect(execution).toMatchObject({
      state: 'succeeded',
      coherence_status: 'partial',
      run_mode: 'dry_run',
      allowed_artifact_types: ['site_plan'],
      allowed_lineage: ['led-100', 'led-200'],
    })
    expect(execution.outcome.reported.diagnostics).toEqual(claims)
    const event = (await entries(hub)).at(-1)
    expect(event?.payload).toMatchObject({ coherenceStatus: 'partial', dryRun: true, attempt: 1 })
    expect([made, JSON.stringify(event).includes('stale')]).toEqual([2, false])
  })

  verifies('BNDY-003', 'write to the ledger only what passed every rule', async () => {
    const wrong = [
      answering({ extra: 1 }),
      answering({ ok: false }),
      answering({ executionId: 'exec-other' }),
      answering({ artifacts: [] }),
      () => 'no JSON',
      () => '{"ok":true,"ok":true}',
      () => [],
    ]
    for (const answer of wrong) {
      hub.probe.answer = answer
      const { execution, made, outcome } = await traced(inputOf())
      expect([execution.state, made]).toEqual(['failed', 0])
      expect(outcome).toMatchObject({
        status: 'failed',
        error: { code: 'MODEL_OUTPUT_INVALID', retryable: true },
      })
    }
  })

  verifies('BNDY-032', 'keep no artifact of an answer that failed or is blocked', async () => {
    for (const status of ['failed', 'blocked']) {
      hub.probe.answer = answering({ ok: false, status })
      const good = await traced(inputOf())
      expect([good.made, good.outcome.status, good.outcome.violations]).toEqual([0, status, []])
      hub.probe.answer = (input) => ({
        ...answering({ ok: false, status })(input),
        artifacts: [{ ...artifactOf(input), type: 'poem' }],
      })
      const bad = await traced(inputOf())
      expect([bad.made, bad.outcome.error.code]).toEqual([0, 'MODEL_OUTPUT_INVALID'])
      expect(bad.outcome.violations.map(({ path }: { path: string }) => path)).toEqual(['artifacts[0].type'])
    }
  })

  verifies('BNDY-049', 'fall as a whole with one bad artifact', async () => {
    hub.probe.answer = (input) => ({
      ...goodAnswer(input),
      artifacts: [artifactOf(input), { ...artifactOf(input), dependsOnLedgerIds: [] }],
    })
    const { execution, made } = await traced(inputOf())
    expect([execution.state, made]).toEqual(['failed', 0])
  })

  verifies(
    'BNDY-050',
    'tell every violation by its path, under the code of its side, and repeat no data',
    async () => {
      const snapshot = { key_SENTINEL: 'SENTINEL', deep: ['SENTINEL'] }
      const bad = await traced(
        inputOf({ intelligenceSnapshot: snapshot, tenantId: '', attempt: 0, runMode: 'live' }),
      )
      expect([bad.told.code, bad.told.body.error]).toEqual([
        'VALIDATION_ERROR',
        'tenantId must be a non-empty string. attempt must be an integer of at least 1. runMode must be one of dry_run, execute.',
      ])
      hub.probe.answer = (input) => ({
        ...goodAnswer(input),
        ok: JSON.stringify(input.intelligenceSnapshot),
        error: { code: 'SENTINEL', message: 'SENTINEL', retryable: 'SENTINEL' },
        'a key with SENTINEL': 1,
      })
      const { told, outcome } = await traced(inputOf({ intelligenceSnapshot: snapshot }))
      expect(outcome.error.code).toBe('MODEL_OUTPUT_INVALID')
      const paths = outcome.violations.map(({ path }: { path: string }) => path)
      expect(paths).toEqual(['ok', 'error.code', 'error.retryable', '*'])
      expect(told.text + bad.told.text).not.toContain('SENTINEL')
    },
  )

  verifies('BNDY-054', 'may not rest on an entry that exists and was not handed over', async () => {
    await addEntry(hub, `led-300-${database}`)
    hub.probe.answer = (input) => ({
      ...goodAnswer(input),
      artifacts: [{ ...artifactOf(input), dependsOnLedgerIds: ['led-100', `led-300-${database}`] }],
    })
    const { made, outcome } = await traced(inputOf())
    expect([made, outcome.error.code]).toEqual([0, 'MODEL_OUTPUT_INVALID'])
    expect(outcome.violations).toEqual([
      { path: 'artifacts[0].dependsOnLedgerIds[1]', message: 'is not in allowedLineage' },
    ])
  })

  verifies(
    ['BNDY-055', 'BNDY-002'],
    'send the same bytes for the same request, and nothing of a former run',
    async () => {
      const input = inputOf({ snapshotAt: '2025-01-19T10:00:00.000Z' })
      await addEntry(hub, `led-old-${database}`)
      const fresh = { ...input, snapshotAt: new Date().toISOString() }
      hub.probe.answer = (given) => ({
        ...goodAnswer(given),
        ok: false,
        status: 'failed',
        diagnostics: { remember: 'me' },
      })
      await run(hub, fresh)
      await run(hub, { ...fresh, attempt: 2 })
      await run(hub, { ...fresh, attempt: 3 })
      const bodies = hub.probe.calls.slice(-3).map(({ body }) => body)
      expect(bodies.map((body) => body.replace(/"attempt":\d/, '"attempt":n'))).toEqual(
        Array(3).fill(JSON.stringify({ ...fresh, attempt: 1 }).replace('"attempt":1', '"attempt":n')),
      )
    },
  )

  verifies(
    'BNDY-059',
    'leave a draft for each artifact and one event; no route changes an entry',
    async () => {
      hub.probe.answer = (input) => ({
        ...goodAnswer(input),
        artifacts: [
          artifactOf(input),
          { ...artifactOf(input), dependsOnLedgerIds: ['led-200', 'led-100', 'led-200'] },
        ],
      })
      const input = inputOf()
      const { execution, made } = await traced(input)
      expect(made).toBe(3)
      const [first, second, event] = (await entries(hub)).slice(-3)
      const lineage = { executionId: input.executionId }
      const draft = {
        module: 'builder',
        source: 'builder',
        state: 'draft',
        type: 'site_plan',
        robotId: 'r-001',
      }
      expect(first).toMatchObject({ ...draft, lineage: { ...lineage, dependsOnLedgerIds: ['led-100'] } })
      expect(second).toMatchObject({
        ...draft,
        lineage: { ...lineage, dependsOnLedgerIds: ['led-100', 'led-200'] },
      })
      expect(event).toMatchObject({
        module: 'agent-builder',
        source: 'agent-builder',
        type: 'execution_event',
        lineage,
      })
      expect(event?.payload).toMatchObject({
        executionId: input.executionId,
        executionContractVersion: 'v1',
        target: 'site_builder',
        action: 'plan_site_plan',
        snapshotAt: input.snapshotAt,
        result: { artifacts: [{ ledgerId: first?.id }, { ledgerId: second?.id }] },
      })
      expect([execution.outcome.artifact_ledger_ids, execution.outcome.event_ledger_id]).toEqual([
        [first?.id, second?.id],
        event?.id,
      ])
      const path = `${hub.url}/api/v1/ledger/entries/${first?.id}`
      for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
        const headers = {
          authorization: `Bearer ${hub.credentials.bearers.hub}`,
          'content-type': 'application/json',
        }
        const { status } = await fetch(path, { method, headers, body: '{}' })
        expect([method, [404, 405].includes(status)]).toEqual([method, true])
      }
      expect((await ask(hub, 'ledger_show', { ledger_id: first?.id })).body.entry).toEqual(first)
    },
  )

  verifies('BNDY-056', 'keep no snapshot once they have ended', async () => {
    await run(hub, inputOf({ intelligenceSnapshot: { planted: 'SNAPSHOT-WORD' } }))
    hub.probe.answer = () => 'no'
    await run(hub, inputOf({ intelligenceSnapshot: { planted: 'SNAPSHOT-WORD' } }))
    const kept = await hub.hub.db.all(
      sql<{ input_json: string | null }>(
        'SELECT input_json FROM boundary_executions WHERE input_json IS NOT NULL',
      ),
    )
    expect(kept).toEqual([])
  })
})
