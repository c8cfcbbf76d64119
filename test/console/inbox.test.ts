import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  flowUsing,
  openBrowser,
  originOf,
  proposeOverRest,
  publishOverRest,
} from '../browser/owner-browser.fixture.ts'
import { setUpOwner, type Visitor } from '../control/owner-visitor.ts'
import { type AskingHub, call, startAskingHub } from '../external-agent/approvals.fixture.ts'
import { verifies } from '../requirements/verifies.ts'
import { NASTY, openConsole, pictureOf } from './console-world.fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

let asking: AskingHub
let owner: Visitor
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

beforeAll(async () => {
  asking = await startAskingHub()
  owner = await setUpOwner(asking.hub)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await asking.close()
})
afterEach(() => context?.close())

const world = () => ({ hub: { ...asking.hub, owner }, origin: originOf(asking.hub) })

async function open(path: string, options = {}): Promise<void> {
  ;({ context, page, complaints } = await openConsole(world(), browser, options))
  await page.goto(`${originOf(asking.hub)}/console${path}`)
}

const headingOf = (text: string | RegExp) => page.locator('.item-title', { hasText: text })

verifies(
  'FLOW-069',
  'a proposal is read as text and approved in three clicks from Home; what it opens stands on top',
  async () => {
    const base = flowUsing('flow_mail', 'post')
    await publishOverRest(asking.hub, base)
    const next = flowUsing('flow_mail', 'post', 'fax')
    next.flow.version = '1.1.0'
    for (const step of next.steps) Object.assign(step, { boundaries: [], instruction: 'Send it at once.' })
    await proposeOverRest(asking.hub, next, NASTY, base)
    await open('')
    await page.locator('.need', { hasText: 'flow_mail' }).getByRole('link', { name: 'Review' }).click()
    await headingOf('flow_mail').waitFor()
    expect(await page.locator('.power-row.is-opening').allInnerTexts()).toHaveLength(2)
    expect(await page.locator('.power-row', { hasText: 'fax' }).innerText()).toContain(
      'not on your allowlist',
    )
    expect(await page.locator('.changed-words del').first().innerText()).not.toBe('')
    expect(await page.locator('.foreign-block').first().innerText()).toContain('⟨U+202E⟩')
    await pictureOf(page, 'inbox-proposal')
    await page.getByRole('button', { name: 'Approve 1.1.0…' }).click()
    // What opens something has no focus: Enter alone approves nothing.
    await page.keyboard.press('Enter')
    await pictureOf(page, 'inbox-approve')
    await page.getByRole('button', { name: 'Approve 1.1.0', exact: true }).click()
    await page.getByText('approved by').waitFor()
    expect(complaints).toEqual([])
  },
)

test('a draft that somebody asks to change waits for a reason, and one that is discarded is gone', async () => {
  await proposeOverRest(asking.hub, flowUsing('flow_later', 'post'), 'Later.')
  await open('/inbox')
  await page.locator('.entry', { hasText: 'flow_later' }).click()
  await page.getByRole('button', { name: 'Ask for changes…' }).click()
  await page.getByLabel('What has to change').fill('Name the sources.')
  await page.getByRole('button', { name: 'Send it back' }).click()
  await page.getByText('evaluation: needs changes').waitFor()
  await page.getByRole('button', { name: 'Approve 1.0.0…' }).click()
  expect(await page.getByRole('button', { name: 'Approve 1.0.0', exact: true }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Discard…' }).click()
  await page.getByRole('button', { name: 'Discard it' }).click()
  await page.getByText('discarded by').waitFor()
  await page.getByRole('button', { name: 'Decided' }).click()
  await page.locator('.entry', { hasText: 'flow_later' }).waitFor()
  expect(complaints).toEqual([])
})

describe('a held call', () => {
  test('comes by itself, is read in full, and let go once', async () => {
    await open('/inbox')
    await page.getByText('Nothing waits for you.').waitFor()
    const sent = { to: 'editor', text: NASTY }
    const held = call(asking, 'post', sent, { wait: 60 })
    await headingOf('post').waitFor()
    const words = await page.locator('.foreign-block').innerText()
    expect(words).toContain('"to": "editor"')
    expect(words).toContain('<script>')
    await pictureOf(page, 'inbox-call')
    await page.getByRole('button', { name: 'Allow this one call' }).click()
    expect((await held).status).toBe(200)
    expect(asking.endpoint.got.map(({ body }) => JSON.parse(body))).toEqual([sent])
    expect(complaints).toEqual([])
  })

  test('on a phone is refused with a reason, and nothing lies beside the screen', async () => {
    const held = call(asking, 'post', { text: 'no' }, { wait: 60 })
    await open('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    await page.getByRole('link', { name: 'Look and decide' }).click()
    await headingOf('post').waitFor()
    await pictureOf(page, 'inbox-call-phone')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await page.getByRole('button', { name: 'Refuse…' }).click()
    await page.getByLabel('Why, for your own record').fill('not today')
    await page.getByRole('button', { name: 'Refuse it' }).click()
    expect((await held).body.code).toBe('FLOW_EXTERNAL_APPROVAL_DENIED')
    await page.getByText('You refused it.').waitFor()
  })
})

test('what somebody types survives what happens meanwhile', async () => {
  await proposeOverRest(asking.hub, flowUsing('flow_typed', 'post'), 'Slowly.')
  await open('/inbox')
  await page.locator('.entry', { hasText: 'flow_typed' }).click()
  await page.getByRole('button', { name: 'Ask for changes…' }).click()
  const field = page.getByLabel('What has to change')
  await field.pressSequentially('Half of ')
  await proposeOverRest(asking.hub, flowUsing('flow_meanwhile', 'post'), 'Meanwhile.')
  await page.locator('.entry', { hasText: 'flow_meanwhile' }).waitFor()
  await field.pressSequentially('it.')
  expect(await field.inputValue()).toBe('Half of it.')
})

test.each(['light', 'dark'] as const)('in %s it is without a fault of access', async (colorScheme) => {
  const id = await proposeOverRest(asking.hub, flowUsing(`flow_axe_${colorScheme}`, 'fax'), NASTY)
  await open(`/inbox?item=proposal:${id}`, { colorScheme })
  await headingOf('flow_axe').waitFor()
  await pictureOf(page, `inbox-${colorScheme}`)
  const { violations } = await new AxeBuilder({ page: page as never }).analyze()
  expect(
    violations.map(({ id: fault, nodes }) => `${fault}: ${nodes.map(({ html }) => html).join(' ')}`),
  ).toEqual([])
  expect(complaints).toEqual([])
})
