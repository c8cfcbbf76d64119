import { describe, expect, test } from 'vitest'
import { ask, fake, openUpstreams } from '../fixtures/test-upstreams.fixture.ts'

describe('a child of 2026-07-28', () => {
  test('is asked without a greeting, subscribed to once, and heard', async () => {
    const upstreams = openUpstreams()
    expect(await ask(upstreams, fake('ungreeted', 'echo'), { n: 1 })).toEqual({ n: 1 })
    expect(await ask(upstreams, fake('ungreeted', 'heard'))).toEqual({
      methods: [
        'server/discover',
        'subscriptions/listen',
        'tools/list',
        'tools/list',
        'tools/call',
        'tools/call',
      ],
      without_meta: [],
    })
    await ask(upstreams, fake('ungreeted', 'grow'))
    expect(await ask(upstreams, fake('ungreeted', 'extra'))).toBe('extra')
  })

  test('one from before that goes away over the question is started again and greeted, and nobody notices', async () => {
    const upstreams = openUpstreams()
    const calls = [1, 2, 3].map((n) => ask(upstreams, fake('wants-greeting', 'echo'), { n }))
    expect(await Promise.all(calls)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  test('one from before that says nothing to the question is greeted after a while', async () => {
    const upstreams = openUpstreams({ limits: { question_ms: 50 } })
    expect(await ask(upstreams, fake('silent-before', 'echo'), { n: 1 })).toEqual({ n: 1 })
  })
})
