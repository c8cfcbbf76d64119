import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { countMade, LOOPBACK_SOURCES, meet, type People } from './intents.fixture.ts'
import { startProvider, type TestProvider } from './oauth-provider.fixture.ts'
import { callbackOf } from './oauth-stage.fixture.ts'
import { ownerOrigin, PASSWORD } from './owner-visitor.ts'

const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]
const ORDER = '111-2222222-3333333,2026-01-05T10:00:00Z,A kettle for the kitchen\n'
const ORDERS = `Order ID,Order Date,Product Name\n${ORDER}`

let hub: TestHub
let people: People
let provider: TestProvider
let browser: Browser
let context: BrowserContext
let page: Page
let origin: string
const complaints: string[] = []

beforeAll(async () => {
  hub = await startTestHub({ config: LOOPBACK_SOURCES })
  people = await meet(hub)
  origin = ownerOrigin(hub)
  provider = await startProvider([callbackOf(hub)])
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', ...QUIET],
  })
  context = await browser.newContext()
  page = await context.newPage()
  page.setDefaultTimeout(8_000)
  page.on('console', (message) => complaints.push(`${page.url()} ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(error.message))
})
afterAll(async () => {
  await browser?.close()
  await provider?.[Symbol.asyncDispose]()
  await hub.close()
})

/** A page that agents are told of, as the owner opens it who is signed in. */
const atHome = ({ url }: { url?: string | undefined }) => `${origin}${new URL(url as string).pathname}`
const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
const connected = () => page.getByRole('heading', { level: 1, name: /^Connected/ }).waitFor()
const connections = async () => (await countMade(hub)).connections

/** A picture of the page, where a person asked for pictures. */
async function picture(of: Page, name: string): Promise<void> {
  const folder = process.env.OWNER_PICTURES
  if (folder) await of.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

describe('in a real browser', () => {
  verifies(
    'OWNR-057',
    'the owner opens the page of an intent, goes to the provider and comes back',
    async () => {
      const { next_step } = await people.begin('json_api', { display_name: 'My items' })
      await page.goto(next_step.url as string)
      expect(await page.textContent('h1')).toBe('Sign in')
      await page.fill('input[name=password]', PASSWORD)
      await press('Sign in')
      await press('Sign in as the owner')
      await page.waitForURL(atHome(next_step))
      await page.locator('input[name=url]').waitFor()
      await picture(page, 'intent-oauth')
      await page.fill('input[name=url]', provider.list_url)
      await page.fill('input[name=issuer]', provider.issuer)
      await page.fill('input[name=client_id]', provider.client_id)
      await page.click('summary')
      await page.fill('input[name=scope]', 'openid items')
      await press('Go on to the provider')
      await page.waitForURL(`${provider.issuer}/interaction/**`)
      expect(await connections()).toBe(0)
      await page.fill('input[name=login]', 'the-owner')
      await page.fill('input[name=password]', 'any')
      await page.click('button[type=submit]')
      await page.waitForSelector('text=Continue')
      await page.click('button[type=submit]')
      await page.waitForURL(atHome(next_step))
      await connected()
      await picture(page, 'intent-connected')
      expect(await connections()).toBe(1)
      // Back, and forward again: the answer was used up.
      await page.reload()
      await connected()
      expect(await connections()).toBe(1)
    },
  )

  test('an answer that the owner refuses at the provider leads to a page that says so', async () => {
    const { next_step } = await people.begin('json_api')
    await page.goto(atHome(next_step))
    for (const [name, value] of [
      ['url', provider.list_url],
      ['issuer', provider.issuer],
      ['client_id', provider.client_id],
    ])
      await page.fill(`input[name=${name}]`, value as string)
    await press('Go on to the provider')
    await page.waitForURL(`${provider.issuer}/interaction/**`)
    await page.click('text=Cancel')
    await page.waitForSelector('h1:has-text("Not connected")')
    expect(await page.textContent('.fault')).toContain('access_denied')
    await picture(page, 'intent-refused')
    expect(await connections()).toBe(1)
    await page.goto(atHome(next_step))
    await page.locator('main', { hasText: 'access_denied' }).waitFor()
  })

  test('what is wrong is said on the form, which keeps what was typed', async () => {
    await page.goto(`${origin}/console/data/connect`)
    await page.getByRole('button', { name: 'Connect RSS or Atom feed' }).waitFor()
    await picture(page, 'intents')
    await page.getByRole('button', { name: 'Connect RSS or Atom feed' }).click()
    await page.waitForURL('**/console/data/connect/cint_*')
    await page.fill('input[name=url]', 'http://127.0.0.1:9/feed.xml')
    await press('Connect')
    await page.locator('.fault', { hasText: 'The source could not be reached.' }).first().waitFor()
    expect(await page.inputValue('input[name=url]')).toBe('http://127.0.0.1:9/feed.xml')
    await picture(page, 'intent-fault')
    await press('Cancel this…')
    await press('Cancel it')
    await page.getByRole('heading', { name: 'Nothing was connected' }).waitFor()
  })

  test('a file is uploaded for what is bound to a browser', async () => {
    const file = join(hub.home.folder, 'Retail.OrderHistory.csv')
    // Larger than what a program may send.
    writeFileSync(file, ORDERS + ORDER.repeat(19_000))
    const { next_step } = await people.begin('amazon')
    await page.goto(atHome({ url: next_step.dashboard_url }))
    await page.locator('input[type=file]').waitFor()
    await picture(page, 'intent-browser-bound')
    await page.setInputFiles('input[type=file]', file)
    await press('Connect')
    await connected()
    expect(await connections()).toBe(2)
    const binary = await people.begin('amazon')
    writeFileSync(file, Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe]))
    await page.goto(atHome({ url: binary.next_step.dashboard_url }))
    await page.setInputFiles('input[type=file]', file)
    await press('Connect')
    await page.getByText('The file is not a text.').waitFor()
    expect(await connections()).toBe(2)
  })

  test('a secret is typed into a field that hides it, and never shown again', async () => {
    const { next_step } = await people.begin('mail')
    await page.goto(atHome(next_step))
    await page.locator('input[type=password]').waitFor()
    await picture(page, 'intent-secret')
    await page.fill('input[name=host]', '127.0.0.1')
    await page.fill('input[name=user]', 'me')
    await page.fill('input[type=password]', 'a sentinel password')
    await press('Connect')
    await page.locator('form .fault').waitFor()
    expect(await page.content()).not.toContain('a sentinel password')
    expect(await page.inputValue('input[name=user]')).toBe('me')
    await page.reload()
    await page.locator('input[type=password]').waitFor()
    expect(await page.inputValue('input[type=password]')).toBe('')
  })

  test('pages read well in the dark and on a phone', async () => {
    const { next_step } = await people.begin('json_api')
    const amazon = await people.begin('amazon')
    const folder = await people.begin('folder')
    const dark = await browser.newContext({
      colorScheme: 'dark',
      viewport: { width: 390, height: 800 },
      storageState: await context.storageState(),
    })
    const phone = await dark.newPage()
    for (const [path, name] of [
      ['/console/data/connect', 'intents-dark-phone'],
      [new URL(next_step.url as string).pathname, 'intent-oauth-dark-phone'],
      [new URL(amazon.next_step.dashboard_url as string).pathname, 'intent-browser-bound-dark-phone'],
      [new URL(folder.next_step.dashboard_url as string).pathname, 'intent-folder-dark-phone'],
    ] as const) {
      await phone.goto(`${origin}${path}`)
      await phone.locator('.panel').first().waitFor()
      await picture(phone, name)
      expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
      expect(await phone.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(21, 25, 23)')
    }
    await dark.close()
    expect(
      complaints.filter((text) => text.startsWith(origin) && !/status of (409|502|400)/.test(text)),
    ).toEqual([])
  })
})
