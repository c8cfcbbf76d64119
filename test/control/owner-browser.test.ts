import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { askForAgent, makeLink, ownerOrigin, PASSWORD } from './owner-visitor.ts'

const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

let hub: TestHub
let browser: Browser
let origin: string
const complaints: string[] = []
const asked: string[] = []

beforeAll(async () => {
  hub = await startTestHub()
  origin = ownerOrigin(hub)
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', ...QUIET],
  })
})
afterAll(async () => {
  await browser?.close()
  await hub.close()
})

async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => asked.push(request.url()))
  return page
}

function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click()
}

/** A fingerprint reader that always recognises the owner. */
async function plugInAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** A picture of the page, where a person asked for pictures. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.OWNER_PICTURES
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

describe('in a real browser', () => {
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    context = await browser.newContext()
    page = await openPage(context)
    await plugInAuthenticator(page)
  })
  afterAll(() => context?.close())

  test('the owner sets up with the printed link', async () => {
    const { path } = await makeLink(hub)
    await page.goto(`${origin}${path}`)
    await picture(page, 'set-up')
    await page.fill('input[name=password]', PASSWORD)
    await page.fill('input[name=password_again]', PASSWORD)
    await press(page, 'Set up')
    await page.waitForURL('**/console')
    const cookies = await context.cookies()
    const session = cookies.find(({ name }) => name.startsWith('knowtation_owner_'))
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    expect(await page.evaluate('document.cookie')).toBe('')
  })

  test('adds a passkey, signs out, and signs in with it', async () => {
    await page.goto(`${origin}/console/settings?tab=passkeys`)
    await page.getByRole('button', { name: 'Add a passkey…' }).click()
    await page.getByLabel('Its name').fill('My laptop')
    await press(page, 'Add it')
    await page.getByText('My laptop').first().waitFor()
    await signOut()
    await picture(page, 'sign-in')
    await press(page, 'Use a passkey')
    await page.waitForURL('**/console')
    await page.goto(`${origin}/console/settings`)
    await page.getByText('signed in by passkey').waitFor()
  })

  async function signOut(): Promise<void> {
    await page.goto(`${origin}/console/settings`)
    await press(page, 'Sign out')
    await page.waitForURL('**/owner/sign-in?told=out')
  }

  test('a passkey’s answer counts once', async () => {
    const sent: string[] = []
    await signOut()
    page.on('request', (request) => {
      if (request.url().endsWith('/owner/passkey/sign-in')) sent.push(request.postData() ?? '')
    })
    await press(page, 'Use a passkey')
    await page.waitForURL('**/console')
    const { credential } = JSON.parse(sent[0] ?? '{}')
    const again = (await page.evaluate(`(async () => {
      const { form_token } = await (await fetch('/owner/form-token')).json()
      const body = JSON.stringify({ form_token, credential: ${JSON.stringify(credential)} })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch('/owner/passkey/sign-in', { method: 'POST', headers, body })
      return { status: answer.status, text: await answer.text() }
    })()`)) as { status: number; text: string }
    expect([again.status, JSON.parse(again.text).error.code]).toEqual([401, 'invalid_credentials'])
  })

  test('approves an agent that shows a code', async () => {
    const { user_code, poll } = await askForAgent(hub)
    await page.goto(`${origin}/device`)
    await picture(page, 'code')
    await page.fill('input[name=user_code]', user_code.toLowerCase().replace('-', ' '))
    await press(page, 'Continue')
    expect(await page.textContent('.usercode')).toBe(user_code)
    await picture(page, 'device')
    await press(page, 'Approve')
    await page.waitForSelector('h1:has-text("Approved")')
    await picture(page, 'approved')
    expect((await poll()).body).toHaveProperty('access_token')
    await page.goto(`${origin}/console/agents?tab=owner_agents`)
    await page.getByText('Test Agent').first().waitFor()
    await page.getByRole('button', { name: /^Revoke/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Revoke/ })
      .click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('is asked to sign in first where another site sent them, and can go on', async () => {
    const { user_code } = await askForAgent(hub)
    const elsewhere = await openPage(context)
    await elsewhere.goto(`data:text/html,<a href="${origin}/device?user_code=${user_code}">go</a>`)
    await elsewhere.getByRole('link', { name: 'go', exact: true }).click()
    expect(await elsewhere.textContent('h1')).toBe('Sign in')
    await elsewhere.click('text=Go on')
    expect(await elsewhere.textContent('.usercode')).toBe(user_code)
    await elsewhere.close()
  })

  test('every act is on record, and no page asked anybody else for anything', async () => {
    const done = (await auditRecords(hub)).map(({ operation, outcome }) => `${operation} ${outcome}`)
    for (const act of [
      'owner_set_up allowed',
      'owner_passkey_add allowed',
      'owner_passkey_sign_in allowed',
      'owner_passkey_sign_in denied',
      'owner_sign_out allowed',
      'owner_device_approve allowed',
      'owner_agent_revoke allowed',
    ])
      expect(done).toContain(act)
    expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([])
    // The one refusal that a test provoked is all that the browser had to say.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])
  })

  test('pages read well in the dark and on a phone', async () => {
    const dark = await browser.newContext({
      colorScheme: 'dark',
      viewport: { width: 390, height: 800 },
      storageState: await context.storageState(),
    })
    const phone = await openPage(dark)
    for (const [path, name] of [
      ['/owner/sign-in', 'sign-in-dark-phone'],
      ['/device', 'code-dark-phone'],
    ] as const) {
      await phone.goto(`${origin}${path}`)
      await picture(phone, name)
      // Nothing is wider than the screen, so nobody has to scroll sideways.
      expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
      expect(await phone.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(14, 17, 16)')
    }
    await dark.close()
  })
})
