import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ShownIntent } from '../../src/domains/control/intents/intent-schemas.ts'
import { cliAt } from '../../src/surfaces/cli/run-cli.fixture.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { countMade, everythingKept, LOOPBACK_SOURCES } from './intents.fixture.ts'
import { giveAccess, startProvider, type TestProvider } from './oauth-provider.fixture.ts'

const ORDERS = 'Order ID,Order Date,Product Name\n111-2222222-3333333,2026-01-05T10:00:00Z,A kettle\n'

let hub: TestHub
let provider: TestProvider
let folder: string
let cli: ReturnType<typeof cliAt>
beforeAll(async () => {
  hub = await startTestHub({ config: LOOPBACK_SOURCES })
  provider = await startProvider([`http://localhost:${new URL(hub.url).port}/oauth/callback`], {
    confidential: true,
  })
  folder = mkdtempSync(join(tmpdir(), 'knowtation-intents-'))
  cli = cliAt(hub.home.folder)
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await hub.close()
  rmSync(folder, { recursive: true, force: true })
})

async function begin(connector_id: string): Promise<ShownIntent> {
  return JSON.parse((await cli(['owner', 'intent', 'create', connector_id, '--json'])).stdout) as ShownIntent
}

describe('on the command line', () => {
  verifies(
    'OWNR-057',
    'a machine without a browser prints the provider’s address and takes the answer',
    async () => {
      const { intent_id } = await begin('json_api')
      writeFileSync(join(folder, 'secret'), `${provider.client_secret}\n`, { mode: 0o600 })
      const set = {
        url: provider.list_url,
        issuer: provider.issuer,
        client_id: provider.client_id,
        scope: 'openid',
      }
      const flags = Object.entries(set).flatMap(([name, value]) => ['--set', `${name}=${value}`])
      const from = ['--from', `client_secret=${join(folder, 'secret')}`]
      const opened = await cli(['owner', 'intent', 'open', intent_id, ...flags, ...from])
      expect(opened.stderr).toBe('')
      const url = /^ {2}(http:\/\/127\.0\.0\.1:\S+)$/m.exec(opened.stdout)?.[1] as string
      expect(opened.stdout).toContain(`knowtation owner intent complete ${intent_id} --callback-url`)
      expect((await countMade(hub)).connections).toBe(0)
      const callback = (await giveAccess(url)).href
      const done = await cli(['owner', 'intent', 'complete', intent_id, '--callback-url', callback])
      expect([done.exit, done.stderr]).toEqual([0, ''])
      expect(done.stdout).toMatch(/connection\s+conn_[0-9a-f]{24}/)
      expect((await countMade(hub)).connections).toBe(1)
      const again = await cli(['owner', 'intent', 'complete', intent_id, '--callback-url', callback])
      expect([again.exit, again.stderr]).toEqual([1, expect.stringContaining('Error (intent_ended)')])
      expect((await countMade(hub)).connections).toBe(1)
      expect(await everythingKept(hub)).not.toContain(provider.client_secret)
    },
  )

  test('what was begun at the hub may be finished in a browser of the owner’s', async () => {
    const { setUpOwner } = await import('./owner-visitor.ts')
    const owner = await setUpOwner(hub)
    const { intent_id } = await begin('json_api')
    const values = {
      url: provider.list_url,
      issuer: provider.issuer,
      client_id: provider.client_id,
      scope: 'openid',
    }
    const all = JSON.stringify({ ...values, client_secret: provider.client_secret })
    const opened = await cli(['owner', 'intent', 'open', intent_id, '--values', '-', '--json'], {
      input: all,
    })
    const { authorization_url } = JSON.parse(opened.stdout) as { authorization_url: string }
    const { search } = await giveAccess(authorization_url)
    const done = await owner.get(`/owner/intents/finish${search}`)
    expect([done.status, done.headers.location]).toEqual([303, `/console/data/connect/${intent_id}`])
  })

  test('secrets come from files and stdin, and from nowhere else', async () => {
    const { intent_id } = await begin('mail')
    const complete = ['owner', 'intent', 'complete', intent_id]
    const typed = await cli([...complete, '--set', 'password=a-sentinel'])
    expect([typed.exit, typed.stderr]).toEqual([
      2,
      expect.stringContaining('password is not taken from the command line'),
    ])
    const inline = await cli([...complete, '--values', '{"password":"a-sentinel"}'])
    expect([inline.exit, inline.stderr]).toEqual([
      2,
      expect.stringContaining('others can read a command line'),
    ])
    const whole = await cli([...complete, '--input', '{"values":{"password":"a-sentinel"}}'])
    expect(whole.exit).toBe(2)
    const set = ['--set', 'host=127.0.0.1', '--set', 'user=me', '--set', 'port=9']
    const piped = await cli([...complete, ...set, '--from', 'password=-'], { input: 'a-sentinel\n' })
    expect([piped.exit, piped.stderr]).toEqual([1, expect.stringMatching(/^Error \(source_/)])
    const twice = await cli([...complete, '--from', 'password=-', '--from', 'user=-'])
    expect([twice.exit, twice.stderr]).toEqual([
      2,
      expect.stringContaining('Only one value can come from stdin'),
    ])
    const missing = await cli([...complete, '--from', `password=${join(folder, 'none')}`])
    expect([missing.exit, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read (ENOENT)')])
    expect(await everythingKept(hub)).not.toContain('a-sentinel')
    expect((await cli(['owner', 'intent', 'show', intent_id])).stdout).toMatch(/last try\s+\S/)
  })

  test('a file is given, lists are read, and an intent is cancelled', async () => {
    writeFileSync(join(folder, 'orders.csv'), ORDERS)
    const { intent_id } = await begin('amazon')
    const from = ['--from', `file=${join(folder, 'orders.csv')}`]
    const done = await cli(['owner', 'intent', 'complete', intent_id, ...from, '--json'])
    expect(JSON.parse(done.stdout)).toMatchObject({ state: 'completed', connection_active: true })
    const other = await begin('feed')
    expect((await cli(['owner', 'intent', 'list'])).stdout).toContain(other.intent_id)
    expect((await cli(['owner', 'intent', 'cancel', other.intent_id])).stdout).toMatch(/state\s+cancelled/)
    const none = await cli(['owner', 'intent', 'show', 'cint_0123456789abcdef'])
    expect(none.stderr).toContain('Error (intent_not_found)')
  })

  test('a collector is enrolled on the machine of the hub', async () => {
    const notes = join(folder, 'notes')
    mkdirSync(notes)
    writeFileSync(join(notes, 'one.md'), '# One\n')
    const created = await cli('owner intent create folder')
    const code = /lde_[0-9a-f]{32}/.exec(created.stdout)?.[0] as string
    expect(created.stdout).toContain(`knowtation collector enroll --code ${code} --folder FOLDER`)
    const enrolled = await cli(['collector', 'enroll', '--code', code, '--folder', notes, '--json'])
    const { connection_id } = JSON.parse(enrolled.stdout) as ShownIntent
    expect((await cli('collector list')).stdout).toContain(connection_id)
    const again = await cli(['collector', 'enroll', '--code', code, '--folder', notes])
    expect([again.exit, again.stderr]).toEqual([
      1,
      expect.stringContaining('Error (enrollment_code_invalid)'),
    ])
  })
})
