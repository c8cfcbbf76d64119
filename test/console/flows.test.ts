import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { draft } from '../../src/domains/flows/authoring/drafts.fixture.ts'
import { flowUsing, openBrowser, proposeOverRest, publishOverRest } from '../browser/owner-browser.fixture.ts'
import { ask } from '../external-agent/gate-hub.ts'
import {
  type ConsoleWorld,
  NASTY,
  openConsole,
  pictureOf,
  startConsoleWorld,
} from './console-world.fixture.ts'
import { digestFlow } from './digest-flow.fixture.ts'
import { checkScreen } from './screen-checks.fixture.ts'

vi.setConfig({ testTimeout: 120_000 })

let world: ConsoleWorld
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

beforeAll(async () => {
  world = await startConsoleWorld()
  browser = await openBrowser()
  await publishOverRest(world.hub, digestFlow('1.0.0'))
  await publishOverRest(world.hub, digestFlow('1.1.0'), digestFlow('1.0.0'))
  const nasty = draft({ flow_id: 'flow_nasty', step: { instruction: NASTY, boundaries: [NASTY] } })
  Object.assign(nasty.flow, { title: NASTY, summary: NASTY })
  await publishOverRest(world.hub, nasty)
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

/** The browser tells of each refusal of the hub; a draft that is no flow yet is one. */
const unasked = (lines: readonly string[]) => lines.filter((line) => !line.includes('status of 400'))

const proposals = async () => (await ask(world.hub, 'proposal_list', { status: 'proposed' })).body.proposals

const SCREENS = [
  ['flows', '/flows', 'Library'],
  ['flow-versions', '/flows/flow_weekly_digest?view=versions', 'What it would change about power'],
  ['flow-projections', '/flows/flow_nasty?view=projections', 'To keep, or to edit elsewhere'],
  ['flow-runs', '/flows/flow_nasty?view=runs', 'Nobody has followed'],
  ['flow-edit', '/flows/flow_nasty/edit', 'A valid flow.'],
  ['flow-new', '/flows/new', 'The flow, flow id'],
] as const

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test.each(SCREENS)('%s is without a fault of access, and nothing complains', async (name, path, sign) => {
    await open(path, { colorScheme })
    await page.getByText(sign).first().waitFor()
    await checkScreen(page, `${name}-${colorScheme}`)
    expect(unasked(complaints)).toEqual([])
  })
})

test('the library tells which tools a flow names, and which of them no grant can include', async () => {
  await open('/flows')
  const row = page.locator('.flow-row', { hasText: 'flow_weekly_digest' })
  await row.getByText('not listed').first().waitFor()
  expect(await row.innerText()).toContain('post')
  await page.locator('.flow-row', { hasText: 'flow_granted' }).getByText('1 live grant').waitFor()
})

test('two versions are compared by word and by power, at an address of their own', async () => {
  await open('/flows/flow_weekly_digest')
  await page.getByRole('link', { name: 'Versions' }).click()
  await page.locator('.power-row', { hasText: 'weather' }).waitFor()
  expect(await page.locator('.power-row.is-opening').count()).toBeGreaterThan(1)
  await page.locator('.changed-words ins', { hasText: 'weather' }).first().waitFor()
  await page.getByLabel('From').selectOption('1.1.0')
  await page.getByText('They are the same.').waitFor()
  expect(page.url()).toContain('base=1.1.0')
  await page.goBack()
  await page.getByText('Look back').or(page.getByText('Collect what changed')).first().waitFor()
  expect(unasked(complaints)).toEqual([])
})

test('an edit is checked while it is typed, compared before it is sent, and waits in the inbox', async () => {
  await open('/flows/flow_weekly_digest')
  await page.getByRole('link', { name: 'Propose an edit…' }).click()
  await page.getByText('A valid flow.').waitFor()
  const send = page.getByRole('button', { name: 'Look at the changes' })
  expect(await send.isDisabled()).toBe(true)
  const step = page.locator('.step-form').nth(1)
  await step.getByLabel('Instruction').fill('')
  await page.getByText('Step 2, instruction: must be a non-blank string').waitFor()
  expect(await step.getByLabel('Instruction').getAttribute('aria-invalid')).toBe('true')
  expect(await send.isDisabled()).toBe(true)
  await step.getByLabel('Instruction').fill('Four lines at most, the largest change first.')
  await step.getByRole('button', { name: 'Remove boundary 1' }).click()
  await page.getByText('A valid flow.').waitFor()
  await pictureOf(page, 'flow-edit-typed')
  await send.click()
  await page.locator('.power-row', { hasText: 'Name no customer.' }).waitFor()
  expect(await page.locator('.changed-words ins').first().innerText()).not.toBe('')
  await page.getByLabel(/^Why/).fill('Five lines were too many.')
  await pictureOf(page, 'flow-edit-send')
  await page.getByRole('button', { name: 'Propose 1.2.0' }).click()
  await page.locator('.item-title', { hasText: 'flow_weekly_digest' }).waitFor()
  expect((await proposals()).some((one: { flow_version: string }) => one.flow_version === '1.2.0')).toBe(true)
  expect(unasked(complaints)).toEqual([])
})

test('what is typed survives what happens meanwhile, also that the flow moves on', async () => {
  const base = flowUsing('flow_moving', 'web_search')
  await publishOverRest(world.hub, base)
  await open('/flows/flow_moving/edit')
  await page.getByText('Live', { exact: true }).waitFor()
  const job = page.locator('.step-form').first().getByLabel('Job')
  await job.fill('Half a sent')
  await job.focus()
  const next = flowUsing('flow_moving', 'web_search')
  next.flow.version = '1.0.1'
  next.flow.title = 'Moved on'
  await publishOverRest(world.hub, next, base)
  await page.getByText('The flow is at 1.0.1 by now.').waitFor()
  await page.keyboard.type('ence')
  expect(await job.inputValue()).toBe('Half a sentence')
  await page.getByRole('link', { name: 'Home' }).first().click()
  await page.getByText('Leave what you have written?').waitFor()
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  expect(await job.inputValue()).toBe('Half a sentence')
  await page.getByRole('button', { name: 'Begin again from 1.0.1' }).click()
  await vi.waitFor(async () => expect(await page.getByLabel('Title').inputValue()).toBe('Moved on'))
  expect(unasked(complaints)).toEqual([])
})

test('a flow goes out as a text and comes in again by a file', async () => {
  await open('/flows/flow_weekly_digest?view=projections')
  const panel = page.getByRole('region', { name: 'To keep, or to edit elsewhere' })
  const name = /^Download flow_weekly_digest-1\.1\.0\.md$/
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel.getByRole('button', { name }).click(),
  ])
  expect(download.suggestedFilename()).toBe('flow_weekly_digest-1.1.0.md')
  const { text } = (await ask(world.hub, 'flow_text', { flow_id: 'flow_weekly_digest', version: '1.1.0' }))
    .body as { text: string }
  const copied = text
    .replaceAll('flow_weekly_digest', 'flow_copied_digest')
    .replaceAll('- external_tool: weather', '- external_tool: web_search')
    .replaceAll('- external_tool: post', '- external_tool: web_search')
    .replaceAll('- external_tool: plain', '- cli: ls')
  const file = { name: 'copy.md', mimeType: 'text/markdown', buffer: Buffer.from(copied) }
  await page.goto(`${world.origin}/console/flows/new`)
  await page.getByText('From a file or a text').click()
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByText('It is in the form below.').waitFor()
  await page.getByText('A valid flow.').waitFor()
  await page.getByRole('button', { name: 'Look at the changes' }).click()
  await page.getByLabel(/^Why/).fill('Moved here.')
  await page.getByRole('button', { name: /^Propose 1/ }).click()
  await page.locator('.item-title', { hasText: 'flow_copied_digest' }).waitFor()
  const found = (await proposals()).find((one: { flow_id: string }) => one.flow_id === 'flow_copied_digest')
  expect(found.kind).toBe('import')
  expect(unasked(complaints)).toEqual([])
})

test('a text that is no flow says where it goes wrong, and a step is moved with what takes from it', async () => {
  await open('/flows/new')
  await page.getByText('From a file or a text').click()
  await page.getByLabel('Or paste it').fill('flow: [1')
  await page.getByRole('button', { name: 'Put it into the form' }).click()
  await page.getByText(/^line 1, column \d+ cannot be read/).waitFor()
  await page.getByLabel(/^Id/).fill('flow_made_here')
  await page.getByRole('button', { name: 'Add a step' }).click()
  await page.getByLabel('Job').nth(1).fill('Second')
  await page.getByRole('button', { name: 'Move step 2 up' }).click()
  expect(await page.getByLabel('Job').first().inputValue()).toBe('Second')
  expect(await page.locator('.step-form').count()).toBe(2)
})

test('a vault without a proposal open shows none, and one with some says how many', async () => {
  await proposeOverRest(world.hub, flowUsing('flow_granted', 'web_search'), 'x').catch(() => undefined)
  await open('/flows')
  await page.locator('.flow-row', { hasText: 'flow_weekly_digest' }).getByText('1 to review').waitFor()
})
