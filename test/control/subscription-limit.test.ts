import { expect, test } from 'vitest'
import { SUBSCRIPTION_LIMIT } from '../../src/domains/control/subscriptions/subscription-limits.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { startTestHub } from '../harness/test-hub.ts'

const AT_ONCE = 40

// One more than there may be would be promised its events and get none.
test('two hubs that are asked for many subscriptions at once make no more than there may be', async () => {
  await using hub = await startTestHub({ database: 'postgres' })
  const other = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
  try {
    const create = async (at: number) => {
      const { status } = await sendAsOwner(at % 2 === 0 ? hub : other, {
        method: 'POST',
        path: '/v1/event-subscriptions',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ callback_url: 'https://events.example.test/hook', filters: {} }),
      })
      return status
    }
    const answers: number[] = []
    while (!answers.includes(409))
      answers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => create(at)))))
    expect(answers.filter((status) => status === 201)).toHaveLength(SUBSCRIPTION_LIMIT)
    expect(new Set(answers)).toEqual(new Set([201, 409]))
  } finally {
    await other.stop()
  }
})
