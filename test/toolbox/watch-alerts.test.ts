import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { auditList } from '../../src/domains/admin/audit-list.ts'
import { doctor } from '../../src/domains/admin/doctor.ts'
import { alertAcknowledge } from '../../src/domains/toolbox/watch/alert-acknowledge.ts'
import { alertList } from '../../src/domains/toolbox/watch/alert-list.ts'
import { recordEvent } from '../../src/domains/toolbox/watch/record-event.ts'
import type { Hub } from '../../src/operations/hub.ts'
import { countOpenAlerts } from '../../src/platform/alerts/alert-store.ts'
import { WRITTEN_SINGLY } from '../../src/platform/alerts/event-store.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { ask, pass, redactor, violate, watchedHome } from './watch-hub.fixture.ts'

const MINUTE_MS = 60_000

/** Whether the agent is in Alert Mode, as the owner sees it. */
async function isAlerted(hub: Hub, agent_id: string): Promise<boolean> {
  const { alerts } = await ask(hub, alertList)
  return alerts.some(
    (alert: { agent_id: string; acknowledged_at: string | null }) =>
      alert.agent_id === agent_id && alert.acknowledged_at === null,
  )
}

/** The rule itself: six moments of which the first and the last are no more than a minute apart. */
function breaksRule(times: readonly number[]): boolean {
  return times.some((time, at) => at >= 5 && time - (times[at - 5] as number) <= MINUTE_MS)
}

describe.each(DATABASES)('on %s', (database) => {
  verifies('TOOL-133', 'five violations are no alert, the sixth within a minute is', async () => {
    const { open, clock } = await watchedHome({ database })
    const hub = await open()
    for (let count = 1; count <= 5; count++) expect(await violate(hub, 'ag')).toBe('none')
    expect(await isAlerted(hub, 'ag')).toBe(false)
    pass(clock, MINUTE_MS)
    expect(await violate(hub, 'ag')).toBe('raised')
    expect(await isAlerted(hub, 'ag')).toBe(true)
    expect((await ask(hub, alertList)).alerts).toMatchObject([{ agent_id: 'ag', violations: 6 }])
  })

  verifies('TOOL-133', 'six spread over more than a minute are none', async () => {
    const { open, clock } = await watchedHome({ database })
    const hub = await open()
    for (let count = 1; count <= 5; count++) await violate(hub, 'ag')
    pass(clock, MINUTE_MS + 1)
    expect(await violate(hub, 'ag')).toBe('none')
    expect(await isAlerted(hub, 'ag')).toBe(false)
  })

  verifies(
    'TOOL-133',
    'exactly the agents that break the rule are in Alert Mode, whatever the order',
    async () => {
      const { open, clock } = await watchedHome({ database })
      const hub = await open()
      let run = 0
      const steps = fc.array(
        fc.record({
          after_ms: fc.constantFrom(0, 1, 9_999, 10_000, 12_000, 15_000, 30_000),
          agent: fc.nat(1),
        }),
        { maxLength: 25 },
      )
      const property = fc.asyncProperty(steps, async (violations) => {
        run++
        const times: [number[], number[]] = [[], []]
        for (const { after_ms, agent } of violations) {
          pass(clock, after_ms)
          times[agent as 0 | 1].push((clock.now as Date).getTime())
          await violate(hub, `run${run}-${agent}`)
        }
        for (const agent of [0, 1] as const)
          expect(await isAlerted(hub, `run${run}-${agent}`)).toBe(breaksRule(times[agent]))
      })
      await fc.assert(property, { numRuns: database === 'sqlite' ? 40 : 15 })
    },
    60_000,
  )

  verifies('TOOL-133', 'the count goes on over a restart', async () => {
    const { open, clock } = await watchedHome({ database })
    const first = await open()
    for (let count = 1; count <= 5; count++) await violate(first, 'ag')
    await first.close()
    pass(clock, 30_000)
    const second = await open()
    expect(await violate(second, 'ag')).toBe('raised')
    await second.close()
    expect(await isAlerted(await open(), 'ag')).toBe(true)
  })

  verifies('TOOL-133', 'several hubs count together: one alert at the sixth, however they race', async () => {
    const { open } = await watchedHome({ database })
    const hubs = await Promise.all([open(), open(), open()])
    const race = (agent: string, count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => violate(hubs[at % 3] as Hub, agent)))
    for (let round = 1; round <= 20; round++) {
      expect(await race(`five${round}`, 5)).not.toContain('raised')
      expect((await race(`six${round}`, 6)).filter((state) => state === 'raised')).toHaveLength(1)
    }
    const states = await race('nine', 9)
    expect(states.toSorted()).toEqual([...Array(5).fill('none'), ...Array(3).fill('open'), 'raised'])
    expect((await ask(hubs[0] as Hub, alertList)).alerts).toContainEqual(
      expect.objectContaining({ agent_id: 'nine', violations: 9 }),
    )
  })

  test('an acknowledged alert is settled until the agent goes on', async () => {
    const { open, clock } = await watchedHome({ database })
    const hub = await open()
    for (let count = 1; count <= 7; count++) await violate(hub, 'ag')
    expect(await countOpenAlerts(hub.db)).toBe(1)
    const { alert } = await ask(hub, alertAcknowledge, { agent_id: 'ag' })
    expect(alert).toMatchObject({ violations: 7, acknowledged_by: 'local:local' })
    pass(clock, 1_000)
    expect((await ask(hub, alertAcknowledge, { agent_id: 'ag' })).alert).toEqual(alert)
    expect(await countOpenAlerts(hub.db)).toBe(0)
    expect(await violate(hub, 'ag')).toBe('raised')
    expect((await ask(hub, alertList)).alerts).toMatchObject([{ violations: 8, acknowledged_at: null }])
    expect(await ask(hub, alertAcknowledge, { agent_id: 'other' })).toBe('unknown_alert')
  })

  verifies('TOOL-133', 'violations that were joined into one row count severally', async () => {
    const { open, clock } = await watchedHome({ database })
    const hub = await open()
    for (let count = 1; count <= WRITTEN_SINGLY; count++) await violate(hub, 'ag')
    pass(clock, 50_000)
    for (let count = 1; count <= 6; count++) await violate(hub, 'ag')
    await ask(hub, alertAcknowledge, { agent_id: 'ag' })
    // All that were written singly are too long ago by now.
    pass(clock, 20_000)
    expect(await violate(hub, 'ag')).toBe('raised')
    expect((await ask(hub, alertList)).alerts).toMatchObject([{ agent_id: 'ag', violations: 7 }])
  })

  test('an alert belongs to the vault in which it was raised, and stays the same agent in all', async () => {
    const { open } = await watchedHome({ database })
    const hub = await open()
    for (let count = 1; count <= 5; count++) await violate(hub, 'ag', { vault_id: 'one' })
    expect(await violate(hub, 'ag', { vault_id: 'two' })).toBe('raised')
    expect((await ask(hub, alertList, {}, { vault: 'one' })).alerts).toEqual([])
    expect((await ask(hub, alertList, {}, { vault: 'two' })).alerts).toHaveLength(1)
    expect(await ask(hub, alertAcknowledge, { agent_id: 'ag' }, { vault: 'one' })).toBe('unknown_alert')
  })
})

verifies('TOOL-133', 'other refusals and critical calls lead to no alert', async () => {
  const { open } = await watchedHome()
  const hub = await open()
  const event = { vault_id: 'default', agent_id: 'ag', violation_type: 'critical_call', target_path: null }
  for (let count = 1; count <= 8; count++)
    for (const kind of ['done', 'denied'] as const)
      await recordEvent(hub, undefined, redactor, { ...event, command_args: [], severity: 'CRITICAL', kind })
  expect(await countOpenAlerts(hub.db)).toBe(0)
  expect(await violate(hub, 'ag')).toBe('none')
})

test('an alert stands in the audit log and in what the doctor says', async () => {
  const { open } = await watchedHome()
  const hub = await open()
  const subject = 'agents in Alert Mode'
  const finding = async () => {
    const { healthy, findings } = await ask(hub, doctor)
    return { healthy, ...findings.find((one: { subject: string }) => one.subject === subject) }
  }
  expect(await finding()).toMatchObject({ healthy: true, state: 'ok' })
  for (let count = 1; count <= 6; count++) await violate(hub, 'ag')
  expect(await finding()).toMatchObject({ healthy: false, state: 'wrong', detail: 'ag' })
  const { records } = await ask(hub, auditList, { operation: 'toolbox_alert_raised' })
  expect(records).toMatchObject([{ target_kind: 'agent', target_id: 'ag', caller_kind: 'hub' }])
})

test('a violation inside a transaction that fails has not happened', async () => {
  const { open } = await watchedHome()
  const hub = await open()
  const event = {
    vault_id: 'default',
    agent_id: 'ag',
    violation_type: 'x',
    target_path: null,
    command_args: [],
  }
  for (let count = 1; count <= 5; count++) await violate(hub, 'ag')
  const work = hub.db.transaction(async (tx) => {
    await recordEvent(hub, tx, redactor, { ...event, kind: 'violation' })
    throw new Error('undone')
  })
  await expect(work).rejects.toThrow('undone')
  expect(await countOpenAlerts(hub.db)).toBe(0)
  expect(await violate(hub, 'ag')).toBe('raised')
})
