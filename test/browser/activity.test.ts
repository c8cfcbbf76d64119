import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { violate } from '../toolbox/watch-hub.fixture.ts'
import { NASTY, openAsOwner, openBrowser, originOf, picture } from './owner-browser.fixture.ts'

/** A browser on a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 })

/** Nothing in it that a line could be broken at. */
const LONG = 'Donaudampfschifffahrtsgesellschaft'.repeat(3)

let hub: OwnedHub
let browser: Browser
let context: BrowserContext
let page: Page
let origin: string
const complaints: string[] = []

beforeAll(async () => {
  hub = await startOwnedHub()
  origin = originOf(hub)
  browser = await openBrowser()
  ;({ context, page } = await openAsOwner(browser, hub, hub.owner))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message())
    void dialog.dismiss()
  })
})
afterAll(async () => {
  await browser?.close()
  await hub.close()
})

/** Pictures of what is shown, light and dark, on a phone and on a desk; nowhere is it wider than its window. */
async function look(name: string): Promise<void> {
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 740 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      await picture(page, `activity-${name}-${width}-${colorScheme}`)
    }
  }
}

const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

test('a quiet hub has a quiet page, and is checked with one press', async () => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${origin}/owner`)
  await page.getByRole('link', { name: 'Activity', exact: true }).click()
  expect(await page.locator('[role=alert]').count()).toBe(0)
  await look('quiet')
  await press('Check the log')
  expect(await page.textContent('[role=status]')).toContain('The audit log is intact')
  await look('intact')
})

test('what agents did is read on a phone, narrowed, and acknowledged; their words stay words', async () => {
  const { admin, viewer } = hub.credentials.bearers
  for (const bearer of [admin, viewer])
    await send(hub.url, { method: 'POST', path: '/api/v1/flows', bearer, body: '{"intent":"x","bundle":{}}' })
  await send(hub.url, { path: `/api/v1/flows/flow_${LONG.toLowerCase()}`, bearer: viewer })
  await send(hub.url, { path: '/api/v1/audit', bearer: viewer })
  for (let count = 0; count < 6; count++)
    await violate(hub.hub, 'coder-7', { target_path: `../other/${LONG}`, command_args: [NASTY] })
  for (let count = 0; count < 6; count++) await violate(hub.hub, `${LONG} ${NASTY}`.slice(0, 120))
  await violate(hub.hub, 'coder-9', { violation_type: 'critical_action', severity: 'CRITICAL' })
  await page.goto(`${origin}/owner/activity`)
  await look('busy')
  await press('Acknowledge: coder-7')
  expect(await page.textContent('[role=status]')).toContain('It is acknowledged.')
  expect(await page.locator('.alarm li').count()).toBe(1)
  await page.getByRole('link', { name: /^6 violations of/ }).click()
  expect(await page.locator('ul.calls li').count()).toBe(6)
  await look('agent')
  await page.getByRole('link', { name: 'All activity', exact: true }).click()
  await page.getByLabel('Ended').selectOption('denied')
  await press('Show these')
  const ends = await page.locator('ul.calls .ended').allTextContents()
  expect([ends.length > 0, new Set(ends)]).toEqual([true, new Set(['denied'])])
  await look('denied')
  expect([await page.title(), complaints]).toEqual(['Activity · Knowtation', []])
})

test('without scripts it is the same page', async () => {
  const plain = await openAsOwner(browser, hub, hub.owner, { javaScriptEnabled: false })
  await plain.page.goto(`${origin}/owner/activity`)
  await plain.page.getByRole('button', { name: 'Check the log', exact: true }).click()
  expect(await plain.page.textContent('[role=status]')).toContain('The audit log is intact')
  await plain.context.close()
})

test('a damaged log is told above everything else', async () => {
  await hub.hub.db.transaction((tx) => tx.run(sql(`UPDATE audit_records SET code = 'x' WHERE seq = 3`)))
  await page.goto(`${origin}/owner/activity`)
  await press('Check the log')
  expect(await page.textContent('[role=alert]')).toContain(
    'The audit log is not intact: Record 3 was changed',
  )
  await look('damaged')
  await context.close()
})
