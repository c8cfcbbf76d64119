import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { askingPolicy, call, decide, startAskingHub } from './approvals.fixture.ts'

const ends: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** A server that tells when it was reached, and answers when it is told to. */
async function startHeld() {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let count = 0
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    count++
    reached.resolve()
    await released.promise
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ call: count }))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, reached: reached.promise, release: released.resolve, count: () => count }
}

describe.each(DATABASES)('a call that was approved on %s', (database) => {
  test('goes on when its caller leaves, and gives its answer to who comes back, at another hub too', async () => {
    const held = await startHeld()
    const asking = await startAskingHub({ database })
    ends.push(asking.close)
    const { hub, grant } = asking
    hub.write(hub.home.vaultPolicy('default'), askingPolicy(held.url))
    const second = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
    ends.push(() => second.stop())
    const there = { hub: { ...hub, url: second.url, hub: second.hub }, grant }
    const { body } = await call(asking, 'post', { n: 1 })
    expect((await call(there, 'post', { n: 1 })).body.approval_id).toBe(body.approval_id)
    await decide(hub, body.approval_id, 'approve')
    const leaving = new AbortController()
    const left = call(asking, 'post', { n: 1 }, { signal: leaving.signal }).catch((error) => error.name)
    await held.reached
    leaving.abort()
    expect(await left).toBe('AbortError')
    const back = [asking, there, asking, there].map((at) => call(at, 'post', { n: 1 }))
    held.release()
    const told = await Promise.all(back)
    expect(told.map((one) => [one.status, one.body.result?.body])).toEqual(told.map(() => [200, { call: 1 }]))
    expect(held.count()).toBe(1)
  })

  test('is one execution, however many race for it at two hubs', async () => {
    const asking = await startAskingHub({ database })
    ends.push(asking.close)
    const { hub, grant, endpoint } = asking
    const second = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
    ends.push(() => second.stop())
    const there = { hub: { ...hub, url: second.url, hub: second.hub }, grant }
    const { body } = await call(asking, 'post', { n: 2 })
    await decide(hub, body.approval_id, 'approve')
    const racing = Array.from({ length: 40 }, (_, at) => call(at % 2 ? asking : there, 'post', { n: 2 }))
    const told = await Promise.all(racing)
    expect(new Set(told.map((one) => JSON.stringify([one.status, one.body]))).size).toBe(1)
    expect(told[0]?.status).toBe(200)
    expect(endpoint.got).toHaveLength(1)
  })
})
