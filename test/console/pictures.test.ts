import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser, originOf, proposeOverRest, publishOverRest } from '../browser/owner-browser.fixture.ts'
import { addConnection } from '../control/connection-samples.ts'
import { setUpOwner, type Visitor } from '../control/owner-visitor.ts'
import { type AskingHub, call, startAskingHub } from '../external-agent/approvals.fixture.ts'
import { ask } from '../external-agent/gate-hub.ts'
import { openConsole, pictureOf } from './console-world.fixture.ts'
import { digestFlow } from './digest-flow.fixture.ts'

/** The screens as they are shown in the README. `npm run pictures` writes them to docs/images. */
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

let asking: AskingHub
let owner: Visitor
let browser: Browser
let held: Promise<unknown>
beforeAll(async () => {
  asking = await startAskingHub()
  owner = await setUpOwner(asking.hub)
  browser = await openBrowser()
  const { hub } = asking
  await publishOverRest(hub, digestFlow('1.0.0'))
  await proposeOverRest(
    hub,
    digestFlow('1.1.0'),
    'The digest is sent without asking each time.',
    digestFlow('1.0.0'),
  )
  await addConnection(hub, { display_name: 'Orders' })
  for (const text of ['Week 45', 'Week 46', 'Week 47']) await call(asking, 'plain', { text })
  await call(asking, 'calendar', { day: 'Friday' })
  const note = async (type: string, text: string, depends_on: string[] = []) => {
    const input = { tenant_id: 'garden', source: 'crm', type, payload: { text }, depends_on }
    return (await ask(hub, 'ledger_append', input)).body.entry.id as string
  }
  const orders = await note('orders', 'Tomatoes lead.')
  await note('plan', 'More beds for tomatoes.', [orders, await note('weather', 'Dry until Friday.')])
  held = call(
    asking,
    'post',
    { to: 'editor@garden.example.test', subject: 'Garden digest, week 47' },
    { wait: 170 },
  )
})
afterAll(async () => {
  await browser?.close()
  await asking?.close()
  await held
})

const SCREENS = [
  ['home', '', 'wants to call'],
  ['inbox', '/inbox?item=proposal', 'What it would change about power'],
  ['held-call', '/inbox', 'What the tool would be given'],
  ['activity', '/activity', 'Chain intact'],
  ['agents', '/agents', 'of 10000'],
  ['flow', '/flows/flow_weekly_digest', 'Collect what changed'],
  ['tools', '/tools', 'asks at each call'],
  ['sources', '/data', 'Orders'],
  ['ledger', '/data?tab=ledger', 'plan'],
] as const
const LIGHT = { viewport: { width: 1_440, height: 900 } }
const LOOKS: readonly [string, BrowserContextOptions][] = [
  ['light', LIGHT],
  ['dark', { ...LIGHT, colorScheme: 'dark' }],
  ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
]

test.each(LOOKS)('every screen shows what it is about: %s', async (look, options) => {
  const { hub } = asking
  const { proposals } = (await ask(hub, 'proposal_list', { status: 'proposed' })).body
  const { context, page, complaints } = await openConsole({ hub: { ...hub, owner } }, browser, options)
  for (const [name, path, sign] of SCREENS) {
    const item = path.endsWith('=proposal') ? `:${proposals[0].proposal_id}` : ''
    await page.goto(`${originOf(hub)}/console${path}${item}`)
    if (name === 'held-call' && look === 'phone') await page.locator('.entry').first().click()
    await page.getByText(sign).first().waitFor()
    // What is still being read would stand in the picture as grey bars.
    await page.locator('.skeleton').first().waitFor({ state: 'detached', timeout: 60_000 })
    await pictureOf(page, `${name}-${look}`)
  }
  expect(complaints).toEqual([])
  await context.close()
})
