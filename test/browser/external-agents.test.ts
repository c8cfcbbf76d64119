import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords, send } from '../rest/rest-hub.fixture.ts'
import {
  flowUsing,
  NASTY,
  OPEN_POLICY,
  openAsOwner,
  openBrowser,
  originOf,
  picture,
  publishOverRest,
} from './owner-browser.fixture.ts'

const PATH = '/owner/external-agents'
const BEARER = /fgrnt_bearer_[A-Za-z0-9_-]+/
const SECRET = 'sentinel-secret-77c1'
const FLAG = 'FLOW_EXTERNAL_AGENT_ENABLED'

/** A browser on a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 })

let hub: OwnedHub
let browser: Browser
let context: BrowserContext
let page: Page
let origin: string

beforeAll(async () => {
  hub = await startOwnedHub({ policy: OPEN_POLICY })
  origin = originOf(hub)
  await publishOverRest(hub, flowUsing('flow_granted', 'web_search', 'calendar', 'not_allowed'))
  browser = await openBrowser()
  ;({ context, page } = await openAsOwner(browser, hub, hub.owner, {
    permissions: ['clipboard-read', 'clipboard-write'],
  }))
})
afterAll(async () => {
  await browser?.close()
  await hub.close()
})
beforeEach(() => setPolicy(OPEN_POLICY))

function setPolicy(policy: object | string): void {
  hub.write(hub.home.vaultPolicy('default'), policy)
}

const seen = () => page.innerText('main')

async function grants(): Promise<{ grant_id: string; allowed_tools: string[]; revoked_at: string | null }[]> {
  const path = '/api/v1/flows/external-grants'
  return JSON.parse((await send(hub.url, { path, bearer: hub.credentials.bearers.admin })).text).grants
}

/** Chooses the flow and ticks one tool, up to the last button. */
async function fillIn(of: Page): Promise<void> {
  await of.goto(`${origin}${PATH}`)
  await of.getByLabel('Flow').selectOption('flow_granted')
  await of.getByRole('button', { name: 'Choose' }).click()
  await of.getByLabel('web_search').check()
}

/** Whether a bearer still opens what it was minted for. */
async function opens(bearer: string): Promise<number> {
  const body = JSON.stringify({ flow_id: 'flow_granted', flow_version: '1.0.0', payload: {} })
  const path = '/api/v1/flows/external-tools/web_search/invoke'
  const headers = { 'x-flow-external-bearer': bearer }
  return (
    await send(hub.url, { method: 'POST', path, body, headers, bearer: hub.credentials.bearers.viewer })
  ).status
}

verifies('GATE-146', 'the page says that access is off, by which control, and offers no mint', async () => {
  const { env } = hub.hub
  const off: readonly (readonly [object | string, NodeJS.ProcessEnv, string])[] = [
    [{}, {}, 'It is off by default'],
    [{ external_agent: { enabled: false } }, {}, 'policy switches it off (external_agent.enabled: false)'],
    [OPEN_POLICY, { [FLAG]: '0' }, `environment switches it off (${FLAG})`],
    [
      { external_agent: { ...OPEN_POLICY.external_agent, forbidden: true } },
      {},
      'external_agent.forbidden: true',
    ],
    [OPEN_POLICY, { FLOW_EXTERNAL_AGENT_FORBIDDEN: '1' }, 'FLOW_EXTERNAL_AGENT_FORBIDDEN'],
    [`external_agent: [${SECRET}`, {}, 'policy is damaged'],
  ]
  for (const [at, [policy, set, because]] of off.entries()) {
    setPolicy(policy)
    Object.assign(env, set)
    await page.goto(`${origin}${PATH}?flow=flow_granted`)
    for (const name of Object.keys(set)) delete env[name]
    await picture(page, `external-agents-off-${at}`)
    expect(await page.getByRole('heading', { name: 'Access is off' }).isVisible(), because).toBe(true)
    expect(await seen()).toContain(because)
    expect(await page.getByRole('button', { name: /mint|choose/i }).count()).toBe(0)
    expect(await page.getByRole('heading', { name: 'A new grant' }).count()).toBe(0)
    expect(await page.locator('[name=once], [name=flow_id], [name=ttl_seconds]').count()).toBe(0)
    expect(await page.content()).not.toContain(SECRET)
  }
})

verifies('GATE-146', 'an open gate is told with who opened it, and nothing secret beside it', async () => {
  const url = `https://tools.example/${SECRET}`
  const tool = {
    id: 'web_search',
    provider: { kind: 'http', method: 'POST', url, headers: { 'x-key': SECRET } },
    calls_per_minute: 5,
    max_result_bytes: 2_000,
  }
  setPolicy({ external_agent: { enabled: true, allowed_tools: [tool] } })
  await page.goto(`${origin}${PATH}?flow=flow_granted`)
  expect(await page.getByRole('heading', { name: 'Access is on' }).isVisible()).toBe(true)
  expect(await seen()).toContain('policy switches it on (external_agent.enabled: true)')
  expect(await seen()).toContain('reached by http · at most 5 calls a minute, 2000 bytes answered')
  expect(await page.getByRole('button', { name: 'Mint the grant' }).isVisible()).toBe(true)
  expect(await page.content()).not.toContain(SECRET)
  expect(await page.content()).not.toContain('tools.example')
  // Opened by the environment over a policy that nobody can read: open, and yet no tool is allowed.
  setPolicy('external_agent: [')
  hub.hub.env[FLAG] = '1'
  await page.goto(`${origin}${PATH}?flow=flow_granted`)
  delete hub.hub.env[FLAG]
  expect(await seen()).toContain('no tool is allowed')
  expect(await page.getByRole('button', { name: 'Mint the grant' }).count()).toBe(0)
})

/** Every place of a page and of the browser that could still have the bearer. */
const TRACES = `(async () => {
  const kept = await caches.keys().catch(() => [])
  const fields = [...document.querySelectorAll('input, textarea')].map((one) => one.value)
  return JSON.stringify([document.documentElement.outerHTML, location.href, document.referrer, history.state,
    { ...localStorage }, { ...sessionStorage }, document.cookie, window.name, fields, kept])
})()`

verifies('GATE-041', 'a new bearer is shown once and copied; afterwards it is nowhere', async () => {
  await fillIn(page)
  await picture(page, 'external-agents-mint')
  const before = (await grants()).length
  const answered = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.getByRole('button', { name: 'Mint the grant' }).click()
  const answer = await answered
  expect([answer.status(), answer.headers()['cache-control']]).toEqual([201, 'no-store'])
  await page.waitForSelector('.bearer')
  await picture(page, 'external-agents-minted')
  const bearer = await page.locator('.bearer').innerText()
  expect(bearer).toMatch(new RegExp(`^${BEARER.source}$`))
  expect(await seen()).toContain('it cannot be shown again')
  await page.getByRole('button', { name: 'Copy the bearer' }).click()
  await page.waitForSelector('text=Copied.')
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(bearer)
  expect(await opens(bearer)).toBe(200)
  const [grant] = await grants()
  const isGone = async () => {
    expect(await page.locator('h1').innerText()).toBe('External agents')
    expect(await page.evaluate(TRACES)).not.toMatch(BEARER)
    expect(await seen()).toContain(grant?.grant_id)
    expect(await seen()).toContain('used 1 of 100')
  }
  const again = await page.reload()
  // The form is not even sent again.
  expect([again?.request().method(), again?.status()]).toEqual(['GET', 200])
  await isGone()
  await picture(page, 'external-agents-after')
  await page.goto(`${origin}/owner/proposals`)
  await page.goBack()
  await isGone()
  await page.goForward()
  await page.goto(`${origin}${PATH}`)
  await isGone()
  expect(await grants()).toHaveLength(before + 1)
  expect(JSON.stringify(await auditRecords(hub)) + hub.logged.join('')).not.toContain(bearer)
  expect(JSON.stringify(await context.storageState())).not.toContain(bearer)
  await page.getByRole('button', { name: `Revoke: ${grant?.grant_id}` }).click()
  await page.waitForURL('**?told=revoke')
  expect(await seen()).toContain('The grant is revoked')
  expect(await opens(bearer)).toBe(403)
})

verifies('GATE-041', 'leaving the page and coming straight back does not bring the bearer back', async () => {
  await fillIn(page)
  await page.getByRole('button', { name: 'Mint the grant' }).click()
  await page.waitForSelector('.bearer')
  const before = (await grants()).length
  await page.getByRole('link', { name: 'Console', exact: true }).click()
  await page.waitForURL('**/console')
  await page.goBack()
  await page.waitForURL(`**${PATH}`)
  expect(await page.evaluate(TRACES)).not.toMatch(BEARER)
  expect(await grants()).toHaveLength(before)
  // Nor would a browser that puts the page aside as it is.
  await fillIn(page)
  await page.getByRole('button', { name: 'Mint the grant' }).click()
  await page.waitForSelector('.bearer')
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
  expect(await page.evaluate(TRACES)).not.toMatch(BEARER)
})

verifies(
  'GATE-041',
  'without scripts a reload sends the form again, and mints and shows nothing',
  async () => {
    const plain = await openAsOwner(browser, hub, hub.owner, { javaScriptEnabled: false })
    await fillIn(plain.page)
    await plain.page.getByRole('button', { name: 'Mint the grant' }).click()
    await plain.page.waitForSelector('.bearer')
    expect(await plain.page.locator('.bearer').innerText()).toMatch(BEARER)
    // What only a script can do is not offered without one.
    expect(await plain.page.getByRole('button', { name: 'Copy the bearer' }).count()).toBe(0)
    const before = (await grants()).length
    const again = await plain.page.reload()
    expect([again?.request().method(), again?.status()]).toEqual(['POST', 403])
    expect(await plain.page.innerText('main')).toContain('no grant was minted now')
    expect(await plain.page.content()).not.toMatch(BEARER)
    await plain.page.goto(`${origin}${PATH}`)
    expect(await plain.page.content()).not.toMatch(BEARER)
    expect(await grants()).toHaveLength(before)
    await plain.context.close()
  },
)

test('what agents wrote into flows is text here too, and many tools fit into one form', async () => {
  const many = Array.from({ length: 32 }, (_, at) => `tool_${at}`)
  const bundle = flowUsing('flow_odd', `<b>${NASTY}</b>`.slice(0, 250), ...many.slice(1))
  await publishOverRest(hub, { ...bundle, flow: { ...bundle.flow, title: NASTY } })
  setPolicy({ ...OPEN_POLICY, external_agent: { enabled: true, allowed_tools: many } })
  await page.goto(`${origin}${PATH}?flow=flow_odd`)
  await picture(page, 'external-agents-odd')
  expect(await page.locator('select[name=flow] option:checked').innerText()).toContain('<script>document')
  expect(await seen()).toContain('<b><script>document.title="taken over"</script>')
  expect(await page.locator('main script, main img, main bdi b').count()).toBe(0)
  expect(await page.content()).not.toMatch(/[\u202e\u202c\u200b]/)
  expect(await page.title()).toBe('External agents · Knowtation')
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await page.getByRole('button', { name: 'Mint the grant' }).click()
  await page.waitForSelector('.bearer')
  expect((await grants())[0]?.allowed_tools).toHaveLength(31)
})

test('the page reads well on a phone and in the dark', async () => {
  const phone = await openAsOwner(browser, hub, hub.owner, {
    colorScheme: 'dark',
    viewport: { width: 360, height: 740 },
  })
  await fillIn(phone.page)
  await picture(phone.page, 'external-agents-dark-phone')
  expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await phone.page.getByRole('button', { name: 'Mint the grant' }).click()
  await phone.page.waitForSelector('.bearer')
  await picture(phone.page, 'external-agents-minted-dark-phone')
  expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await phone.context.close()
})
