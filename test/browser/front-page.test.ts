import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'

/** The name that a hub answers under besides loopback, unless its settings say otherwise. */
const HOSTED = 'api.knowtation.store'

let hub: TestHub
let browser: Browser
beforeAll(async () => {
  hub = await startTestHub()
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ]
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', ...quiet],
  })
})
afterAll(async () => {
  await browser?.close()
  await hub.close()
})

test.each(['light', 'dark'] as const)('a person sees one plain page, in %s', async (colorScheme) => {
  const page = await browser.newPage({ colorScheme })
  const complaints: string[] = []
  const asked: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(`${hub.url}/`)
  expect(await page.textContent('h1')).toBe('Knowtation')
  expect(
    await page.locator('ul a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
  ).toEqual(['/console', '/mcp', '/api/v1/flows', '/openapi.json', '/healthz', '/metrics'])
  // The style sheet was applied, so the page's own policy lets it in.
  expect(await page.evaluate("getComputedStyle(document.querySelector('main')).maxWidth")).not.toBe('none')
  expect(complaints).toEqual([])
  expect(asked.every((url) => url.startsWith(hub.url))).toBe(true)
  await page.close()
})

test('under a hosted name the page has no door that is shut there', async () => {
  const { text } = await send(hub.url, { path: '/', headers: { host: HOSTED, accept: 'text/html' } })
  const doors = [...text.matchAll(/<li><a href="([^"]+)"/g)].map(([, path]) => path)
  expect(doors).toEqual(['/mcp', '/api/v1/flows', '/openapi.json', '/healthz'])
})

test('a script that found its way into the page would not run', async () => {
  const page = await browser.newPage()
  await page.goto(`${hub.url}/`)
  const ran = page.evaluate(`{
    const script = document.createElement('script')
    script.textContent = 'document.title = "taken over"'
    document.body.append(script)
    document.title
  }`)
  expect(await ran).toBe('Knowtation')
  await page.close()
})

test('a page of another origin reads nothing from the hub', async () => {
  const page = await browser.newPage()
  await page.goto('about:blank')
  const outcome = await page.evaluate(
    (url) =>
      fetch(`${url}/api/v1/flows`).then(
        (answer) => `read ${answer.status}`,
        () => 'refused',
      ),
    hub.url,
  )
  expect(outcome).toBe('refused')
  await page.close()
})
