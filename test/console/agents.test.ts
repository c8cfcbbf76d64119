import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openBrowser } from '../browser/owner-browser.fixture.ts'
import { ask } from '../external-agent/gate-hub.ts'
import {
  type ConsoleWorld,
  GRANTED,
  openConsole,
  pictureOf,
  startConsoleWorld,
} from './console-world.fixture.ts'

vi.setConfig({ testTimeout: 60_000 })

/** As far as the name of a program may go. */
const NASTY_PROGRAM = '<img src=x onerror=alert(1)>"&lt;b&gt; you, the owner'

let world: ConsoleWorld
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

beforeAll(async () => {
  world = await startConsoleWorld()
  browser = await openBrowser()
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

/** Clicks, and counts it. */
let clicks = 0
async function click(name: string | RegExp, role: 'button' | 'link' | 'checkbox' = 'button'): Promise<void> {
  clicks += 1
  await page.getByRole(role, { name }).first().click()
}

/** A program that asks with a code, as strangers do. */
async function requestDevice(client_name: string): Promise<string> {
  const answer = await fetch(`${world.hub.url}/oauth/device_authorization`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: 'field-notes', client_name }),
  })
  const body = (await answer.json()) as { user_code?: string }
  if (body.user_code === undefined) throw new Error(JSON.stringify(body))
  return body.user_code
}

test('a grant is minted in five clicks, and its bearer is on one page of the hub', async () => {
  await open('/agents')
  await page.getByText('Live grants').first().waitFor()
  clicks = 0
  await click('New grant', 'link')
  await click(/^flow_granted/)
  await click(/^calendar/, 'checkbox')
  await page.getByText('Exactly this is what it allows').waitFor()
  await page.getByLabel('Name of the grant').fill('Friday digest')
  await page.getByText('Not web_search').waitFor()
  await pictureOf(page, 'new-grant')
  await click('Go and mint it…', 'link')
  await page.getByText('Call calendar').waitFor()
  await pictureOf(page, 'mint-page')
  await click('Mint the grant')
  expect(clicks).toBe(5)
  const bearer = await page.locator('.bearer').textContent()
  expect(bearer).toMatch(/^fgrnt_bearer_/)
  await pictureOf(page, 'mint-bearer')
  expect(page.url()).not.toContain('bearer')
  // From there to what connects the agent, and the bearer stays behind.
  await page.getByRole('link', { name: 'Next: connect the agent' }).click()
  await page.getByText('Waiting for the first call').waitFor()
  await page.getByText('KNOWTATION_GRANT_BEARER').first().waitFor()
  await page.getByText('Friday digest').first().waitFor()
  await pictureOf(page, 'connect-grant')
  expect(await page.content()).not.toContain(bearer)
  await page.goBack()
  expect(await page.content()).not.toContain(bearer)
  const kept = 'JSON.stringify([{...localStorage}, {...sessionStorage}, history.state])'
  expect(await page.evaluate(kept)).not.toContain(bearer)
  expect(complaints).toEqual([])
})

test('what changed since the page was shown is not minted', async () => {
  await open('')
  const wanted = { flow_id: 'flow_granted', version: '1.0.0', requested_tools: ['calendar'] }
  await page.goto(`${world.origin}/owner/new/grant?wanted=${encodeURIComponent(JSON.stringify(wanted))}`)
  await page.evaluate("document.querySelector('input[name=digest]').value = 'f'.repeat(64)")
  await page.getByRole('button', { name: 'Mint the grant' }).click()
  await page.getByText('has changed since the page was shown').waitFor()
  expect(await page.locator('.bearer').count()).toBe(0)
})

test('a form of the mint counts once', async () => {
  await open('')
  const wanted = { flow_id: 'flow_granted', version: '1.0.0', requested_tools: ['calendar'] }
  await page.goto(`${world.origin}/owner/new/grant?wanted=${encodeURIComponent(JSON.stringify(wanted))}`)
  const again = await page.context().newPage()
  const once = await page.locator('input[name=once]').inputValue()
  await again.goto(page.url())
  await again.evaluate(`document.querySelector('input[name=once]').value = '${once}'`)
  await page.getByRole('button', { name: 'Mint the grant' }).click()
  await page.locator('.bearer').waitFor()
  await again.getByRole('button', { name: 'Mint the grant' }).click()
  await again.getByText('was sent before').waitFor()
  expect(await again.locator('.bearer').count()).toBe(0)
})

test('a grant is named where it stands, and found by its name', async () => {
  await open('/agents')
  await page
    .getByRole('button', { name: /^Name it grant/ })
    .first()
    .click()
  await page.getByLabel('Name of the grant').fill('Weekly brief')
  // Something happens meanwhile: what is typed stays.
  await world.call('web_search')
  await page.waitForTimeout(600)
  expect(await page.getByLabel('Name of the grant').inputValue()).toBe('Weekly brief')
  await page.keyboard.press('Enter')
  await page.locator('.grant-row', { hasText: 'Weekly brief' }).first().waitFor()
  await page.keyboard.press('/')
  await page.getByLabel('Find a page, flow, grant, agent or record').fill('weekly')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  expect(page.url()).toContain('grant=fgrnt_')
  await page.goBack()
  await page.getByText('Live grants').first().waitFor()
})

test('a name is words and nothing else', async () => {
  const { grants } = (await ask(world.hub, 'flow_external_grant_list', {}, { as: 'owner' })).body
  const id = grants.at(-1).grant_id
  const label = '<img src=x onerror=alert(1)> {{7*7}}'
  await ask(world.hub, 'label_set', { id, label }, { as: 'owner' })
  for (const path of ['', '/agents', '/activity']) {
    await open(path)
    if (path !== '/activity') await page.getByText(label).first().waitFor()
    expect(await page.locator('img[src="x"]').count()).toBe(0)
    expect(complaints).toEqual([])
    await context.close()
  }
  await ask(world.hub, 'label_set', { id, label: 'Weekly brief' }, { as: 'owner' })
})

test('a refusal leads to its reason, and to the button that mends it', async () => {
  await world.call('calendar')
  await open('')
  await page
    .getByRole('link', { name: /^Why was record/ })
    .first()
    .click()
  await page.getByText('grant includes the tool').waitFor()
  await pictureOf(page, 'why-mend')
  await page.getByRole('link', { name: 'New grant with calendar…' }).click()
  await page.getByRole('checkbox', { name: /^calendar/ }).waitFor()
  await vi.waitFor(async () =>
    expect(await page.getByRole('checkbox', { name: /^calendar/ }).isChecked()).toBe(true),
  )
  expect(complaints).toEqual([])
})

test('a program that asks with a code stands in the inbox, and its code leads to the hub’s own page', async () => {
  await open('/inbox')
  const code = await requestDevice(NASTY_PROGRAM)
  await page.locator('.entry', { hasText: 'A program asks to act for you' }).click()
  await page.getByText('Approve anything: proposals').waitFor()
  await pictureOf(page, 'device-request')
  await page.getByLabel('The code that the program shows').fill(code)
  await page.getByRole('button', { name: 'Compare and decide…' }).click()
  await page.getByText('Let this agent in?').waitFor()
  await page
    .getByRole('button', { name: /^(Approve|Let)/ })
    .first()
    .click()
  await page.goto(`${world.origin}/console/agents?tab=owner_agents`)
  await page.getByRole('button', { name: /^Name it agent/ }).waitFor()
  expect(await page.title()).toBe('Knowtation')
})

test('a seat is given in steps, and its bearer is shown once', async () => {
  await open('/agents?tab=seats')
  await page.getByRole('link', { name: 'New seat' }).click()
  await page.getByLabel('Folder of the service').fill('/nowhere')
  await page.getByText('name the project').first().waitFor()
  await page.getByLabel('Folder of the service').fill(process.cwd())
  await page.getByText('Exactly this is what it allows').waitFor()
  await page.getByLabel('Name of the agent').fill('web-dev')
  await pictureOf(page, 'new-seat')
  await page.getByRole('link', { name: 'Go and give it…' }).click()
  await page.getByRole('button', { name: 'Give the seat' }).click()
  expect(await page.locator('.bearer').textContent()).toMatch(/^ktool_/)
  await page.goto(`${world.origin}/console/agents?tab=seats`)
  await page.locator('.seat-live', { hasText: 'web-dev' }).waitFor()
  await pictureOf(page, 'seats-live')
})

test('the first call of a token that was made for it arrives by itself', async () => {
  await open('/agents?tab=tokens')
  await page.getByRole('link', { name: 'New token' }).click()
  await page.getByLabel('Name of the token').fill('brief-writer')
  await page.getByRole('link', { name: 'Go and make it…' }).click()
  await page.getByRole('button', { name: 'Make the token' }).click()
  const bearer = (await page.locator('.bearer').textContent()) ?? ''
  await page.getByRole('link', { name: 'Next: connect the agent' }).click()
  await page.getByText('Waiting for the first call').waitFor()
  await fetch(`${world.hub.url}/api/v1/flows`, { headers: { authorization: `Bearer ${bearer}` } })
  await page.getByRole('heading', { name: 'Connected' }).waitFor()
  await page.getByText('brief-writer').first().waitFor()
  await pictureOf(page, 'connected')
})

test('the gate that closes all names itself, and opens behind a question', async () => {
  const { revision } = (await ask(world.hub, 'owner_policy_show', {}, { as: 'owner' })).body
  const closing = { gate: 'external_agent', base_revision: revision }
  await ask(world.hub, 'owner_policy_gate_close', closing, { as: 'owner' })
  await open('/agents')
  await page.getByText('The gate for external agents is closed.').waitFor()
  await pictureOf(page, 'gate-closed')
  await page.getByRole('button', { name: 'Open…' }).click()
  await page.getByRole('button', { name: 'Open it' }).click()
  await page.getByText('Live grants').first().waitFor()
  expect(complaints).toEqual([])
})

const SCREENS = [
  ['grants', '/agents', 'Who can reach what'],
  [
    'new-grant',
    `/agents?make=grant&flow=${GRANTED.flow_id}&tool=web_search`,
    'Exactly this is what it allows',
  ],
  ['new-seat', '/agents?tab=seats&make=seat', 'Site reliability'],
  ['new-token', '/agents?tab=tokens&make=token', 'Exactly this is what it allows'],
  ['locks', '/agents?tab=locks', 'Stopped now'],
  ['connect', '/agents?tab=connect', 'claude-desktop'],
  ['inbox-request', '/inbox', 'A program asks to act for you'],
] as const

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test.each(SCREENS)('%s is without a fault of access, and nothing complains', async (name, path, sign) => {
    if (name === 'inbox-request') await requestDevice(NASTY_PROGRAM)
    await open(path, { colorScheme })
    await page.getByText(sign).first().waitFor()
    if (name === 'inbox-request') await page.locator('.entry', { hasText: sign }).first().click()
    await pictureOf(page, `${name}-${colorScheme}`)
    const { violations } = await new AxeBuilder({ page: page as never }).analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
    expect(complaints).toEqual([])
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
