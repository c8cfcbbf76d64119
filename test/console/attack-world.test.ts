import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { applyPage } from '../../src/domains/control/records/record-store.ts'
import { draft, uses } from '../../src/domains/flows/authoring/drafts.fixture.ts'
import type { FlowBundle } from '../../src/domains/flows/bundle/flow-record.ts'
import { openBrowser, originOf, proposeOverRest, publishOverRest } from '../browser/owner-browser.fixture.ts'
import { addConnection, addFinishedRun } from '../control/connection-samples.ts'
import { oauth, setUpOwner, type Visitor } from '../control/owner-visitor.ts'
import { type AskingHub, asOwner, call, startAskingHub } from '../external-agent/approvals.fixture.ts'
import { ask } from '../external-agent/gate-hub.ts'
import { auditRecord } from '../store/audit-records.ts'
import { NASTY, openConsole } from './console-world.fixture.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

/** Signs that show nothing, or turn a line around: none may be in a page as itself. */
const HIDDEN = /[\u200b\u202a-\u202e\u2066-\u2069]/
const SPELLED = '⟨U+202E⟩'
/** The same where a name is short. */
const SHORT = '<img src=x onerror=alert(1)>\u202eevil'

let asking: AskingHub
let owner: Visitor
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]
let held: Promise<unknown>
let source: string
let entry: string
let proposal: string

/** A flow whose every word is an attacker's. */
function nastyFlow(version: string): FlowBundle {
  const bundle = draft({ flow_id: 'flow_nasty', version, step: uses('post') })
  Object.assign(bundle.flow, { title: NASTY, summary: NASTY })
  for (const step of bundle.steps)
    Object.assign(step, { owned_job: NASTY, instruction: NASTY, trigger: NASTY, boundaries: [NASTY] })
  return bundle
}

/** Every domain says an attacker's words wherever others than the owner have a say. */
beforeAll(async () => {
  asking = await startAskingHub()
  const { hub } = asking
  owner = await setUpOwner(hub)
  const base = nastyFlow('1.0.0')
  await publishOverRest(hub, base)
  const next = nastyFlow('1.1.0')
  for (const step of next.steps) Object.assign(step, { instruction: `${NASTY} and more` })
  proposal = await proposeOverRest(hub, next, NASTY, base)
  await ask(hub, 'token_create', { role: 'viewer', label: SHORT }, { as: 'admin' })
  await asOwner(hub, 'POST', '/api/v1/locks', { kind: 'agent', id: 'someone', reason: NASTY })
  source = await addConnection(hub, { display_name: NASTY })
  await addFinishedRun(hub, source, { state: 'failed', fault: 'source_unreachable' })
  const upserts = [{ key: NASTY, data: { title: NASTY, [NASTY]: NASTY } }]
  const notes = { stream: 'notes', upserts, checkpoint: null, bytes: 0 }
  await hub.hub.db.transaction((tx) => applyPage(tx, source, notes, hub.hub.system.now().toISOString()))
  await asOwner(hub, 'POST', '/v1/owner/connections/intents', {
    connector_id: 'feed',
    display_name: 'Feed \u202eme',
  })
  const appended = {
    tenant_id: 'garden',
    source: 'crm',
    type: 'signal',
    payload: { text: NASTY },
    depends_on: [],
  }
  entry = (await ask(hub, 'ledger_append', appended)).body.entry.id as string
  await hub.hub.audit.append(
    auditRecord({
      at: hub.hub.system.now().toISOString(),
      caller_id: NASTY,
      client: NASTY,
      target_id: NASTY,
    }),
  )
  // A program's name may have no hidden sign.
  const fields = { client_id: 'test-agent', client_name: '<img src=x onerror=alert(1)>' }
  const { body } = await oauth(hub, '/oauth/device_authorization', fields)
  await owner.get(`/device?user_code=${String(body.user_code)}`)
  await owner.post('/device/approve', { user_code: String(body.user_code) })
  held = call(asking, 'post', { to: NASTY, [NASTY]: NASTY }, { wait: 170 })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await asking?.close()
  await held
})
afterEach(() => context?.close())

/** Where the words have to be seen; elsewhere they may not be at all, and must do nothing if they are. */
const SCREENS: [string, () => string, boolean][] = [
  ['home', () => '', true],
  ['inbox', () => '/inbox', true],
  ['proposal', () => `/inbox?item=proposal:${proposal}`, true],
  ['activity', () => '/activity', true],
  ['grants', () => '/agents', false],
  ['consents', () => '/agents?tab=consents', false],
  ['owner agents', () => '/agents?tab=owner_agents', false],
  ['tokens', () => '/agents?tab=tokens', true],
  ['flows', () => '/flows', true],
  ['flow', () => '/flows/flow_nasty', true],
  ['projections', () => '/flows/flow_nasty?view=projections', false],
  ['tools', () => '/tools', false],
  ['policy', () => '/tools?tab=policy', false],
  ['sources', () => '/data', true],
  ['connect', () => '/data/connect', false],
  ['source', () => `/data/sources/${source}`, true],
  ['records', () => `/data/sources/${source}?view=records&stream=notes`, true],
  [
    'record',
    () => `/data/sources/${source}?view=records&stream=notes&key=${encodeURIComponent(NASTY)}`,
    true,
  ],
  ['found', () => `/data/sources/${source}?view=records&q=evil`, true],
  ['subscriptions', () => '/data?tab=subscriptions', true],
  ['ledger', () => `/data?tab=ledger&item=${entry}`, true],
  ['engines', () => '/data?tab=engines', false],
]

test('no screen executes, hides or turns around what others have written', async () => {
  const hub = { ...asking.hub, owner }
  ;({ context, page, complaints } = await openConsole({ hub }, browser))
  page.setDefaultTimeout(15_000)
  await page.addInitScript(
    `window.violations = []; addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective))`,
  )
  const faults: string[][] = []
  for (const [name, path, isSeen] of SCREENS) {
    await page.goto(`${originOf(asking.hub)}/console${path()}`)
    await page.locator('h1, .item-title').first().waitFor()
    // Playwright's own way to wait evaluates a text, which the page forbids.
    const look = async () => expect(await page.evaluate('document.body.innerText')).toContain(SPELLED)
    if (isSeen) await vi.waitFor(look, 8_000).catch(() => faults.push([name, 'not seen']))
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    const { title, images, scripts, text, names, violations } = await page.evaluate<Seen>(`({
      title: document.title,
      images: document.querySelectorAll('img[src="x"]').length,
      scripts: [...document.scripts].filter(({ src }) => src === '').length,
      text: document.body.innerText,
      names: [...document.querySelectorAll('[aria-label], [title], [alt]')]
        .map((one) => [one.getAttribute('aria-label'), one.getAttribute('title'), one.getAttribute('alt')].join(' ')),
      violations: window.violations,
    })`)
    expect([name, title, images, scripts, violations]).toEqual([name, 'Knowtation', 0, 0, []])
    faults.push(
      ...[...text.split('\n'), ...names].filter((line) => HIDDEN.test(line)).map((line) => [name, line]),
    )
  }
  await page.goto(`${originOf(asking.hub)}/console/inbox?item=proposal:${proposal}`)
  await page.getByRole('button', { name: 'Raw', exact: true }).click()
  await page.locator('pre').waitFor()
  expect(HIDDEN.test(await page.locator('pre').innerText())).toBe(false)
  expect(faults).toEqual([])
  expect(complaints).toEqual([])
})

interface Seen {
  title: string
  images: number
  scripts: number
  text: string
  names: string[]
  violations: string[]
}
