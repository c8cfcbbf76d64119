import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openBrowser } from '../browser/owner-browser.fixture.ts'
import { addConnection } from '../control/connection-samples.ts'
import { ask } from '../external-agent/gate-hub.ts'
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
let entry: string

/** An entry of the ledger, made from others; its words are an attacker's. */
async function append(text: string, from: string[] = []): Promise<string> {
  const input = { tenant_id: 'garden', source: 'crm', type: 'signal', payload: { text }, depends_on: from }
  const { body } = await ask(world.hub, 'ledger_append', input)
  if (!body?.entry) throw new Error(JSON.stringify(body))
  return body.entry.id as string
}

beforeAll(async () => {
  world = await startConsoleWorld()
  browser = await openBrowser()
  await world.call('web_search')
  await addConnection(world.hub, { display_name: NASTY })
  const sources = [await append(NASTY), await append('two')]
  entry = await append('made', sources)
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

const SCREENS = [
  ['agents', '/agents', 'Live grants'],
  ['tokens', '/agents?tab=tokens', 'members of this vault by a token'],
  ['seats', '/agents?tab=seats', 'No seat is taken'],
  ['consents', '/agents?tab=consents', 'None yet.'],
  ['owner-agents', '/agents?tab=owner_agents', 'they act for you at your sources'],
  ['flows', '/flows', 'Library'],
  ['flow', '/flows/flow_granted', 'Look back'],
  ['sources', '/data', 'amazon'],
  ['engines', '/data?tab=engines', 'No engine was asked yet'],
  ['ledger', '/data?tab=ledger', 'signal'],
] as const

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test.each(SCREENS)('%s is without a fault of access, and nothing complains', async (name, path, sign) => {
    await open(path, { colorScheme })
    await page.getByText(sign).first().waitFor()
    await pictureOf(page, `${name}-${colorScheme}`)
    const { violations } = await new AxeBuilder({ page: page as never }).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
    expect(complaints).toEqual([])
    expect(await page.title()).toBe('Knowtation')
  })
})

test('on a phone nothing lies beside the screen', async () => {
  await open('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  for (const [name, path, sign] of SCREENS) {
    await page.goto(`${world.origin}/console${path}`)
    await page.getByText(sign).first().waitFor()
    await pictureOf(page, `${name}-phone`)
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390])
  }
})

test('a grant is revoked after a question, and opens nothing from then on', async () => {
  expect(await world.call('web_search')).toBeUndefined()
  await open('/agents')
  await page.getByRole('button', { name: 'Revoke…' }).click()
  await page.getByRole('button', { name: 'Revoke it' }).click()
  await page.getByText('No grant is live').waitFor()
  await page.getByText('Ended lately').waitFor()
  expect(await world.call('web_search')).toBe('FLOW_EXTERNAL_GRANT_REVOKED')
  expect(complaints).toEqual([])
})

test('a flow is read as a page, and as a program reads it', async () => {
  await open('/flows')
  await page.locator('.flow-row', { hasText: 'flow_granted' }).getByRole('link').click()
  await page.getByText('Look back').first().waitFor()
  await page.getByRole('link', { name: 'Projections' }).click()
  await page.locator('pre', { hasText: 'flow_granted' }).first().waitFor()
  await pictureOf(page, 'projection')
  await page.goBack()
  await page.getByText('Look back').first().waitFor()
})

test('an entry of the ledger tells from what it was made, and the words of others stay words', async () => {
  await open(`/data?tab=ledger&item=${encodeURIComponent(entry)}`)
  const boxes = page.locator('.graph-box')
  await boxes.nth(2).waitFor()
  await pictureOf(page, 'lineage')
  await page.locator('.graph-box:not(.is-start)').first().click()
  await page.locator('.foreign-block').waitFor()
  await page.getByRole('button', { name: 'Made into' }).click()
  await vi.waitFor(async () => expect(await boxes.count()).toBe(2))
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('intact, 1 tenants').waitFor()
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  expect(complaints).toEqual([])
})

test('the keys lead from page to page', async () => {
  await open('')
  await page.getByText('Refused lately').waitFor()
  for (const [key, heading] of [
    ['f', 'Flows'],
    ['r', 'Agents'],
    ['i', 'Inbox'],
    ['d', 'Sources'],
  ] as const) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  }
})
