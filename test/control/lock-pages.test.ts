import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { auditRecords, send } from '../rest/rest-hub.fixture.ts'
import { type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { ownerOrigin, signIn, visitorOf } from './owner-visitor.ts'

let hub: OwnedHub
beforeAll(async () => {
  hub = await startOwnedHub()
})
afterAll(() => hub.close())
afterEach(() => hub.hub.db.transaction((tx) => tx.run(sql('DELETE FROM hub_locks'))))

const locks = async () => JSON.parse((await hub.owner.ask({ path: '/api/v1/locks' })).text).locks

/** What a viewer of the vault is answered at the moment. */
async function viewerStatus(bearer: string): Promise<number> {
  return (await send(hub.url, { path: '/api/v1/flows', bearer })).status
}

async function makeToken(): Promise<{ token_id: string; bearer: string }> {
  const { body } = await hub.askAsOwner('POST', '/api/v1/tokens', { role: 'viewer' })
  return { token_id: body.token.token_id, bearer: body.bearer }
}

describe('the forms', () => {
  test('lock and unlock through the operations of REST, and are recorded like them', async () => {
    const { token_id, bearer } = await makeToken()
    await hub.owner.get('/owner/locks')
    const done = await hub.owner.post('/owner/locks/add', {
      kind: 'agent',
      id: ` ${token_id} `,
      reason: 'a <b>look</b>',
    })
    expect([done.status, done.headers.location]).toEqual([303, '/owner/locks?told=add'])
    expect(await viewerStatus(bearer)).toBe(423)
    expect(await locks()).toMatchObject([{ kind: 'agent', id: token_id, reason: 'a <b>look</b>' }])
    const { text } = await hub.owner.get('/owner/locks?told=add')
    expect(text).toContain('It is locked.')
    expect(text).toContain('a &lt;b&gt;look&lt;/b&gt;')
    await hub.owner.post('/owner/locks/release', { kind: 'agent', id: token_id })
    expect(await viewerStatus(bearer)).toBe(200)
    const told = (await auditRecords(hub)).filter(({ operation }) => /^lock_(add|release)$/.test(operation))
    expect(told.map((one) => [one.operation, one.caller_kind, one.target_id])).toEqual([
      ['lock_add', 'owner_session', token_id],
      ['lock_release', 'owner_session', token_id],
    ])
  })

  test('say what is wrong with what was typed, and change nothing', async () => {
    await hub.owner.get('/owner/locks')
    const told = async (act: string, fields: Record<string, string>) => {
      const { status, text } = await hub.owner.post(`/owner/locks/${act}`, fields)
      return [status, /role="alert">([^<]+)</.exec(text)?.[1]]
    }
    expect(await told('add', { kind: 'agent', id: ' ' })).toEqual([400, 'id must say which agent.'])
    expect((await told('add', { kind: 'vault', id: 'x' }))[0]).toBe(400)
    expect(await told('add', { kind: 'service', id: '../x' })).toEqual([
      400,
      'id must be an absolute folder, or the end of the path of one.',
    ])
    expect(await told('release', { kind: 'all' })).toEqual([404, 'This is not locked.'])
    expect(await locks()).toEqual([])
  })

  test('count for the owner alone, on a page of the hub', async () => {
    const everything = { kind: 'all' }
    const stranger = visitorOf(hub)
    const shown = await stranger.get('/owner/locks')
    expect(shown.text).toContain('<h1>Sign in</h1>')
    expect((await stranger.post('/owner/locks/add', everything)).status).toBe(401)
    await hub.owner.get('/owner/locks')
    const foreign = { origin: 'http://localhost:1' }
    expect((await hub.owner.post('/owner/locks/add', everything, foreign)).status).toBe(401)
    const forged = await hub.owner.post('/owner/locks/add', { ...everything, form_token: '0'.repeat(64) })
    expect([forged.status, forged.text.includes('The page is out of date.')]).toEqual([403, true])
    const agent = await send(hub.url, { path: '/owner/locks', bearer: hub.bearer })
    expect(agent.text).not.toContain('Locked now')
    expect(await locks()).toEqual([])
  })

  test('go on page by page where much is locked', async () => {
    await hub.owner.get('/owner/locks')
    const add = sql(
      'INSERT INTO hub_locks (kind, id, reason, locked_at, locked_by) VALUES (?, ?, NULL, ?, ?)',
    )
    const rows = Array.from({ length: 101 }, (_, at) => [
      'agent',
      `ag-${at}`,
      '2026-01-01T00:00:00.000Z',
      '-',
    ])
    await hub.hub.db.transaction((tx) => tx.runEach(add, rows as string[][]))
    const first = (await hub.owner.get('/owner/locks')).text
    const more = /<a href="(\?cursor=[^"]+)">More</.exec(first)?.[1] ?? ''
    const second = (await hub.owner.get(`/owner/locks${more}`)).text
    const named = [...`${first}${second}`.matchAll(/<b>Agent (ag-\d+)<\/b>/g)].map(([, id]) => id)
    expect(new Set(named).size).toBe(101)
    expect(second).not.toContain('>More<')
    expect((await hub.owner.get('/owner/locks?cursor=x')).status).toBe(400)
  })
})

test('while everything is locked the owner still signs in, and lands where the locks are', async () => {
  await hub.owner.get('/owner/locks')
  await hub.owner.post('/owner/locks/add', { kind: 'all' })
  const { visitor } = await signIn(hub)
  expect((await visitor.get('/owner/locks')).text).toContain('<b>Everything</b>')
  expect((await visitor.post('/owner/locks/release', { kind: 'all' })).status).toBe(303)
  const late = visitorOf(hub)
  const asked = await late.get('/owner/locks')
  expect(asked.text).toContain('name="place" value="/owner/locks"')
})

describe('in a real browser', () => {
  let browser: Browser
  let page: Page
  let origin: string
  beforeAll(async () => {
    origin = ownerOrigin(hub)
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    })
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
    await context.addCookies([...hub.owner.cookies].map(([name, value]) => ({ name, value, url: origin })))
    page = await context.newPage()
  })
  afterAll(() => browser?.close())

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  /** Pictures of the page, light and dark, where a person asked for pictures. */
  async function picture(name: string): Promise<void> {
    const folder = process.env.OWNER_PICTURES
    if (!folder) return
    for (const width of [360, 1_000]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 740 })
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true })
      }
    }
    await page.setViewportSize({ width: 360, height: 740 })
  }

  test('everything is locked in two steps, and unlocked in one, on a phone', async () => {
    const { bearer } = await makeToken()
    await page.goto(`${origin}/owner`)
    await page.getByRole('link', { name: 'Locks', exact: true }).click()
    await picture('locks-none')
    const sure = page.getByRole('button', { name: 'Yes, lock everything', exact: true })
    expect(await sure.isVisible()).toBe(false)
    await page.locator('summary').click()
    expect(await viewerStatus(bearer)).toBe(200)
    await picture('locks-sure')
    await sure.click()
    expect(await page.textContent('[role=status]')).toContain('It is locked.')
    expect(await viewerStatus(bearer)).toBe(423)
    expect(await page.locator('summary').count()).toBe(0)
    await picture('locks-everything')
    await press('Unlock: Everything')
    expect(await page.textContent('[role=status]')).toContain('It is unlocked.')
    expect(await viewerStatus(bearer)).toBe(200)
  })

  test('an agent and a service are locked by name, and each unlocked by itself', async () => {
    const { token_id, bearer } = await makeToken()
    await page.goto(`${origin}/owner/locks`)
    const fill = async (label: string, text: string, button: string) => {
      await page.getByLabel(label).fill(text)
      await press(button)
    }
    await fill('Which agent', token_id, 'Lock the agent')
    await fill('Which folder', `/srv/${'very-long-name-of-a-service'.repeat(6)}`, 'Lock the service')
    expect(await page.locator('ul.list li').count()).toBe(2)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(await viewerStatus(bearer)).toBe(423)
    await picture('locks-some')
    await press(`Unlock: Agent ${token_id}`)
    expect(await viewerStatus(bearer)).toBe(200)
    expect(await locks()).toMatchObject([{ kind: 'service' }])
  })

  test('a refusal is told on the page', async () => {
    await page.goto(`${origin}/owner/locks`)
    await page.getByLabel('Which folder').fill('..')
    await press('Lock the service')
    expect(await page.textContent('[role=alert]')).toContain('absolute folder')
    await picture('locks-fault')
  })
})
