import { expect, vi } from 'vitest'
import { type PublishedEvent, publishEvent } from '../../src/domains/control/subscriptions/publish.ts'
import type { Hub } from '../../src/operations/hub.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { type Received, send } from '../rest/rest-hub.fixture.ts'

const WAIT_MS = 25_000

export interface Shown {
  subscription_id: string
  status: string
  disabled_reason: string | null
  secret?: string
  callback_url: string
  authority_kind: string
  client_id: string
  delivery: {
    cursor: string
    pending_count: number
    attempts: number
    next_attempt_at: string | null
    last_failure: string | null
  }
}

async function shown(answer: Promise<Received>, status = 200): Promise<Shown> {
  const { status: got, text } = await answer
  expect([got, text]).toEqual([status, expect.any(String)])
  return JSON.parse(text)
}

/** Calls of one bearer about subscriptions; without one they are the owner's. */
export function subscriberOf(hub: Pick<TestHub, 'url' | 'hub'>, bearer?: string) {
  const ask = (method: string, path = '', body?: object): Promise<Received> => {
    const sent = {
      method,
      path: `/v1/event-subscriptions${path}`,
      ...(body && { body: JSON.stringify(body) }),
    }
    return bearer === undefined ? sendAsOwner(hub, sent) : send(hub.url, { ...sent, bearer })
  }
  return {
    ask,
    create: (callback_url: string, more: object = {}) =>
      shown(ask('POST', '', { callback_url, ...more }), 201),
    show: (id: string) => shown(ask('GET', `/${id}`)),
    update: (id: string, changes: object) => shown(ask('PATCH', `/${id}`, changes)),
    /** Waits until a subscription is as wanted. */
    async until(id: string, wanted: object, timeout = WAIT_MS): Promise<Shown> {
      return vi.waitFor(
        async () => {
          const found = await shown(ask('GET', `/${id}`))
          expect(found).toMatchObject(wanted)
          return found
        },
        { timeout, interval: 25 },
      )
    },
  }
}

/** Waits for something to become so. */
export function soon(check: () => void | Promise<void>, timeout = WAIT_MS): Promise<void> {
  return vi.waitFor(check, { timeout, interval: 25 })
}

/** An event that tells of new records. */
export function changedEvent(number: number, more: Partial<PublishedEvent> = {}): PublishedEvent {
  return {
    type: 'pdpp.records.changed',
    subject: 'conn_one',
    stream: 'notes',
    connection_id: 'conn_one',
    data: { changes_since: `seq_${number}` },
    ...more,
  }
}

/** Publishes events one after the other, `each` of them in one transaction. */
export async function publishMany(hub: Hub, first: number, count: number, each = 1): Promise<void> {
  for (let at = first; at < first + count; at += each)
    await hub.db.transaction(async (tx) => {
      for (let number = at; number < Math.min(at + each, first + count); number++)
        await publishEvent(tx, hub, changedEvent(number))
    })
}

/** The numbers from one on. */
export const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
