import { describe, expect, test } from 'vitest'
import { alertAcknowledge } from '../../src/domains/toolbox/watch/alert-acknowledge.ts'
import { alertList } from '../../src/domains/toolbox/watch/alert-list.ts'
import { lockAdd } from '../../src/domains/toolbox/watch/lock-add.ts'
import { lockList } from '../../src/domains/toolbox/watch/lock-list.ts'
import type { Operation } from '../../src/operations/define-operation.ts'
import type { Hub } from '../../src/operations/hub.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { ask, pass, violate, watchedHome } from './watch-hub.fixture.ts'

/** Everything of a list, asked for page by page. */
async function walk(hub: Hub, operation: Operation, key: 'locks' | 'alerts', limit: number) {
  const seen: Record<string, unknown>[] = []
  let cursor: string | null | undefined
  do {
    const page = await ask(hub, operation, { limit, ...(cursor && { cursor }) })
    expect(page[key].length).toBeLessThanOrEqual(limit)
    expect(page.truncated).toBe(page.next_cursor !== null)
    seen.push(...page[key])
    // A list that begins again would be walked for ever.
    expect(seen.length).toBeLessThan(50)
    cursor = page.next_cursor
  } while (cursor)
  return seen
}

/** A cursor of the right form, for whatever it may name. */
const cursorOf = (id: string) => Buffer.from(`2026-11-01T12:00:00.000Z|${id}`).toString('base64url')

const named = (lock: { kind: string; id: string }) => `${lock.kind} ${lock.id}`
const isOpen = (alert: { acknowledged_at: string | null }) => alert.acknowledged_at === null

const ODD_IDS = ['a:b|c', 'é~', '日本', 'all:*', '~~', `x${'ß'.repeat(500)}`]

describe.each(DATABASES)('on %s', (database) => {
  test('locks come page by page, each once, also those of one moment and with odd names', async () => {
    const { open, clock } = await watchedHome({ database })
    const hub = await open()
    const made: string[] = []
    for (const [at, id] of ODD_IDS.entries()) {
      for (const kind of ['agent', 'service'])
        made.push(named((await ask(hub, lockAdd, { kind, id: kind === 'agent' ? id : `/srv/${id}` })).lock))
      if (at % 2 === 1) pass(clock, 1)
    }
    made.push(named((await ask(hub, lockAdd, { kind: 'all' })).lock))
    const { locks } = await ask(hub, lockList)
    expect(locks.map(named).toSorted()).toEqual(made.toSorted())
    expect(locks[0]).toMatchObject({ kind: 'all' })
    for (const limit of [1, 2, 5, 13]) expect(await walk(hub, lockList, 'locks', limit)).toEqual(locks)
  })

  test('alerts come page by page, open ones first, each once', async () => {
    const { open, clock } = await watchedHome({ database })
    const hub = await open()
    const agents = [...ODD_IDS.slice(0, 5), 'ß'.repeat(128), 'plain']
    for (const [at, agent] of agents.entries()) {
      for (let count = 0; count < 6; count++) await violate(hub, agent)
      if (at % 3 === 0) await ask(hub, alertAcknowledge, { agent_id: agent })
      if (at % 2 === 1) pass(clock, 1)
    }
    const { alerts } = await ask(hub, alertList)
    expect(alerts.map(isOpen)).toEqual([true, true, true, true, false, false, false])
    for (const limit of [1, 2, 3, 7]) expect(await walk(hub, alertList, 'alerts', limit)).toEqual(alerts)
  })
})

test.each(['x', cursorOf('plain'), cursorOf('vault:x'), cursorOf('agent'), cursorOf('open'), ''])(
  'a cursor that no page gave is refused: %s',
  async (cursor) => {
    const { open } = await watchedHome()
    const hub = await open()
    for (const list of [lockList, alertList]) expect(await ask(hub, list, { cursor })).toBe('BAD_REQUEST')
  },
)
