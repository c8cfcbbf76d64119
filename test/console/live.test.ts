import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RunningHub, startHub } from '../../src/surfaces/http/start-hub.ts'
import { openBrowser, originOf } from '../browser/owner-browser.fixture.ts'
import { setUpOwner, type Visitor } from '../control/owner-visitor.ts'
import { type AskingHub, call, startAskingHub } from '../external-agent/approvals.fixture.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { openConsole } from './console-world.fixture.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const SEEN_WITHIN_MS = 2_000

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

/** Two hubs on one database: what agents do at the first is looked at through the second. */
describe.each(DATABASES)('two hubs on %s', (database) => {
  let asking: AskingHub
  let owner: Visitor
  let other: RunningHub
  let context: BrowserContext
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    asking = await startAskingHub({ database })
    owner = await setUpOwner(asking.hub)
    other = await startHub({ ...asking.hub.options, host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    await other?.stop()
    await asking?.close()
  })
  afterEach(() => context?.close())

  const place = () => originOf({ url: other.url, hub: asking.hub.hub })

  async function open(path: string): Promise<void> {
    // The session counts at both; its cookie has the port in its name.
    const port = new URL(other.url).port
    const cookies = new Map([...owner.cookies].map(([name, value]) => [name.replace(/\d+$/, port), value]))
    const hub = { url: other.url, hub: asking.hub.hub, owner: { ...owner, cookies } }
    ;({ context, page, complaints } = await openConsole({ hub }, browser))
    page.setDefaultTimeout(15_000)
    await page.goto(`${place()}/console${path}`)
    await page.getByText('Live', { exact: true }).waitFor()
  }

  test('a refused call is seen within two seconds, and is one click from its reason', async () => {
    await open('')
    await page.getByRole('heading', { name: 'Refused lately' }).waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    const why = page.getByRole('link', { name: /^Why was record/ })
    const before = await why.count()
    expect((await call(asking, 'fax', {})).status).toBe(403)
    const heard = performance.now()
    await vi.waitFor(async () => expect(await why.count()).toBe(before + 1), {
      timeout: 10_000,
      interval: 20,
    })
    expect(performance.now() - heard).toBeLessThan(SEEN_WITHIN_MS)
    await why.first().click()
    await page.locator('.conditions .is-failed').first().waitFor()
    expect(complaints).toEqual([])
  })

  test('a call that is held at one is answered at the other', async () => {
    await open('/inbox')
    const held = call(asking, 'post', { text: 'Week 47' }, { wait: 60 })
    await page.locator('.item-title', { hasText: 'post' }).waitFor()
    await page.getByRole('button', { name: 'Allow this one call' }).click()
    expect((await held).status).toBe(200)
    expect(complaints).toEqual([])
  })

  test('a hub that goes away is told, and what happened meanwhile is there once it is back', async () => {
    await open('/activity')
    await page.locator('.log-space .log-row').first().waitFor()
    const { port } = new URL(other.url)
    await other.stop()
    await page.locator('.live-mark', { hasText: 'Not live since' }).waitFor({ timeout: 20_000 })
    expect((await call(asking, 'plain', { text: 'meanwhile' })).status).toBe(200)
    other = await startHub({ ...asking.hub.options, host: '127.0.0.1', port: Number(port) })
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 40_000 })
    await page.locator('.log-space .log-row', { hasText: 'plain' }).first().waitFor()
    // What could not be reached meanwhile the browser tells itself; nothing else is wrong.
    expect(complaints.filter((text) => !/ERR_|Failed to load resource/.test(text))).toEqual([])
  })

  test('several tabs share one stream, and the next one takes it over', async () => {
    await open('')
    const second = await context.newPage()
    const asked: string[] = []
    second.on('request', (request) => {
      if (request.url().includes('/v1/owner/stream')) asked.push(request.url())
    })
    await second.goto(`${place()}/console/activity`)
    await second.getByText('Live', { exact: true }).waitFor()
    await second.locator('.log-space .log-row').first().waitFor()
    const rows = second.locator('.log-space .log-row', { hasText: 'plain' })
    const before = await rows.count()
    expect((await call(asking, 'plain', { text: 'first' })).status).toBe(200)
    await vi.waitFor(async () => expect(await rows.count()).toBe(before + 1), 10_000)
    expect(asked).toEqual([])
    await page.close()
    await vi.waitFor(() => expect(asked).toHaveLength(1), 10_000)
    expect((await call(asking, 'plain', { text: 'second' })).status).toBe(200)
    await vi.waitFor(async () => expect(await rows.count()).toBe(before + 2), 10_000)
    expect(complaints).toEqual([])
  })
})
