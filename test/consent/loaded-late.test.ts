import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { ask, CALLBACK, register, startSignInHub } from './sign-in.fixture.ts'

/** How much is loaded of what the protocol's library stands on. */
function loaded(): number {
  const { cache } = createRequire(import.meta.url)
  return Object.keys(cache).filter((file) => file.includes('/node_modules/koa/')).length
}

test('the library is loaded when somebody first signs in, and not before', async () => {
  const { hub, owner } = await startSignInHub()
  await using _made = { [Symbol.asyncDispose]: () => hub.close() }
  await owner.get('/v1/owner/consents')
  expect((await ask(hub, undefined, 'tools/list')).status).toBe(401)
  expect((await ask(hub, `kmcp_${'0'.repeat(64)}`, 'tools/list')).status).toBe(401)
  expect(loaded()).toBe(0)
  expect((await register(hub, { client_name: 'A', redirect_uris: [CALLBACK] })).status).toBe(201)
  expect(loaded()).toBeGreaterThan(0)
})
