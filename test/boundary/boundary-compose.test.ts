import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Clock } from '../harness/test-hub.ts'
import { addEntry, ask, type BoundaryHub, policyOf, run, startBoundaryHub, traceRun } from './boundary-hub.ts'

const at = (time: string) => new Date(`2025-01-19T${time}Z`)

describe('what the host decides when it composes an input', () => {
  const clock: Clock = { now: at('08:00:00') }
  let hub: BoundaryHub
  beforeAll(async () => {
    hub = await startBoundaryHub({ clock })
    clock.now = at('09:00:00')
    await addEntry(hub, 'led-nine')
    clock.now = at('10:00:00')
  })
  afterAll(() => hub.close())

  async function compose(changes: object = {}) {
    const told = await ask(hub, 'boundary_compose', {
      tenant_id: 't-001',
      robot_id: 'r-001',
      objective: { type: 'site_plan', action: 'plan', payload: {} },
      snapshot: { signals: [] },
      ...changes,
    })
    return { ...told, input: told.body.input }
  }

  const coherence = async (snapshot_at: string) => (await compose({ snapshot_at })).input?.coherenceStatus

  test('is a lineage of what was there at the moment of the snapshot', async () => {
    const lineage = async (changes: object) =>
      (await compose(changes)).input?.allowedLineage.dependsOnLedgerIds
    expect(await lineage({})).toEqual(['led-100', 'led-200', 'led-nine'])
    expect(await lineage({ snapshot_at: '2025-01-19T08:30:00Z' })).toEqual(['led-100', 'led-200'])
    expect(await lineage({ snapshot_at: '2025-01-19T09:00:00.000Z', depends_on: ['led-nine'] })).toEqual([
      'led-nine',
    ])
    expect((await compose({ snapshot_at: '2025-01-19T07:00:00Z' })).code).toBe('MISSING_LINEAGE')
    expect((await compose({ snapshot_at: '2025-01-19T08:30:00Z', depends_on: ['led-nine'] })).code).toBe(
      'MISSING_LINEAGE',
    )
    expect((await compose({ tenant_id: 't-002' })).code).toBe('MISSING_LINEAGE')
    expect((await compose({ tenant_id: 't-002', depends_on: ['led-100'] })).code).toBe('MISSING_LINEAGE')
  })

  test('is a coherence by age, and by what the ledger has learnt since', async () => {
    expect(await coherence('2025-01-19T10:00:00Z')).toBe('coherent')
    expect(await coherence('2025-01-19T09:00:00Z')).toBe('coherent')
    expect(await coherence('2025-01-19T08:30:00Z')).toBe('partial')
    clock.now = at('23:00:00')
    hub.write(hub.home.vaultPolicy('default'), policyOf(hub.probe, {}, { stale_after_seconds: 3_600 }))
    expect(await coherence('2025-01-19T10:00:00Z')).toBe('stale')
    clock.now = at('10:00:00')
  })

  test('is never a snapshot of the future, of nothing, or with a date that is none', async () => {
    expect((await compose({ snapshot_at: '2025-01-19T10:00:01Z' })).code).toBe('VALIDATION_ERROR')
    expect((await compose({ snapshot: {} })).code).toBe('SNAPSHOT_EMPTY')
    expect((await compose({ snapshot_at: 'Jan 19 2025' })).code).toBe('VALIDATION_ERROR')
  })

  test('runs as it is', async () => {
    const { input } = await compose()
    expect((await run(hub, input)).body.execution).toMatchObject({
      state: 'succeeded',
      coherence_status: 'coherent',
    })
  })

  test('is, on a partial snapshot, what the policy wants: to run, to wait for a person, or to stop', async () => {
    const outcomes: string[] = []
    for (const partial of ['run', 'draft_only', 'block']) {
      hub.write(hub.home.vaultPolicy('default'), policyOf(hub.probe, {}, { partial }))
      for (const run_mode of ['dry_run', 'execute']) {
        const { input } = await compose({ run_mode })
        const { execution, outcome, called } = await traceRun(hub, { ...input, coherenceStatus: 'partial' })
        const why = outcome.error?.code ?? outcome.cancel_reason ?? ''
        outcomes.push(`${partial} ${run_mode}: ${execution.state} ${called} ${why}`.trim())
      }
    }
    expect(outcomes).toEqual([
      'run dry_run: succeeded 1',
      'run execute: succeeded 1',
      'draft_only dry_run: succeeded 1',
      'draft_only execute: cancelled 0 PARTIAL_REQUIRES_REVIEW',
      'block dry_run: failed 0 COHERENCE_BLOCKED',
      'block execute: failed 0 COHERENCE_BLOCKED',
    ])
  })
})
