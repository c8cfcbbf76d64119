import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendAsOwner } from '../harness/call-rest.ts'
import { type Clock, DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { askForAgent } from './owner-visitor.ts'

const ROUNDS = 4
const AT_ONCE = 6

describe.each(DATABASES)('a code that several take up at once, on %s', (database) => {
  let hub: TestHub
  const clock: Clock = { now: new Date('2026-11-02T10:00:00Z') }
  beforeAll(async () => void (hub = await startTestHub({ database, clock })))
  afterAll(() => hub.close())

  const decide = async (decision: 'approve' | 'deny', user_code: string) => {
    const path = `/v1/owner/devices/${user_code}/${decision}`
    const { status } = await sendAsOwner(hub, { method: 'POST', path, body: '{}' })
    return `${decision} ${status}`
  }
  /** Each round in a minute of its own, so that no limit counts. */
  const askAnew = () => {
    clock.now = new Date((clock.now as Date).getTime() + 61_000)
    return askForAgent(hub)
  }

  test('is decided about once: who comes second finds nobody waiting', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { user_code, poll } = await askAnew()
      const wishes = Array.from({ length: AT_ONCE }, (_, at) => (at % 2 ? 'approve' : 'deny'))
      const answers = await Promise.all(wishes.map((wish) => decide(wish as 'approve', user_code)))
      const done = answers.filter((answer) => answer.endsWith('200'))
      expect(done).toHaveLength(1)
      expect(answers.filter((answer) => answer.endsWith('404'))).toHaveLength(AT_ONCE - 1)
      const { body } = await poll()
      expect(body.error ?? 'given').toBe(done[0] === 'approve 200' ? 'given' : 'access_denied')
    }
  })

  test('gives one bearer, however many ask for it in the same moment', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { user_code, poll } = await askAnew()
      expect(await decide('approve', user_code)).toBe('approve 200')
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, poll))
      expect(answers.filter(({ body }) => body.access_token !== undefined)).toHaveLength(1)
      for (const { status, body } of answers) if (status !== 200) expect(body.error).toBe('invalid_grant')
    }
  })
})
