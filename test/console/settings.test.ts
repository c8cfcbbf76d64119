import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openBrowser, originOf } from '../browser/owner-browser.fixture.ts'
import { PASSWORD, signIn } from '../control/owner-visitor.ts'
import { ask } from '../external-agent/gate-hub.ts'
import { type ConsoleWorld, NASTY, openConsole, startConsoleWorld } from './console-world.fixture.ts'
import { checkScreen } from './screen-checks.fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

const NEXT = 'a wholly new password'

let world: ConsoleWorld
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

beforeAll(async () => {
  world = await startConsoleWorld()
  browser = await openBrowser()
  await ask(world.hub, 'token_create', { role: 'viewer', label: NASTY })
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
  ['settings', '/settings', 'this browser'],
  ['settings-passkeys', '/settings?tab=passkeys', 'There is none yet'],
  ['settings-tokens', '/settings?tab=tokens', 'members of this vault by a token'],
  ['settings-health', '/settings?tab=health', 'each sealed to the one before'],
  ['settings-backup', '/settings?tab=backup', 'none was made by this program yet'],
  ['settings-about', '/settings?tab=about', 'Knowtation 0.'],
] as const

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test.each(SCREENS)('%s is without a fault of access, and nothing complains', async (name, path, sign) => {
    await open(path, { colorScheme })
    await page.getByText(sign).first().waitFor()
    await checkScreen(page, `${name}-${colorScheme}`)
    expect(complaints).toEqual([])
  })
})

test('a passkey is added by the browser, and removed after a question', async () => {
  await open('/settings?tab=passkeys')
  const client = await context.newCDPSession(page)
  await client.send('WebAuthn.enable')
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  })
  await page.getByRole('button', { name: 'Add a passkey…' }).click()
  await page.getByLabel('Its name').fill('Garden phone')
  await page.getByRole('button', { name: 'Add it' }).click()
  const row = page.locator('.session-row', { hasText: 'Garden phone' })
  await row.getByText('never used').waitFor()
  await row.getByRole('button', { name: /^Remove/ }).click()
  await page.getByRole('button', { name: 'Remove it' }).click()
  await page.getByText('There is none yet').waitFor()
  expect(complaints).toEqual([])
})

test('a phone has its way to every page', async () => {
  await open('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
})

test('the password is changed in place, and this browser stays signed in', async () => {
  const { visitor } = await signIn(world.hub)
  const other = () => visitor.get('/v1/owner/sessions')
  expect((await other()).status).toBe(200)
  // Who has come in by the password has to know it; right after a link or a passkey nobody is asked.
  const { visitor: owner } = await signIn(world.hub)
  ;({ context, page, complaints } = await openConsole({ hub: { ...world.hub, owner } }, browser))
  await page.goto(`${world.origin}/console/settings`)
  await page.getByLabel(/^Password as it is now/).fill('not that one at all')
  await page.getByLabel(/^New password/).fill(NEXT)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('That is not the password as it is now.').waitFor()
  await page.getByLabel(/^Password as it is now/).fill(PASSWORD)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('The password is changed.').waitFor()
  expect((await other()).status).toBe(401)
  await page.reload()
  await page.getByText('this browser').waitFor()
  expect(await page.evaluate('document.cookie')).not.toContain('knowtation_owner')
  expect((await signIn(world.hub, NEXT)).done.status).toBe(303)
  await page.getByRole('button', { name: 'Sign out everywhere…' }).click()
  await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
  await page.getByText('You are signed out.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/owner/sign-in')
  await page.goto(`${originOf(world.hub)}/console/settings`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})
