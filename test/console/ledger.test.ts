import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { insertEntries } from '../../src/domains/boundary/ledger/ledger-store.ts'
import { ledgerRow } from '../boundary/ledger-rows.fixture.ts'
import { openBrowser } from '../browser/owner-browser.fixture.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { ownerOrigin } from '../control/owner-visitor.ts'
import { NASTY, openConsole, pictureOf } from './console-world.fixture.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const SOURCES = ['analytics', 'search', 'orders', NASTY]

let hub: OwnedHub
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

/** A plan that rests on clusters, and these on signals: as many entries as are wanted. */
async function addPlan(first: number, count: number): Promise<string> {
  const clusters = Math.ceil(count / 20)
  const signals = Array.from({ length: count - clusters - 1 }, (_, place) =>
    ledgerRow(first + place, { source: SOURCES[place % SOURCES.length] as string }),
  )
  const made = Array.from({ length: clusters }, (_, place) => {
    const own = signals.filter((_one, signal) => signal % clusters === place)
    const depends_on_json = JSON.stringify(own.map(({ id }) => id))
    return ledgerRow(first + signals.length + place, {
      type: 'cluster',
      source: 'clusterer',
      depends_on_json,
    })
  })
  const plan = ledgerRow(first + count, {
    type: 'plan',
    depends_on_json: JSON.stringify(made.map(({ id }) => id)),
  })
  const rows = [...signals, ...made, plan]
  for (let done = 0; done < rows.length; done += 500)
    await hub.hub.db.transaction((tx) => insertEntries(tx, rows.slice(done, done + 500)))
  return plan.id
}

let middling: string
let large: string
beforeAll(async () => {
  hub = await startOwnedHub()
  middling = await addPlan(1, 500)
  large = await addPlan(10_000, 5_000)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await hub?.close()
})
afterEach(() => context?.close())

async function open(id: string, options = {}): Promise<void> {
  ;({ context, page, complaints } = await openConsole({ hub }, browser, options))
  page.setDefaultTimeout(20_000)
  await page.goto(`${ownerOrigin(hub)}/console/data?tab=ledger&item=${id}`)
}

test('500 entries are a few boxes, a stack opens, and the way to what is pointed at stands out', async () => {
  await open(middling, { viewport: { width: 1_440, height: 900 } })
  await page.getByText('500 entries, 499 links, 2 steps deep').waitFor()
  const boxes = page.locator('.graph-box')
  expect(await boxes.count()).toBe(1 + 1 + SOURCES.length)
  await page.locator('.graph-box.is-stack', { hasText: 'analytics' }).hover()
  expect(await page.locator('.graph-box.is-on-way').count()).toBe(3)
  await pictureOf(page, 'lineage-500')
  await page.locator('.graph-box.is-stack', { hasText: 'clusterer' }).click()
  await vi.waitFor(async () => expect(await boxes.count()).toBe(1 + 25 + SOURCES.length))
  await page.getByRole('button', { name: 'Close the opened stacks' }).click()
  await vi.waitFor(async () => expect(await boxes.count()).toBe(1 + 1 + SOURCES.length))
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  expect(complaints).toEqual([])
})

test('5,000 are drawn at once, and listed part by part', async () => {
  await open(large, { viewport: { width: 1_440, height: 900 } })
  await page.getByText('5,000 entries, 4,999 links').waitFor()
  expect(await page.locator('.graph-box').count()).toBeLessThanOrEqual(40)
  await pictureOf(page, 'lineage-5000')
  await page.getByRole('button', { name: 'List', exact: true }).click()
  const rows = page.locator('.lineage-list tbody tr')
  expect(await rows.count()).toBe(200)
  await page.getByRole('button', { name: '200 more of 4,800' }).click()
  expect(await rows.count()).toBe(400)
  await rows.nth(5).getByRole('link').click()
  await page.getByText('It was made from nothing else here.').or(page.locator('.graph')).first().waitFor()
  expect(complaints).toEqual([])
})

test('on a phone it is a list, and nothing lies beside the screen', async () => {
  await open(middling, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await page.locator('.lineage-list').waitFor()
  await pictureOf(page, 'lineage-phone')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

test.each(['light', 'dark'] as const)('in %s it is without a fault of access', async (colorScheme) => {
  await open(middling, { colorScheme, viewport: { width: 1_440, height: 900 } })
  await page.locator('.graph').waitFor()
  await pictureOf(page, `lineage-${colorScheme}`)
  const { violations } = await new AxeBuilder({ page: page as never }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  expect(complaints).toEqual([])
})
