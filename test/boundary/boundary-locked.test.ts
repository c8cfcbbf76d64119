import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runnerOf } from '../../src/domains/boundary/executions/execution-runner.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { ask, type BoundaryHub, inputOf, startBoundaryHub } from './boundary-hub.ts'
import { goodAnswer, NEVER } from './probe-engine.ts'

const PATIENCE = { timeout: 30_000, interval: 50 }

describe.each(DATABASES)('while everything is locked, on %s', (database) => {
  let hub: BoundaryHub
  beforeAll(async () => {
    hub = await startBoundaryHub({ database })
  })
  afterAll(() => hub.close())

  const lock = () => ask(hub, 'lock_add', { kind: 'all' }, { as: 'owner' })
  const release = () => ask(hub, 'lock_release', { kind: 'all' }, { as: 'owner' })
  const goesOn = (check: () => unknown) =>
    vi.waitFor(async () => {
      await runnerOf(hub.hub).look()
      await check()
    }, PATIENCE)

  test('engines are broken off and none is called; executions go on when the lock has gone', async () => {
    hub.probe.answer = () => NEVER
    const submitted = await ask(hub, 'boundary_run', { engine: 'probe', input: inputOf() })
    const { run_id } = submitted.body.execution
    const stateNow = async () => (await ask(hub, 'boundary_show', { run_id })).body.execution.state
    // More often than an execution may lose its hub: to be locked is not to be lost.
    for (let calls = 1; calls <= 5; calls++) {
      await goesOn(() => expect(hub.probe.calls).toHaveLength(calls))
      await lock()
      await hub.probe.calls.at(-1)?.over
      await runnerOf(hub.hub).look()
      expect(hub.probe.calls).toHaveLength(calls)
      await release()
      expect(await stateNow()).toBe('running')
    }
    hub.probe.answer = goodAnswer
    await goesOn(async () => expect(await stateNow()).toBe('succeeded'))
    expect(hub.probe.calls).toHaveLength(6)
  })

  test('the owner still sees executions, and cancels one before it goes on; nobody else does', async () => {
    hub.probe.answer = () => NEVER
    const before = hub.probe.calls.length
    const submitted = await ask(hub, 'boundary_run', {
      engine: 'probe',
      input: inputOf({ executionId: 'x-2' }),
    })
    const { run_id } = submitted.body.execution
    await vi.waitFor(() => expect(hub.probe.calls).toHaveLength(before + 1), PATIENCE)
    await lock()
    await hub.probe.calls.at(-1)?.over
    for (const name of ['boundary_show', 'boundary_cancel'])
      expect((await ask(hub, name, { run_id }, { as: 'editor' })).code).toBe('LOCKED')
    expect((await ask(hub, 'boundary_list', {}, { as: 'owner' })).status).toBe(200)
    expect((await ask(hub, 'boundary_show', { run_id }, { as: 'owner' })).body.execution.state).toBe(
      'running',
    )
    expect((await ask(hub, 'boundary_cancel', { run_id }, { as: 'owner' })).body.execution.state).toBe(
      'cancelled',
    )
    await release()
    await runnerOf(hub.hub).look()
    expect(hub.probe.calls).toHaveLength(before + 1)
  })
})
