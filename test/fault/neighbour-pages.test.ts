import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAsOwner, openBrowser } from '../browser/owner-browser.fixture.ts'
import { ownerOrigin, setUpOwner, type Visitor } from '../control/owner-visitor.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { startRestHub } from '../rest/rest-hub.fixture.ts'

/** Names that the page of another server of this machine may have. */
const NEIGHBOURS = ['localhost', 'evil.localhost', '127.0.0.1']
const LIMIT_MS = 120_000

let hub: TestHub
let owner: Visitor
let browser: Browser
beforeAll(async () => {
  hub = await startRestHub()
  owner = await setUpOwner(hub)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await hub.close()
})

/** Another server of this machine, whose page sends what it likes and puts any cookies into the browser. */
async function startNeighbour() {
  const origin = ownerOrigin(hub)
  const { port, hostname } = new URL(origin)
  const names = ['owner', 'visit'].map((what) => `knowtation_${what}_${port}`)
  const domains = ['', '; Domain=localhost', '; Domain=.localhost', `; Domain=${hostname}`]
  const server = createServer((_request, response) => {
    const cookies = names.flatMap((name) =>
      domains.map((domain) => `${name}=${'0'.repeat(32)}; Path=/${domain}`),
    )
    response.setHeader('set-cookie', [
      ...cookies,
      ...names.map((name) => `${name}=tossed; Path=/owner; Domain=localhost`),
    ])
    response.setHeader('content-type', 'text/html')
    response.end(`<form method="post" action="${origin}/owner/sign-out" target="frame"><button>Win</button></form>
      <form method="get" action="${origin}/owner/locks"><button>Look</button></form><iframe name="frame"></iframe>
      <iframe src="${origin}/owner"></iframe><img src="${origin}/owner/sign-out">`)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

async function isSignedIn(context: BrowserContext): Promise<boolean> {
  const page = await context.newPage()
  // What only the owner is given.
  const answer = await page.goto(`${ownerOrigin(hub)}/owner/form-token`)
  await page.close()
  return answer?.status() === 200
}

test.each(NEIGHBOURS)(
  'a page of another server at %s neither acts for the owner nor ends the session',
  async (name) => {
    await using neighbour = await startNeighbour()
    const { context, page } = await openAsOwner(browser, hub, owner)
    expect(await isSignedIn(context)).toBe(true)
    await page.goto(`http://${name}:${neighbour.port}/`)
    await page.getByRole('button', { name: 'Win' }).click()
    await page.waitForTimeout(500)
    // Framed, and sent by another page, the hub shows nothing of the owner's.
    for (const frame of page.frames().slice(1)) expect(await frame.content()).not.toContain('Sign out')
    expect(await isSignedIn(context)).toBe(true)
    await context.close()
  },
  LIMIT_MS,
)

test(
  'a session that was put into the browser before the sign-in is not the one that it gets',
  async () => {
    const context = await browser.newContext()
    const { port } = new URL(ownerOrigin(hub))
    const fixed = `kses_${'0'.repeat(64)}`
    await context.addCookies([{ name: `knowtation_owner_${port}`, value: fixed, url: ownerOrigin(hub) }])
    const page = await context.newPage()
    await page.goto(`${ownerOrigin(hub)}/owner/sign-in`)
    await page.fill('input[name=password]', 'correct horse battery staple')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/console', { waitUntil: 'commit' })
    const kept = (await context.cookies()).find(({ name }) => name === `knowtation_owner_${port}`)
    expect(kept?.value).not.toBe(fixed)
    expect(kept).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    await context.close()
  },
  LIMIT_MS,
)
