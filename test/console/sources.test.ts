import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { applyPage } from '../../src/domains/control/records/record-store.ts'
import { openBrowser } from '../browser/owner-browser.fixture.ts'
import { addConnection, addFinishedRun, type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { type EventReceiver, startReceiver } from '../control/event-receiver.ts'
import { ownerOrigin } from '../control/owner-visitor.ts'
import { connect, installConnector, type RunSource, startSource } from '../control/run-source.ts'
import { NASTY, openConsole, pictureOf } from './console-world.fixture.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const RECORDS = [
  { key: 'kettle', data: { title: 'A kettle for the kitchen', price: 12 } },
  { key: 'rake', data: { title: 'A rake for the garden', note: NASTY } },
]

let hub: OwnedHub
let source: RunSource
let receiver: EventReceiver
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]
let kept: string
let live: string

beforeAll(async () => {
  hub = await startOwnedHub()
  source = await startSource()
  receiver = await startReceiver()
  installConnector(hub.home)
  kept = await addConnection(hub, { display_name: 'Orders' })
  await addConnection(hub, { display_name: NASTY })
  for (const fault of [null, 'source_unreachable', null])
    await addFinishedRun(hub, kept, {
      state: fault ? 'failed' : 'succeeded',
      at: '2026-02-01T00:00:00.000Z',
      fault,
    })
  const notes = { stream: 'notes', upserts: RECORDS, checkpoint: null, bytes: 0 }
  await hub.hub.db.transaction((tx) => applyPage(tx, kept, notes, hub.hub.system.now().toISOString()))
  live = await connect(hub.hub, source.url)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await receiver?.[Symbol.asyncDispose]()
  await source?.[Symbol.asyncDispose]()
  await hub?.close()
})
afterEach(() => context?.close())

async function open(path: string, options = {}): Promise<void> {
  ;({ context, page, complaints } = await openConsole({ hub }, browser, options))
  await page.goto(`${ownerOrigin(hub)}/console${path}`)
}
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

const SCREENS: [string, () => string, string][] = [
  ['sources', () => '/data', 'Orders'],
  ['connect', () => '/data/connect', 'RSS or Atom feed'],
  ['source-runs', () => `/data/sources/${kept}`, 'took'],
  [
    'source-records',
    () => `/data/sources/${kept}?view=records&stream=notes&key=rake`,
    'A rake for the garden',
  ],
  ['source-schedule', () => `/data/sources/${kept}?view=schedule`, 'If set now'],
  ['subscriptions', () => '/data?tab=subscriptions', 'Tell another address'],
]

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test.each(SCREENS)('%s is without a fault of access, and nothing complains', async (name, path, sign) => {
    await open(path(), { colorScheme })
    await page.getByText(sign).first().waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    await pictureOf(page, `${name}-${colorScheme}`)
    const { violations } = await new AxeBuilder({ page: page as never }).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
    expect(await page.locator('img[src="x"]').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

test('on a phone nothing lies beside the screen', async () => {
  await open('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  for (const [name, path, sign] of SCREENS) {
    await page.goto(`${ownerOrigin(hub)}/console${path()}`)
    await page.getByText(sign).first().waitFor()
    await pictureOf(page, `${name}-phone`)
    expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([name, 390])
  }
})

test('a source collects while one looks, can be cancelled, and its history says how it went', async () => {
  let goOn: (() => void) | undefined
  source.answer = ({ from }) =>
    Number(from ?? 0) === 0
      ? { next: 1, upserts: [{ key: 'k0', data: { n: 0 } }], total: 4 }
      : new Promise((answered) => {
          goOn = () => answered('end')
        })
  await open(`/data/sources/${live}`)
  await press('Collect now')
  const row = page.locator('.run-row').first()
  await row.getByText('1 of 4 records').waitFor({ timeout: 20_000 })
  await page.goto(`${ownerOrigin(hub)}/console/data`)
  await page.getByRole('heading', { name: 'Collecting now' }).waitFor()
  await pictureOf(page, 'collecting')
  await press('Cancel…')
  await press('Cancel the run')
  await page.getByRole('heading', { name: 'Collecting now' }).waitFor({ state: 'detached', timeout: 20_000 })
  goOn?.()
  await page.goto(`${ownerOrigin(hub)}/console/data/sources/${live}`)
  await page.locator('.run-row', { hasText: 'cancelled' }).waitFor()
  expect(complaints).toEqual([])
})

test('what was collected is found by its words, opens, and stays words', async () => {
  await open(`/data/sources/${kept}?view=records`)
  await page.getByLabel('Search what was collected').fill('garden rake')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Found for “garden rake”' }).waitFor()
  const hit = page.locator('.hit').first()
  await hit.getByRole('link').waitFor()
  expect(await hit.innerText()).toContain('A rake for the garden')
  await pictureOf(page, 'record-search')
  await hit.getByRole('link').click()
  const shown = page.locator('.foreign-block')
  await shown.waitFor()
  expect(await shown.innerText()).toContain('⟨U+202E⟩')
  await page.goBack()
  await shown.waitFor({ state: 'detached' })
  await page.locator('.hit').first().waitFor()
  expect(complaints).toEqual([])
})

test('a schedule is set with its next times in sight, paused, taken up and removed', async () => {
  await open(`/data/sources/${kept}?view=schedule`)
  await press('At times')
  await page.getByLabel('Cron line').fill('0 3 * *')
  await page.getByText('cron must have five fields').waitFor()
  await page.getByLabel('Cron line').fill('30 3 * * 1')
  await page.getByLabel('Time zone').fill('UTC')
  await page.getByText(/^Next times: .* 03:30/).waitFor()
  await press('Change it')
  await page.getByText('at 30 3 * * 1 (UTC)').waitFor()
  await press('Pause')
  await page.getByText('paused').first().waitFor()
  await press('Go on')
  await press('Remove…')
  await press('Remove it')
  await page.getByText('never by itself').waitFor()
  // What was typed wrong was refused, and the browser says so.
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([])
})

test('who is told: the secret is on one page of the hub’s, a test arrives, and what was missed is delivered', async () => {
  await open(`/data?tab=subscriptions&item=${kept}`)
  await page.getByLabel('Address that events are posted to').fill(receiver.url)
  await page.getByLabel('a run failed').check()
  await pictureOf(page, 'subscription-form')
  await press('Go on…')
  await page.getByText('pdpp.run.failed').waitFor()
  expect(await page.locator('dl').innerText()).toContain(kept)
  await press('Subscribe and show the secret')
  const secret = await page.locator('.bearer').innerText()
  expect(secret).toMatch(/^whsec_/)
  await pictureOf(page, 'subscription-secret')
  await page.getByRole('link', { name: 'Done, I have copied it' }).click()
  const row = page.locator('.subscription-row', { hasText: receiver.url })
  await row.getByText('on', { exact: true }).waitFor({ timeout: 20_000 })
  expect(await page.content()).not.toContain(secret)
  await page.goBack()
  expect(await page.content()).not.toContain(secret)
  await page.goto(`${ownerOrigin(hub)}/console/data?tab=subscriptions`)
  await row.getByRole('button', { name: 'Send a test' }).click()
  await vi.waitFor(
    () => expect(receiver.taken.some(({ event }) => event.type.endsWith('.test'))).toBe(true),
    20_000,
  )
  await row.getByRole('link').first().click()
  await page.locator('.event-row', { hasText: 'pdpp.subscription.test' }).getByText('delivered').waitFor()
  await pictureOf(page, 'subscription-events')
  await row.getByRole('button', { name: 'Pause' }).click()
  await row.getByRole('button', { name: 'Go on' }).click()
  await row.getByRole('button', { name: 'Pause' }).waitFor()
  await row.getByRole('button', { name: 'Delete…' }).click()
  await press('Delete it')
  await row.waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})

test('a source is renamed, revoked, taken up again, and deleted only by its name', async () => {
  await open(`/data/sources/${kept}`)
  await press('Rename…')
  await page.getByLabel('Name').fill('Garden orders')
  await press('Rename')
  await page.getByRole('heading', { level: 1, name: 'Garden orders' }).waitFor()
  await press('Revoke…')
  await press('Revoke it')
  await press('Take it up again')
  await page.getByRole('button', { name: 'Revoke…' }).waitFor()
  await press('Delete…')
  await page.getByText('8 records').waitFor()
  await pictureOf(page, 'source-delete')
  const last = page.getByRole('button', { name: 'Delete it for good' })
  expect(await last.isDisabled()).toBe(true)
  await page.getByLabel('Type its name to go on').fill('Garden orders')
  await last.click()
  await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor()
  await page.getByText('Garden orders').waitFor({ state: 'detached' })
  expect(complaints).toEqual([])
})
