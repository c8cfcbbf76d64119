import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../browser/owner-browser.fixture.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { codeOf, recorded, send, startFault, startRestHub } from '../rest/rest-hub.fixture.ts'
import { askForAgent, makeLink, PASSWORD, setUpOwner, signIn, visitorOf } from './owner-visitor.ts'

/** Another server of this machine: it keeps the cookies that it is sent. */
async function startEavesdropper() {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(request.headers.cookie ?? '')
    response.setHeader('content-type', 'text/html')
    response.end('<a href="/again">again</a>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { heard, port, [Symbol.asyncDispose]: async () => void server.close() }
}

/** The address of a sign-in link, as `knowtation owner login` prints it. */
async function printedLink(hub: TestHub): Promise<string> {
  const { stdout } = await runInProcess(['owner', 'login', '--json'], hub.options.env)
  return (JSON.parse(stdout) as { url: string }).url
}

describe('the name of the owner’s pages', () => {
  let hub: TestHub
  let browser: Browser
  beforeAll(async () => {
    hub = await startRestHub()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await hub.close()
  })

  test('keeps the session from other servers of this machine, in a real browser', async () => {
    await using other = await startEavesdropper()
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(await printedLink(hub))
    await page.fill('input[name=password]', PASSWORD)
    await page.fill('input[name=password_again]', PASSWORD)
    await page.getByRole('button', { name: 'Set up', exact: true }).click()
    await page.waitForURL('**/console')
    expect((await context.cookies()).filter(({ name }) => name.startsWith('knowtation_owner_'))).toHaveLength(
      1,
    )
    for (const name of ['localhost', '127.0.0.1', 'other.localhost']) {
      await page.goto(`http://${name}:${other.port}/`)
      await page.click('a')
    }
    expect(other.heard.length).toBeGreaterThanOrEqual(6)
    expect(other.heard.join()).not.toContain('kses_')
    await context.close()
  })

  test('is the only one under which a session counts', async () => {
    const { visitor } = await signIn(hub)
    const { port } = new URL(hub.url)
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const ask = (host: string) => send(hub.url, { path: '/v1/owner/sessions', headers: { cookie, host } })
    expect((await visitor.get('/v1/owner/sessions')).status).toBe(200)
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      expect([host, (await ask(`${host}:${port}`)).status]).toEqual([host, 401])
    for (const host of ['kn-00000000000000000000.localhost', 'other.localhost'])
      expect([host, codeOf(await ask(`${host}:${port}`))]).toEqual([host, 'permission_error'])
  })

  test('is told to nobody who has not proven to be the owner', async () => {
    const name = hub.hub.ownerName as string
    expect(name).toMatch(/^kn-[0-9a-f]{20}\.localhost$/)
    const { user_code } = await askForAgent(hub)
    const paths = ['/', '/owner', '/owner/sign-in', '/owner/locks', `/device?user_code=${user_code}`]
    paths.push('/console', '/console/inbox?item=call:x', '/owner/form-token')
    paths.push('/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server')
    paths.push(
      '/openapi.json',
      '/metrics',
      '/healthz',
      '/owner/link?link=x',
      '/oauth/callback?state=x',
      '/nothing',
    )
    const { bearers } = hub.credentials
    for (const path of paths)
      for (const bearer of [undefined, bearers.admin, bearers.hub])
        for (const host of ['localhost', '127.0.0.1']) {
          const headers = { host: `${host}:${new URL(hub.url).port}`, accept: 'text/html' }
          const { text, headers: told } = await send(hub.url, { path, bearer, headers })
          expect([path, JSON.stringify(told) + text]).not.toEqual([path, expect.stringContaining(name)])
        }
    const codes = await send(hub.url, {
      method: 'POST',
      path: '/oauth/device_authorization',
      body: 'client_id=a',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(codes.text).toContain('http://localhost:')
    expect(codes.text).not.toContain(name)
  })

  test('is where the right password leads from elsewhere, and the page that was wanted with it', async () => {
    const host = `localhost:${new URL(hub.url).port}`
    const elsewhere = visitorOf(hub, host)
    await elsewhere.get('/console/activity')
    const origin = `http://${host}`
    const wrong = await elsewhere.post('/owner/sign-in', { password: 'wrong' }, { origin })
    expect([wrong.status, wrong.headers.location]).toEqual([401, undefined])
    const fields = { password: PASSWORD, place: '/console/activity?record=7' }
    const right = await elsewhere.post('/owner/sign-in', fields, { origin })
    expect([right.status, right.headers['set-cookie']]).toEqual([200, undefined])
    const to = new URL(/content="0;url=([^"]+)"/.exec(right.text)?.[1]?.replaceAll('&amp;', '&') as string)
    expect(to.hostname).toBe(hub.hub.ownerName)
    const visitor = visitorOf(hub)
    await visitor.get(`${to.pathname}${to.search}`)
    const link = to.searchParams.get('link') as string
    const entered = await visitor.post('/owner/link', { link, place: '/console/activity?record=7' })
    expect([entered.status, entered.headers.location]).toEqual([303, '/console/activity?record=7'])
    expect((await visitor.get('/v1/owner/sessions')).status).toBe(200)
  })

  test('is where links are used, and nowhere else', async () => {
    const host = `localhost:${new URL(hub.url).port}`
    const { path, link } = await makeLink(hub)
    const elsewhere = visitorOf(hub, host)
    await elsewhere.get('/owner/sign-in')
    const opened = await elsewhere.get(path)
    expect([opened.status, opened.headers.location]).toEqual([
      303,
      expect.stringMatching(`^http://${hub.hub.ownerName}:`),
    ])
    const { result, records } = await recorded(hub, () =>
      elsewhere.post('/owner/link', { link }, { origin: `http://${host}` }),
    )
    expect([result.status, records[0]?.code]).toEqual([403, 'permission_error'])
    const visitor = visitorOf(hub)
    await visitor.get(path)
    expect((await visitor.post('/owner/link', { link })).status).toBe(303)
  })

  test('takes requests of its own pages alone', async () => {
    const { visitor } = await signIn(hub)
    const { port } = new URL(hub.url)
    const end = { method: 'DELETE', path: '/v1/owner/sessions' }
    for (const origin of [`http://localhost:${port}`, `http://127.0.0.1:${port}`, 'http://other.localhost'])
      expect([origin, (await visitor.ask({ ...end, headers: { origin } })).status]).toEqual([origin, 403])
  })
})

test('the name stays the same when the hub is started again, and each home has its own', async () => {
  await using one = await startTestHub()
  await using two = await startTestHub()
  expect(one.hub.ownerName).not.toBe(two.hub.ownerName)
  expect(new URL(await printedLink(one)).hostname).toBe(one.hub.ownerName)
  await setUpOwner(one)
})

describe('both addresses of localhost', () => {
  test('answer, and the hub stops with calls under way at either', async () => {
    const hub = await startTestHub()
    const { port } = new URL(hub.url)
    const answers = await Promise.all(
      ['127.0.0.1', '[::1]'].map((host) =>
        fetch(`http://${host}:${port}/healthz`).then(({ status }) => status),
      ),
    )
    expect(answers).toEqual([200, 200])
    await hub.close()
    await expect(fetch(`http://[::1]:${port}/healthz`)).rejects.toThrow()
  })

  test.each(['::1', '127.0.0.1'])(
    'the hub does not start while another program listens at %s',
    async (host) => {
      const other = createSocket()
      await new Promise<void>((resolve) => other.listen({ port: 0, host, ipv6Only: true }, resolve))
      const { port } = other.address() as AddressInfo
      expect(await startFault({}, { port })).toMatch(/listens at port|EADDRINUSE/)
      await new Promise((resolve) => other.close(resolve))
      expect(await startFault({}, { port })).toBe('It started.')
    },
  )
})
