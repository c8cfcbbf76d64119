import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addConnection, type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { makeAgent, ownerOrigin } from './owner-visitor.ts'

const PAGES = ['/owner/external-agents', '/owner/subscriptions', '/device'] as const
/** A word that no line of a phone can hold. */
const LONG_NAME = `Everything about ${'Donaudampfschifffahrt'.repeat(6)}`

let hub: OwnedHub
let browser: Browser
let origin: string
let page: Page

beforeAll(async () => {
  hub = await startOwnedHub()
  await addConnection(hub, { display_name: LONG_NAME })
  await addConnection(hub, { display_name: 'Orders' })
  await makeAgent(hub, hub.owner)
  origin = ownerOrigin(hub)
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  })
  const context = await browser.newContext()
  await context.addCookies([...hub.owner.cookies].map(([name, value]) => ({ name, value, url: origin })))
  page = await context.newPage()
})
afterAll(async () => {
  await browser?.close()
  await hub.close()
})

describe.each(PAGES)('the page %s', (path) => {
  test('fits a phone, whatever things are called', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(origin + path)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })

  test('has no two buttons with one name', async () => {
    await page.goto(origin + path)
    const names = await page
      .getByRole('button')
      .evaluateAll((buttons) => buttons.map((one) => one.getAttribute('aria-label') ?? one.textContent))
    expect(names.length).toBe(new Set(names).size)
  })

  test.each(['light', 'dark'] as const)('has edges that can be seen, in %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    await page.goto(origin + path)
    expect(await page.evaluate(FAINTEST_EDGE)).toBeGreaterThanOrEqual(3)
  })
})

test('an address that is none shows a page to a person and a code to a program', async () => {
  const answer = await page.goto(`${origin}/owner/nothing`)
  expect(answer?.status()).toBe(404)
  expect(await page.textContent('h1')).toBe('Nothing here')
  const program = await hub.owner.get('/owner/nothing')
  expect(program.status).toBe(404)
  expect(JSON.parse(program.text)).toMatchObject({ code: 'NOT_FOUND' })
})

/** The smallest contrast between what can be typed into or pressed and what lies around it (WCAG 1.4.11). */
const FAINTEST_EDGE = `(() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number)
  const light = (colour) => {
    const [r, g, b] = parts(colour).slice(0, 3).map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const around = (element) => {
    for (let one = element.parentElement; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor
      if (parts(colour)[3] !== 0) return colour
    }
    return 'rgb(255, 255, 255)'
  }
  const seen = [...document.querySelectorAll('input:not([type=hidden]), select, textarea, button, a.button')].filter((one) => one.offsetParent)
  return Math.min(21, ...seen.map((one) => {
    const [a, b] = [light(getComputedStyle(one).borderTopColor), light(around(one))].sort((x, y) => y - x)
    return (a + 0.05) / (b + 0.05)
  }))
})()`
