import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test, vi } from 'vitest'
import { ask, failureOf, fake, openUpstreams } from '../fixtures/test-upstreams.fixture.ts'

describe('a tool server that misbehaves', () => {
  test('one that hangs: the call times out, the server is told, others go on', async () => {
    const upstreams = openUpstreams()
    const hanging = failureOf(upstreams.call(fake('good', 'hang', { timeout_seconds: 1 }), {}))
    expect(await ask(upstreams, fake('good', 'echo'), { n: 1 })).toEqual({ n: 1 })
    expect(await hanging).toBe('timeout sent')
    expect(await ask(upstreams, fake('good', 'cancelled'))).toBe(1)
  })

  test('a caller that goes away: the server is told; before sending, nothing is sent', async () => {
    const upstreams = openUpstreams()
    await ask(upstreams, fake('good', 'echo'))
    const leaving = new AbortController()
    const call = failureOf(upstreams.call(fake('good', 'hang'), {}, { signal: leaving.signal }))
    await new Promise((resolve) => setImmediate(resolve))
    leaving.abort()
    expect(await call).toBe('cancelled sent')
    expect(await failureOf(upstreams.call(fake('good', 'hang'), {}, { signal: leaving.signal }))).toBe(
      'cancelled unsent',
    )
    expect(await ask(upstreams, fake('good', 'cancelled'))).toBe(1)
    expect(await ask(upstreams, fake('good', 'calls'))).toBe(4)
  })

  test('one that never answers the greeting: timeout, and nothing counts as sent', async () => {
    const upstreams = openUpstreams()
    const provider = fake('silent', 'echo', { timeout_seconds: 1 })
    expect(await failureOf(upstreams.call(provider, {}))).toBe('timeout unsent')
  })

  test('one that stays silent is ended after the time for a start', async () => {
    const upstreams = openUpstreams({ limits: { start_seconds: 0.3 } })
    expect(await failureOf(upstreams.call(fake('silent', 'echo'), {}))).toBe('timeout unsent')
    await vi.waitFor(() => expect(upstreams.logged.join()).toContain('stopped by itself'))
  })

  test.each(['flood', 'flood-lines', 'flood-blank'])(
    'one that floods its output is ended: %s',
    async (behaviour) => {
      const upstreams = openUpstreams()
      expect(await failureOf(upstreams.call(fake(behaviour, 'echo'), {}))).toBe('too_large unsent')
      await vi.waitFor(() => expect(upstreams.logged.join()).toContain('stopped by itself'))
    },
  )

  test('one whose tools have endless names fills no memory with them', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const heldBytes = () => (collect(), process.memoryUsage().heapUsed)
    const upstreams = openUpstreams()
    const before = heldBytes()
    expect(await ask(upstreams, fake('long-names', 'echo'), { n: 1 })).toEqual({ n: 1 })
    // It has told some 200 MB by then.
    expect(heldBytes() - before).toBeLessThan(50_000_000)
  })

  test('garbage between its answers is passed over', async () => {
    expect(await ask(openUpstreams(), fake('garbage', 'echo'), { n: 1 })).toEqual({ n: 1 })
  })

  test('an answer with a wrong id reaches nobody', async () => {
    const upstreams = openUpstreams()
    const provider = fake('good', 'wrong_id', { timeout_seconds: 1 })
    expect(await failureOf(upstreams.call(provider, {}))).toBe('timeout sent')
  })

  test('one that speaks an unknown version is refused, an older known one is not', async () => {
    const upstreams = openUpstreams()
    expect(await failureOf(upstreams.call(fake('unknown', 'echo'), {}))).toBe('protocol unsent')
    expect(await ask(upstreams, fake('old', 'echo'), { n: 1 })).toEqual({ n: 1 })
  })

  test('an answer up to the limit passes; a larger one fails alone, however large', async () => {
    const upstreams = openUpstreams()
    const big = (bytes: number, limit: number) =>
      failureOf(upstreams.call(fake('good', 'big', { max_output_bytes: limit }), { bytes }))
    expect(await big(1000, 2000)).toContain('answered')
    expect(await big(4000, 2000)).toBe('too_large sent')
    const together = await Promise.all([
      big(300_000, 262_144),
      big(200_000, 262_144),
      big(3_000_000, 262_144),
    ])
    expect(together.map((outcome) => outcome.slice(0, 14))).toEqual([
      'too_large sent',
      'answered {"kin',
      'too_large sent',
    ])
    expect(await big(5_000_000, 8_388_608)).toContain('answered')
  })

  test.each([
    ['fault', 'protocol sent'],
    ['shapeless', 'protocol sent'],
    ['deep', 'protocol sent'],
  ])('an answer that is none: %s', async (tool, outcome) => {
    expect(await failureOf(openUpstreams().call(fake('good', tool), {}))).toBe(outcome)
  })

  test('its own requests are declined, a ping is answered', async () => {
    const upstreams = openUpstreams()
    await ask(upstreams, fake('good', 'ask'))
    await vi.waitFor(async () =>
      expect(await ask(upstreams, fake('good', 'replies'))).toEqual([
        { id: 'q1', jsonrpc: '2.0', error: { code: -32601, message: 'Method not found' } },
        { id: 'q2', jsonrpc: '2.0', result: {} },
      ]),
    )
  })

  test('a tool it announces later can be called; one it never had cannot', async () => {
    const upstreams = openUpstreams()
    expect(await failureOf(upstreams.call(fake('good', 'extra'), {}))).toBe('tool_missing unsent')
    await ask(upstreams, fake('good', 'grow'))
    expect(await ask(upstreams, fake('good', 'extra'))).toBe('extra')
  })

  test('an answer that comes byte by byte, in other letters than ours, arrives whole', async () => {
    const text = JSON.stringify('žluťoučký kůň 🐎 «ok»')
    expect(await ask(openUpstreams(), fake('good', 'split'), { text })).toBe('žluťoučký kůň 🐎 «ok»')
  })

  test('what it writes to stderr blocks nothing and is logged nowhere', async () => {
    const env = { ...process.env, FAKE_KEY: 'stderr-secret-value' }
    const upstreams = openUpstreams({ env })
    const provider = fake('loud', 'late', { env: ['FAKE_KEY'] })
    expect(await ask(upstreams, provider, { ms: 300, key: 'stderr-secret-value' })).toEqual({
      ms: 300,
      key: '[REDACTED]',
    })
    expect(upstreams.logged.join()).not.toContain('stderr-secret-value')
  })

  test('one that stops listening: the call fails at once and the server is ended', async () => {
    const upstreams = openUpstreams()
    await ask(upstreams, fake('good', 'deafen'))
    expect(await failureOf(upstreams.call(fake('good', 'hang'), {}))).toBe('crashed sent')
    await vi.waitFor(() => expect(upstreams.logged.join()).toContain('stopped by itself'))
  })

  test('no failure tells anything of what the server said', async () => {
    const env = { ...process.env, FAKE_KEY: 'fault-secret-value' }
    const upstreams = openUpstreams({ env })
    const failed = upstreams.call(fake('good', 'fault', { env: ['FAKE_KEY'] }), { card: 'payload-text' })
    const error = await failed.catch((caught: Error) => caught)
    const told = JSON.stringify(Object.getOwnPropertyNames(error).map((name) => Reflect.get(error, name)))
    expect(told).not.toMatch(/fault-secret-value|payload-text|not today/)
  })
})

describe('a server that leaves a call unanswered', () => {
  const limits = { silence_ms: 700 }

  test('goes on where it answers anything else', async () => {
    const upstreams = openUpstreams({ limits })
    const before = await ask(upstreams, fake('good', 'pid'))
    const hang = fake('good', 'hang', { timeout_seconds: 1 })
    expect(await failureOf(upstreams.call(hang, {}))).toBe('timeout sent')
    expect(await ask(upstreams, fake('good', 'late'), { ms: 1500 })).toEqual({ ms: 1500 })
    expect(await ask(upstreams, fake('good', 'pid'))).toEqual(before)
  })

  test('is not ended while another call has time left', async () => {
    const upstreams = openUpstreams({ limits })
    const before = await ask(upstreams, fake('good', 'pid'))
    const busy = ask(upstreams, fake('good', 'freeze'), { ms: 2500 })
    const echo = fake('good', 'echo', { timeout_seconds: 1 })
    expect(await failureOf(upstreams.call(echo, {}))).toBe('timeout sent')
    expect(await busy).toBe('thawed')
    expect(await ask(upstreams, fake('good', 'pid'))).toEqual(before)
  })

  test('is started again where it says nothing any more', async () => {
    const upstreams = openUpstreams({ limits })
    const before = await ask(upstreams, fake('good', 'pid'))
    const freeze = fake('good', 'freeze', { timeout_seconds: 1 })
    expect(await failureOf(upstreams.call(freeze, {}))).toBe('timeout sent')
    expect(await failureOf(upstreams.call(fake('good', 'echo'), {}))).toBe('timeout sent')
    expect(await ask(upstreams, fake('good', 'pid'))).not.toEqual(before)
  })
})
