import { readFileSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser } from '../browser/owner-browser.fixture.ts'
import { auditRecord } from '../store/audit-records.ts'
import { type ConsoleWorld, openConsole, pictureOf, startConsoleWorld } from './console-world.fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

let world: ConsoleWorld
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

beforeAll(async () => {
  world = await startConsoleWorld()
  const { audit } = world.hub.hub
  for (const minutes of [50, 40, 30, 20, 10])
    await audit.append(
      auditRecord({
        at: minutesAgo(minutes),
        caller_id: `tok_${minutes}`,
        target_id: `flow_${minutes}`,
        duration_us: minutes * 1_000,
      }),
    )
  await world.call('web_search')
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
})
afterEach(() => context?.close())

async function open(path: string, options = {}): Promise<void> {
  ;({ context, page, complaints } = await openConsole(world, browser, {
    viewport: { width: 1_280, height: 800 },
    ...options,
  }))
  page.setDefaultTimeout(15_000)
  await page.goto(`${world.origin}/console/activity${path}`)
  await page.locator('.log-space .log-row').first().waitFor()
}

const rows = () => page.locator('.log-space .log-row')

test('a stretch that is drawn over narrows the list, stands in the address, and goes with one click', async () => {
  await open('')
  const bars = page.locator('.hour svg.can-pick')
  const { x, y, width } = (await bars.boundingBox()) ?? { x: 0, y: 0, width: 0 }
  // From 45 to 15 minutes ago, of an hour.
  await page.mouse.move(x + width * 0.25, y + 20)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.75, y + 20)
  await pictureOf(page, 'activity-drag')
  await page.mouse.up()
  await page.waitForURL(/since=.*until=/)
  await vi.waitFor(async () => expect(await rows().count()).toBe(3), 10_000)
  for (const minutes of [40, 30, 20])
    await rows()
      .filter({ hasText: `flow_${minutes}` })
      .waitFor()
  await page.reload()
  await vi.waitFor(async () => expect(await rows().count()).toBe(3), 10_000)
  await page.locator('.chip.drop', { hasText: 'from' }).click()
  await rows().filter({ hasText: 'flow_50' }).waitFor()
  expect(complaints).toEqual([])
})

test('the same by typing, and by the table behind the bars', async () => {
  await open('')
  await page.getByText('Narrow…').click()
  await page.getByLabel('From (UTC)').fill(minutesAgo(25).slice(0, 16))
  await page.getByLabel('Until (UTC)').fill(minutesAgo(15).slice(0, 16))
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await vi.waitFor(async () => expect(await rows().count()).toBe(1), 10_000)
  await page.locator('.chip.drop', { hasText: 'from' }).click()
  await page.getByText('as a table').click()
  await page.locator('.hour table button').first().click()
  await vi.waitFor(async () => expect(await rows().count()).toBe(1), 10_000)
  await rows().filter({ hasText: 'flow_50' }).waitFor()
  expect(complaints).toEqual([])
})

test('bars tell of latency, too, with a table behind, and of a longer stretch', async () => {
  await open('?minutes=360')
  expect(await page.locator('.hour select').inputValue()).toBe('360')
  await page.getByRole('button', { name: 'Latency' }).click()
  await page.getByText(/The slowest call of each moment of the last 6 hours/).waitFor()
  await page.getByText('as a table').click()
  await page.locator('.hour tbody tr', { hasText: 'mean 50 ms' }).waitFor()
  await pictureOf(page, 'activity-latency')
  expect(complaints).toEqual([])
})

test('the list is held with a key, and followed again', async () => {
  await open('')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.keyboard.press('.')
  await page.getByText('Held still while you read').waitFor()
  const first = await rows().first().innerText()
  await world.call('calendar')
  await page.getByText('1 new call', { exact: true }).waitFor()
  expect((await rows().first().innerText()).split('\n')[1]).toBe(first.split('\n')[1])
  await page.keyboard.press('.')
  await rows().first().filter({ hasText: 'calendar' }).waitFor()
  expect(complaints).toEqual([])
})

test('the log is exported as signed lines', async () => {
  await open('')
  await page.getByRole('button', { name: 'Export…' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the file' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('audit.jsonl')
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n')
  const parsed = lines.map((line) => JSON.parse(line) as object)
  expect(JSON.stringify(parsed)).toContain('flow_50')
  expect(lines.length).toBeGreaterThan(6)
  expect(complaints).toEqual([])
})
