import { afterEach, describe, expect, test } from 'vitest'
import { DATABASES } from '../harness/test-hub.ts'
import { authorise, connected, openStages } from './guarded-stage.fixture.ts'
import { everythingKept } from './intents.fixture.ts'
import { grantFor } from './provider-grant.fixture.ts'

const { endAll, openStage } = openStages()
afterEach(endAll)

describe.each(DATABASES)('an HTTP service behind OAuth, on %s', (database) => {
  test('is called by a grant with the token of its connection, renewed once for all, and never told', async () => {
    const stage = await openStage(database, { access_seconds: 5 })
    const { hub, server, people } = stage
    const connection = await connected(stage)
    const grant = await grantFor(stage, {
      web: { kind: 'http', url: server.url, method: 'POST', credentials: { connection } },
      ask: { kind: 'http', url: `${server.url}?by=policy`, method: 'GET', credentials: { connection } },
    })
    const first = await grant.use('web', { n: 1 })
    expect(first).toMatchObject({
      status: 200,
      body: { result: { body: { said: { n: 1 }, as: '[REDACTED]' } } },
    })
    const [token = ''] = [...server.seen]
    expect(token).toMatch(/.{20}/)
    const asked = await grant.use('ask', { q: 'x' })
    expect(asked.body.result.body.said).toMatch(/^\/mcp\?by=policy&q=x$/)
    // Until the token that a call would show now has to be renewed.
    await new Promise((done) => setTimeout(done, 5_100))
    const begun = performance.now()
    const told = await Promise.all(Array.from({ length: 30 }, (_, n) => grant.use('web', { n })))
    expect(told.map(({ status }) => status)).toEqual(told.map(() => 200))
    const refreshes = server.grants.slice(1)
    expect(new Set(refreshes)).toEqual(new Set(['refresh_token']))
    expect(refreshes.length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - begun) / 3_900))
    const kept = JSON.stringify(told) + (await everythingKept(hub))
    for (const one of server.seen) expect(kept).not.toContain(one)
    // A token that counts no more is renewed; where that is refused, it is the owner's turn.
    server.forget_all = true
    await new Promise((done) => setTimeout(done, 5_100))
    expect((await grant.use('web', {})).body.code).toBe('FLOW_EXTERNAL_PROVIDER_FAILED')
    const path = `/v1/owner/connections/${connection}/diagnostics`
    expect((await people.asAgent('GET', path)).body).toMatchObject({ recovery: { owner_required: true } })
    server.forget_all = false
    await authorise(stage, { begin: { connection_id: connection } })
    expect((await grant.use('web', { n: 2 })).status).toBe(200)
  }, 120_000)
})
