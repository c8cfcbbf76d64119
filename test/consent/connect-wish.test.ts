import { rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { cliAt, temporaryFolder } from '../../src/surfaces/cli/run-cli.fixture.ts'
import { OPEN_POLICY } from '../browser/owner-browser.fixture.ts'
import type { Visitor } from '../control/owner-visitor.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import {
  allow,
  askToComeIn,
  FLOW,
  forgetAttempts,
  GRANT,
  MEMBER,
  movedClock,
  newestConsent,
  post,
  read,
  register,
  startSignInHub,
} from './sign-in.fixture.ts'

const clock = movedClock()
let hub: TestHub
let owner: Visitor
beforeAll(async () => {
  clock.now = new Date()
  ;({ hub, owner } = await startSignInHub({ clock }))
  hub.write(hub.home.vaultPolicy('other'), OPEN_POLICY)
  await storeFlows(hub.hub, 'other', [FLOW])
})
afterEach(() => forgetAttempts(hub))
afterAll(() => hub.close())

/** What the owner types; the clock of the hub stands, so it is set after that of the command line. */
async function type(words: string, exit = 0) {
  const folder = temporaryFolder()
  const cli = cliAt(hub.home.folder, { ...hub.options.env, CODEX_HOME: folder })
  const done = await cli(['connect', 'codex', '--wait', '0', ...words.split(' ').filter(Boolean)])
  rmSync(folder, { recursive: true, force: true })
  clock.now = new Date()
  expect([words, done.exit, done.stderr]).toEqual([words, exit, expect.anything()])
  return done.stderr
}

/** What is ticked on the page that a program's next request leads to. */
async function ticked(query = '') {
  const { path } = await askToComeIn(hub)
  const { text } = await owner.get(`${path}${query}`)
  const values = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, value]) => value)
  return {
    path,
    text,
    marks: values(/value="([\w]+)" checked/g),
    chosen: values(/value="([\w]+)" selected/g),
  }
}

const USUAL = ['viewer']

test('what was said at the command line comes ticked, and allows nothing by itself', async () => {
  const said = await type('--flow flow_connected --tools web_search --ttl 30m')
  expect(said).toContain('counts once you have allowed it')
  expect((await newestConsent(hub)) ?? 'none').toBe('none')
  const { path, text, marks, chosen } = await ticked()
  expect(marks).toEqual(['web_search', 'viewer'])
  expect(chosen).toEqual(expect.arrayContaining(['flow_connected', '1800']))
  expect(text).toContain('by <code>knowtation connect codex</code>')
  const { answer } = await allow(owner, path)
  expect(answer.status).toBe(303)
  // It was for one program.
  const next = await ticked()
  expect([next.marks, next.text.includes('Ticked for you')]).toEqual([USUAL, false])
})

test('a role, too; and what the owner then chooses counts instead', async () => {
  await type('--role editor')
  const { path, marks } = await ticked()
  expect(marks).toEqual(['editor'])
  expect((await allow(owner, path, MEMBER)).answer.status).toBe(303)
  expect(await newestConsent(hub)).toMatchObject({ kind: 'membership', role: 'viewer' })
})

test('in another vault it is that vault which the page shows', async () => {
  await type('--flow flow_connected --tools calendar --vault other')
  const { marks, text } = await ticked()
  expect([marks, text.includes('name="vault" value="other"')]).toEqual([['calendar', 'viewer'], true])
  // Who looks at another vault finds nothing ticked there.
  expect((await ticked('?vault=default&flow=flow_connected')).marks).toEqual(USUAL)
})

describe('nothing is ticked', () => {
  test('when its time is over, or the clock was set back', async () => {
    await type('--role admin')
    expect((await ticked()).marks).toEqual(['admin'])
    clock.forward(601)
    expect((await ticked()).marks).toEqual(USUAL)
    clock.forward(-7_200)
    expect((await ticked()).marks).toEqual(USUAL)
    clock.now = new Date()
  })

  test('for a server elsewhere, or for a program with a code', async () => {
    await type('--role admin')
    const redirect_uri = 'https://elsewhere.example/callback'
    const client = { client_name: 'A program', redirect_uris: [redirect_uri] }
    const { path } = await askToComeIn(hub, { redirect_uri }, client)
    expect((await owner.get(path)).text).toContain('value="viewer" checked')
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const { client_id } = read(await register(hub, { client_name: 'Terminal', grant_types: [grant_type] }))
    const { user_code } = read(await post(hub, '/oauth/device_authorization', { client_id, scope: 'mcp' }))
    const { headers } = await owner.get(`/device?user_code=${user_code}`)
    expect((await owner.get(String(headers.location))).text).toContain('value="viewer" checked')
    expect((await ticked()).marks).toEqual(['admin'])
  })

  test('where the policy has taken the tool away since, and the page says so', async () => {
    await type('--flow flow_connected --tools web_search')
    const external_agent = { ...OPEN_POLICY.external_agent, allowed_tools: ['calendar'] }
    hub.write(hub.home.vaultPolicy('default'), { ...OPEN_POLICY, external_agent })
    const { marks, text } = await ticked()
    hub.write(hub.home.vaultPolicy('default'), OPEN_POLICY)
    expect([marks, text.includes('Not offered, so not ticked: web_search')]).toEqual([USUAL, true])
  })

  test('on a page that refuses what was posted', async () => {
    await type('--flow flow_connected --tools web_search')
    const { path } = await ticked()
    const { answer } = await allow(owner, path, { ...GRANT, 'tool.0': 'slack_notify' })
    expect([answer.status, answer.text.includes('value="web_search" checked')]).toEqual([409, false])
  })
})

test.each([
  ['--flow flow_nobody_has', 'There is no flow flow_nobody_has in the vault default'],
  ['--flow flow_connected --tools slack_notify', 'It offers calendar, web_search.'],
])('%s is refused at once, and ticks nothing', async (words, told) => {
  await type('--role viewer')
  expect(await type(words, 1)).toContain(told)
  const { text } = await ticked()
  expect(text).toContain('<b>viewer</b>')
})
