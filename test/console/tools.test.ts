import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser, originOf } from '../browser/owner-browser.fixture.ts'
import { setUpOwner, type Visitor } from '../control/owner-visitor.ts'
import { call } from '../external-agent/approvals.fixture.ts'
import { NAMES, type PinnedHub, startPinnedHub } from '../external-agent/pinned-hub.fixture.ts'
import { definition } from '../external-agent/shifty-server.fixture.ts'
import { NASTY, openConsole, pictureOf } from './console-world.fixture.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

let pinned: PinnedHub
let owner: Visitor
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

beforeAll(async () => {
  pinned = await startPinnedHub('sqlite')
  owner = await setUpOwner(pinned.hub)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await pinned[Symbol.asyncDispose]()
})
afterEach(() => context?.close())

async function open(path: string, options = {}): Promise<void> {
  const world = { hub: { ...pinned.hub, owner } }
  ;({ context, page, complaints } = await openConsole(world, browser, options))
  await page.goto(`${originOf(pinned.hub)}/console${path}`)
}

const extra = (description: string) => ({ ...definition('fresh'), description })

test('a tool of a server is read as what somebody else wrote, and taken as it was shown', async () => {
  pinned.server.list = () => [...NAMES.map((name) => definition(name)), extra(NASTY)]
  pinned.server.forget()
  await open('/tools?tab=providers')
  await page.getByRole('button', { name: 'Review its tools' }).click()
  const shown = page.getByRole('region', { name: 'fresh' })
  await shown.waitFor()
  expect(await shown.innerText()).toContain('⟨U+202E⟩')
  await shown.getByLabel('Take it').check()
  await pictureOf(page, 'import-review')
  await page.getByRole('button', { name: 'Take 1…' }).click()
  await page.getByLabel('Calls of the new ones').selectOption('each_call')
  await page.getByRole('button', { name: 'Take them' }).click()
  await page.getByRole('link', { name: 'Allowlist' }).click()
  const row = page.locator('.tool-row', { hasText: 'fresh' })
  await row.getByText('asks at each call').waitFor()
  await row.getByText('as reviewed').waitFor()
  await row.getByRole('button', { name: 'Remove…' }).click()
  await page.getByRole('button', { name: 'Remove it' }).click()
  await row.waitFor({ state: 'detached' })
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  expect(complaints).toEqual([])
})

test('a pin that changed waits in the inbox, and the tool works again once its new form is accepted', async () => {
  pinned.server.list = () => NAMES.map((name) => definition(name))
  pinned.server.forget()
  expect((await call(pinned, 'post', {})).status).toBe(200)
  const changed = { description: 'Does it at once.' }
  pinned.server.list = () => NAMES.map((name) => definition(name, name === 'post' ? changed : {}))
  pinned.server.forget()
  expect((await call(pinned, 'post', {})).status).toBe(403)
  await open('')
  await page.locator('.need', { hasText: 'is not what you pinned' }).getByRole('link').click()
  await page.locator('.item-title', { hasText: 'post' }).waitFor()
  expect(await page.locator('.changed-words ins').first().innerText()).toContain('it at once')
  await pictureOf(page, 'changed-pin')
  await page.getByRole('button', { name: 'Accept the new form…' }).click()
  await page.getByRole('button', { name: 'Accept it' }).click()
  await page.getByText('accepted').waitFor()
  expect((await call(pinned, 'post', {})).status).toBe(200)
  expect(complaints).toEqual([])
})

test('a gate is closed at once and opened after a question, and the history goes back', async () => {
  await open('/tools?tab=policy')
  const gate = page.locator('.gate-row', { hasText: 'authoring' }).first()
  await gate.getByRole('button').waitFor()
  const isOpen = (await gate.getByRole('button', { name: 'Close' }).count()) === 1
  if (isOpen) await gate.getByRole('button', { name: 'Close' }).click()
  await gate.getByRole('button', { name: 'Open…' }).click()
  await page.getByRole('button', { name: 'Open it' }).click()
  await gate.getByRole('button', { name: 'Close' }).waitFor()
  await page.locator('pre', { hasText: /writes_enabled"?: true/ }).waitFor()
  await page.getByRole('button', { name: 'Revert…' }).first().click()
  await page.getByRole('button', { name: 'Go back to it' }).click()
  await gate.getByRole('button', { name: 'Open…' }).waitFor()
  await page.getByRole('button', { name: 'Check the policy' }).click()
  await page.getByText('accepts anything').first().waitFor()
  expect(complaints).toEqual([])
})

test.each([
  ['light', ''],
  ['dark', ''],
  ['light', '?tab=providers'],
  ['dark', '?tab=providers'],
  ['light', '?tab=policy'],
  ['dark', '?tab=policy'],
] as const)('in %s /tools%s is without a fault of access', async (colorScheme, tab) => {
  await open(`/tools${tab}`, { colorScheme })
  await page
    .getByText(tab === '?tab=policy' ? 'The file' : 'shifty')
    .first()
    .waitFor()
  await pictureOf(page, `tools-${tab.slice(5) || 'allowlist'}-${colorScheme}`)
  const { violations } = await new AxeBuilder({ page: page as never }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await pictureOf(page, `tools-${tab.slice(5) || 'allowlist'}-phone`)
  expect(complaints).toEqual([])
})
