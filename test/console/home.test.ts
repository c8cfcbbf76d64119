import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  flowUsing,
  OPEN_POLICY,
  openBrowser,
  originOf,
  proposeOverRest,
} from '../browser/owner-browser.fixture.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { NASTY, openConsole } from './console-world.fixture.ts'
import { checkScreen } from './screen-checks.fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

let hub: OwnedHub
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

beforeAll(async () => {
  hub = await startOwnedHub({ policy: OPEN_POLICY })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await hub.close()
})
afterEach(() => context?.close())

async function open(path: string, options = {}): Promise<void> {
  ;({ context, page, complaints } = await openConsole({ hub }, browser, options))
  await page.goto(`${originOf(hub)}/console${path}`)
}

test('a new hub leads to its first agent, and says no more of it once one has called', async () => {
  await open('')
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText('See it call').waitFor()
  await checkScreen(page, 'home-first')
  // The gate and the allowlist are the policy's, and both are done here.
  await steps.getByText('3 of 4 done').waitFor()
  const flows = { path: '/api/v1/flows', bearer: hub.credentials.bearers.editor }
  expect((await send(hub.url, flows)).status).toBe(200)
  await steps.waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

test('one agent is stopped in two clicks, and let go on after a question', async () => {
  await proposeOverRest(hub, flowUsing('flow_stopped', 'web_search'), NASTY)
  await open('')
  await page.getByText('Refused lately').waitFor()
  await page.getByRole('button', { name: 'Stop…' }).click()
  const panel = page.getByRole('region', { name: 'Stop' })
  await panel
    .getByRole('button', { name: /^Stop tok_/ })
    .first()
    .click()
  const flows = { path: '/api/v1/flows', bearer: hub.credentials.bearers.editor }
  await vi.waitFor(async () => expect((await send(hub.url, flows)).status).toBe(423))
  await panel.getByRole('button', { name: 'Let it go on…' }).click()
  await panel.getByRole('button', { name: 'Yes, let it go on' }).click()
  await vi.waitFor(async () => expect((await send(hub.url, flows)).status).toBe(200))
  expect(complaints).toEqual([])
})

test('a proposal is read change by change with the keys, and is all there on paper', async () => {
  await open('/inbox')
  await page.locator('.item-title', { hasText: 'flow_stopped' }).waitFor()
  await page.keyboard.press('n')
  await page.keyboard.press('n')
  const at = 'document.activeElement.querySelector("header b").textContent'
  expect(await page.evaluate(at)).toMatch(/^1 /)
  await page.keyboard.press('p')
  expect(await page.evaluate(at)).toBe('The flow itself')
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('button', { name: /^Approve/ }).isVisible()).toBe(false)
  expect(await page.locator('.inbox-list').isVisible()).toBe(false)
  const { width = 0 } = (await page.locator('.change').first().boundingBox()) ?? {}
  expect(width).toBeGreaterThan(600)
  expect(complaints).toEqual([])
})
