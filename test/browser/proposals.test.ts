import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { draft, uses } from '../../src/domains/flows/authoring/drafts.fixture.ts'
import type { FlowBundle } from '../../src/domains/flows/bundle/flow-record.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import {
  NASTY,
  OPEN_POLICY,
  openAsOwner,
  openBrowser,
  originOf,
  picture,
  proposeOverRest,
  publishOverRest,
} from './owner-browser.fixture.ts'

/** A browser on a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 })

let hub: OwnedHub
let browser: Browser
let context: BrowserContext
let page: Page
let origin: string
const complaints: string[] = []

beforeAll(async () => {
  hub = await startOwnedHub({ policy: OPEN_POLICY })
  origin = originOf(hub)
  browser = await openBrowser()
  ;({ context, page } = await openAsOwner(browser, hub, hub.owner))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message())
    void dialog.dismiss()
  })
})
afterAll(async () => {
  await browser?.close()
  await hub.close()
})

/** A draft that fills every field with what an agent may try. */
function nastyDraft(): FlowBundle {
  const bundle = draft({
    flow_id: 'flow_nasty',
    scope: 'project',
    step_count: 2,
    step: {
      ...uses('web_search', '<b>odd</b>'),
      owned_job: `Job ${NASTY}`,
      instruction: `Instruction ${NASTY}\nline two ${'long'.repeat(2_500)}`,
      trigger: `Trigger ${NASTY}`,
      when_not_to_run: `Not ${NASTY}`,
      boundaries: [`Boundary ${NASTY}`],
      output_shape: `Shape ${NASTY}`,
      verification: { kind: 'human_review', evidence_required: true, description: `Check ${NASTY}` },
    },
  })
  const long = `${NASTY}${'w'.repeat(90)}`
  return {
    ...bundle,
    flow: { ...bundle.flow, title: long, summary: `Summary ${NASTY}`, tags: ['<i>tag</i>'] },
  }
}

/** What a reader sees of a text. */
const spelled = (text: string) =>
  text.replace('\u202e', '\\u202e').replace('\u202c', '\\u202c').replace('\u200b', '\\u200b')

/** What is pressed on the page, by its name. */
const names = (of: Page) =>
  of
    .locator('main')
    .locator('button, summary')
    .evaluateAll((all) => all.map((one) => one.textContent))

async function newestVersion(flow_id: string): Promise<string | undefined> {
  const { text } = await send(hub.url, {
    path: `/api/v1/flows/${flow_id}`,
    bearer: hub.credentials.bearers.admin,
  })
  return (JSON.parse(text) as { flow?: { version: string } }).flow?.version
}

verifies('FLOW-069', 'a proposal is read in the browser as text, and approved there', async () => {
  const bundle = nastyDraft()
  const proposal_id = await proposeOverRest(hub, bundle, `Intent ${NASTY} ${'i'.repeat(1_800)}`)
  await page.goto(`${origin}/owner/proposals`)
  await picture(page, 'proposals')
  await page.getByRole('link', { name: 'flow_nasty 1.0.0' }).click()
  await page.waitForURL(`**/owner/proposals/${proposal_id}`)
  await picture(page, 'proposal-nasty')
  const seen = (await page.innerText('main')).replaceAll('\u00a0', ' ')
  const step = bundle.steps[0]
  for (const text of [
    'flow_nasty',
    'A new flow.',
    bundle.flow.title,
    bundle.flow.summary,
    ...(step ? [step.owned_job, step.trigger, step.when_not_to_run, step.boundaries[0] ?? ''] : []),
    step?.instruction ?? '',
    step?.output_shape ?? '',
    step?.verification.description ?? '',
    '<b>odd</b>',
    '<i>tag</i>',
  ])
    expect(seen).toContain(spelled(text))
  expect(seen).toMatch(/Scope\s+project/)
  expect(seen).toMatch(/Proposed by\s+token:\S+/)
  expect(seen).toMatch(/Builds on\s+nothing: it is the first version/)
  expect(seen).toMatch(/web_search\s+on the allowlist/)
  expect(seen).toMatch(/<b>odd<\/b>\s+not on the allowlist/)
  // The proposer's words stand apart, under a heading that says whose they are.
  const claim = page.locator('section', {
    has: page.getByRole('heading', { name: 'What the proposer says' }),
  })
  expect(await claim.locator('.words').first().innerText()).toContain(spelled(`Intent ${NASTY}`))
  // Nothing that was written became a part of the page, turned a line around or hid.
  expect(await page.locator('main script, main img, main i, main b:has-text("odd") b').count()).toBe(0)
  expect(await page.content()).not.toMatch(/[\u202e\u202c\u200b]/)
  expect(await page.title()).toBe('flow_nasty 1.0.0 · Knowtation')
  // Two steps: nothing is approved by one slip.
  expect(await page.getByRole('button', { name: 'Approve for good' }).isVisible()).toBe(false)
  await page.locator('summary', { hasText: 'Approve' }).click()
  await picture(page, 'proposal-approve')
  await page.getByRole('button', { name: 'Approve for good' }).click()
  await page.waitForURL(`**/owner/proposals/${proposal_id}?told=approve`)
  expect(await page.innerText('main')).toContain('It is approved')
  expect(await newestVersion('flow_nasty')).toBe('1.0.0')
  expect(await names(page)).toEqual([])
})

verifies('FLOW-069', 'a new version is read as what it changes, and discarded', async () => {
  const base = draft({ flow_id: 'flow_edited' })
  await publishOverRest(hub, base)
  const next = draft({ flow_id: 'flow_edited', version: '1.1.0', step: { instruction: 'Read it all.' } })
  const proposal_id = await proposeOverRest(hub, next, 'It is shorter.', base)
  await page.goto(`${origin}/owner/proposals/${proposal_id}`)
  await picture(page, 'proposal-edit')
  const { text } = await send(hub.url, {
    path: `/api/v1/proposals/${proposal_id}`,
    bearer: hub.credentials.bearers.admin,
  })
  // The comparison is the one that every other surface gives, to the letter.
  const { diff } = JSON.parse(text) as { diff: { text: string } }
  expect(await page.locator('.diff').textContent()).toBe(diff.text)
  expect(diff.text).toContain('+Read it all.')
  expect(await page.innerText('main')).toMatch(/Builds on\s+1\.0\.0, the newest version/)
  await page.locator('summary', { hasText: 'Discard' }).click()
  await page.getByRole('button', { name: 'Discard for good' }).click()
  await page.waitForURL(`**/owner/proposals/${proposal_id}?told=discard`)
  expect(await page.innerText('main')).toContain('It is discarded')
  expect(await newestVersion('flow_edited')).toBe('1.0.0')
  await page.goto(`${origin}/owner/proposals`)
  expect(await page.innerText('main')).not.toContain('flow_edited')
  await page.getByRole('link', { name: 'Discarded', exact: true }).click()
  expect(await page.innerText('main')).toContain('flow_edited 1.1.0')
})

verifies(
  'FLOW-069',
  'who may not decide is offered nothing, and neither is anybody while authoring is off',
  async () => {
    const proposal_id = await proposeOverRest(hub, draft({ flow_id: 'flow_waits' }), 'Only for the owner.')
    const path = `${origin}/owner/proposals/${proposal_id}`
    await page.goto(path)
    expect(await names(page)).toEqual(expect.arrayContaining(['Approve for good', 'Discard for good']))
    const { viewer, editor, evaluator } = hub.credentials.bearers
    for (const bearer of [viewer, editor, evaluator, hub.bearer, undefined]) {
      const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
      const other = await browser.newContext({ extraHTTPHeaders: headers })
      const theirs = await other.newPage()
      await theirs.goto(path)
      expect(await theirs.textContent('h1')).toBe('Sign in')
      expect(await names(theirs)).toEqual(['Sign in'])
      expect(await theirs.content()).not.toContain('Only for the owner.')
      await other.close()
    }
    hub.write(hub.home.vaultPolicy('default'), { flow_authoring: { writes_enabled: false } })
    await page.goto(path)
    await picture(page, 'proposal-off')
    expect(await page.innerText('main')).toContain('Authoring is off')
    expect(await page.innerText('main')).toContain('flow_authoring.writes_enabled: false')
    expect(await page.innerText('main')).toContain('Only for the owner.')
    expect(await names(page)).toEqual([])
    hub.write(hub.home.vaultPolicy('default'), OPEN_POLICY)
  },
)

test('an evaluation that was not passed has to be waived, on the page', async () => {
  const proposal_id = await proposeOverRest(hub, draft({ flow_id: 'flow_judged' }))
  await page.goto(`${origin}/owner/proposals/${proposal_id}`)
  await page.locator('summary', { hasText: 'Evaluate' }).click()
  await page.getByLabel('Outcome').selectOption('needs_changes')
  await page.getByLabel('Comment').fill(`Say more.\n${NASTY}`)
  await page.getByRole('button', { name: 'Keep the evaluation' }).click()
  await page.waitForURL('**?told=evaluate')
  expect(await page.innerText('main')).toContain(spelled(`Say more.\n${NASTY}`))
  await page.locator('summary', { hasText: 'Approve' }).click()
  await picture(page, 'proposal-waiver')
  await page.getByLabel('Why it is approved').fill('I know the author.')
  await page.getByRole('button', { name: 'Approve for good' }).click()
  await page.waitForURL('**?told=approve')
  expect(await page.innerText('main')).toContain('I know the author.')
  expect(await newestVersion('flow_judged')).toBe('1.0.0')
})

test('the pages read well on a phone and in the dark, whatever agents write', async () => {
  const [nasty] = JSON.parse(
    (
      await send(hub.url, {
        path: '/api/v1/proposals?status=approved',
        bearer: hub.credentials.bearers.admin,
      })
    ).text,
  ).proposals.filter((one: { flow_id: string }) => one.flow_id === 'flow_nasty')
  await proposeOverRest(hub, { ...draft({ flow_id: 'flow_wide' }) }, `${'W'.repeat(1_900)}`)
  const phone = await openAsOwner(browser, hub, hub.owner, {
    colorScheme: 'dark',
    viewport: { width: 360, height: 740 },
  })
  for (const [path, name] of [
    ['/owner/proposals', 'proposals-dark-phone'],
    [`/owner/proposals/${nasty.proposal_id}`, 'proposal-dark-phone'],
  ] as const) {
    await phone.page.goto(`${origin}${path}`)
    await picture(phone.page, name)
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  }
  await phone.context.close()
  expect(context.pages()).toEqual([page])
  expect(complaints).toEqual([])
})
