import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { setUpOwner, type Visitor } from '../control/owner-visitor.ts'
import { type AskingHub, asOwner, call, startAskingHub } from '../external-agent/approvals.fixture.ts'
import { NASTY, openAsOwner, openBrowser, originOf, picture } from './owner-browser.fixture.ts'

/** A browser on a busy machine takes its time. */
vi.setConfig({ testTimeout: 120_000 })

let asking: AskingHub
let owner: Visitor
let browser: Browser
beforeAll(async () => {
  asking = await startAskingHub()
  owner = await setUpOwner(asking.hub)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await asking.close()
})

test('on a phone a call is read in full, as the words of somebody else, and let go once', async () => {
  const { hub, endpoint } = asking
  const sent = { text: NASTY, [NASTY]: { deep: [NASTY, 'w'.repeat(2_000)] } }
  const { approval_id } = (await call(asking, 'post', sent)).body
  const { context, page } = await openAsOwner(browser, hub, owner, { viewport: { width: 390, height: 800 } })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message())
    void dialog.dismiss()
  })
  await page.goto(`${originOf(hub)}/owner/approvals`)
  await page.getByRole('link', { name: 'post' }).click()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(await page.evaluate('document.scripts.length')).toBe(0)
  const words = (await page.locator('pre.words').allTextContents()).join('\n')
  expect(words).toContain('<script>document.title="taken over"</script>')
  expect(words).toContain('\\u202eevil\\u202c\\u200b')
  expect(words).toContain('w'.repeat(2_000))
  await picture(page, 'approval-phone')
  const held = call(asking, 'post', sent, { wait: 60 })
  await page.getByRole('button', { name: 'Allow this one call' }).click()
  await page.getByText('Decided', { exact: true }).waitFor()
  expect((await held).status).toBe(200)
  expect(endpoint.got.map(({ body }) => JSON.parse(body))).toEqual([sent])
  expect(complaints).toEqual([])
  const { body } = await asOwner(hub, 'GET', `/v1/owner/approvals/${approval_id}`)
  expect(body).toMatchObject({ state: 'executed', arguments: null })
  await context.close()
})

test('a call that is refused says so, with the reason that the owner gave', async () => {
  const { hub } = asking
  const held = call(asking, 'post', { text: 'no' }, { wait: 60 })
  const { context, page } = await openAsOwner(browser, hub, owner)
  for (;;) {
    await page.goto(`${originOf(hub)}/owner/approvals`)
    if ((await page.getByText('Nothing waits.').count()) === 0) break
  }
  await page.locator('section', { hasText: 'Waiting' }).getByRole('link', { name: 'post' }).first().click()
  await page.locator('summary', { hasText: 'Refuse' }).click()
  await page.getByLabel('Why, for your own record').fill('not today')
  await page.getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('not today').waitFor()
  expect((await held).body.code).toBe('FLOW_EXTERNAL_APPROVAL_DENIED')
  await context.close()
})
