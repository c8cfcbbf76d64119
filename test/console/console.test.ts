import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openBrowser } from '../browser/owner-browser.fixture.ts'
import {
  type ConsoleWorld,
  NASTY,
  openConsole,
  pictureOf,
  startConsoleWorld,
} from './console-world.fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

let world: ConsoleWorld
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

beforeAll(async () => {
  world = await startConsoleWorld()
  browser = await openBrowser()
  await world.call('web_search')
  await world.call('calendar')
  await world.propose(NASTY)
})
afterAll(async () => {
  await browser?.close()
  await world.close()
})
afterEach(() => context?.close())

async function open(path: string, options = {}): Promise<void> {
  ;({ context, page, complaints } = await openConsole(world, browser, options))
  await page.goto(`${world.origin}/console${path}`)
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test.each([
    ['home', '', 'Refused lately'],
    ['activity', '/activity', 'web_search'],
  ])('%s is without a fault of access, and nothing complains', async (name, path, sign) => {
    await open(path, { colorScheme })
    await page.getByText(sign).first().waitFor()
    await pictureOf(page, `${name}-${colorScheme}`)
    const { violations } = await new AxeBuilder({ page: page as never }).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
    expect(complaints).toEqual([])
  })
})

test('what an agent wrote is shown as its words, and runs nothing', async () => {
  await open('')
  const words = page.locator('.foreign', { hasText: 'evil' })
  await words.waitFor()
  expect(await words.innerText()).toContain('⟨U+202E⟩')
  expect(await page.title()).toBe('Knowtation')
  expect(await page.locator('img[src="x"]').count()).toBe(0)
})

test('a refused call is on the page without a reload, and one click from its reason', async () => {
  await open('')
  await page.getByText('Live', { exact: true }).waitFor()
  const why = page.getByRole('link', { name: /^Why was record/ })
  await why.first().waitFor()
  const before = await why.count()
  expect(await world.call('calendar')).toBe('FLOW_EXTERNAL_GRANT_TOOL_DENIED')
  await vi.waitFor(async () => expect(await why.count()).toBe(before + 1), { timeout: 10_000, interval: 50 })
  await why.first().click()
  await page.getByText('grant includes the tool').waitFor()
  expect(await page.locator('.conditions .is-failed').innerText()).toContain('does not hold')
  await pictureOf(page, 'why')
})

test('new calls wait aside while somebody reads a record', async () => {
  await open('/activity')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('.log-space .log-row', { hasText: 'web_search' }).first().click()
  await page.getByRole('heading', { name: /^Record \d+$/ }).waitFor()
  const top = () => page.locator('.log-space .log-row .row-open').first().innerText()
  const first = await top()
  await world.call('calendar')
  await page.getByText('Held still while you read').waitFor()
  await page.getByText(/^\d+ new calls?$/).waitFor()
  expect(await top()).toBe(first)
  await pictureOf(page, 'record')
  await page.getByRole('button', { name: 'Show them' }).click()
  await vi.waitFor(async () => expect(await top()).toContain('calendar'))
})

test('everything is stopped in two clicks, told on the page, and let go on after a question', async () => {
  await open('')
  await page.getByRole('button', { name: 'Stop…' }).click()
  await page.getByRole('button', { name: 'Stop everything' }).click()
  await page.getByText('Everything is stopped').waitFor()
  expect(await world.call('web_search')).toBe('LOCKED')
  await page.getByText('Refused lately').waitFor()
  await pictureOf(page, 'stopped')
  await page.locator('.stopped').getByRole('button', { name: 'Let it go on…' }).click()
  await page.locator('.stopped').getByRole('button', { name: 'Yes, let it go on' }).click()
  await page.locator('.stopped').waitFor({ state: 'detached' })
  expect(await world.call('web_search')).toBeUndefined()
})

test('on a phone nothing lies beside the screen', async () => {
  await open('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await page.getByText('Refused lately').waitFor()
  await pictureOf(page, 'home-phone')
  for (const path of ['', '/activity']) {
    await page.goto(`${world.origin}/console${path}`)
    await page.getByRole('navigation', { name: 'Pages' }).last().waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  }
  await pictureOf(page, 'activity-phone')
})
