import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { NASTY } from '../browser/owner-browser.fixture.ts'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { type Visitor, visitorOf } from '../control/owner-visitor.ts'
import { violate } from '../toolbox/watch-hub.fixture.ts'
import { ACTIVITY, alarm, keepRecord, toldIn } from './owner-activity.fixture.ts'
import { faultIn, readAsOwner } from './owner-review.fixture.ts'
import { type Received, recorded } from './rest-hub.fixture.ts'

let hub: OwnedHub
let owner: Visitor
beforeAll(async () => {
  hub = await startOwnedHub()
  ;({ owner } = hub)
  await owner.get(ACTIVITY)
})
afterAll(() => hub.close())
afterEach(async () => {
  await hub.hub.db.transaction(async (tx) => {
    await tx.run(sql('DELETE FROM toolbox_events'))
    await tx.run(sql('DELETE FROM toolbox_alerts'))
  })
})

const openAlerts = async () =>
  (await readAsOwner(hub, '/api/v1/toolbox/alerts')).alerts.filter((one: any) => one.acknowledged_at === null)

test.each(['verify', 'acknowledge'])('a form of somebody else does not count: %s', async (act) => {
  await alarm(hub, 'eager')
  const stranger = visitorOf(hub)
  await stranger.get('/owner/sign-in')
  const fields = { agent_id: 'eager' }
  const tries = [
    () => stranger.post(`${ACTIVITY}/${act}`, fields),
    () => owner.post(`${ACTIVITY}/${act}`, fields, { origin: 'http://localhost:1' }),
    () => owner.post(`${ACTIVITY}/${act}`, { ...fields, form_token: '0'.repeat(64) }),
  ]
  const statuses = []
  for (const attempt of tries) {
    const { result, records } = await recorded(hub, attempt)
    statuses.push(result.status)
    expect(records[0]).toMatchObject({ outcome: 'denied', operation: expect.stringContaining(act) })
    expect([toldIn(result), result.text.includes('audit log is')]).toEqual([undefined, false])
  }
  expect(statuses).toEqual([401, 401, 403])
  expect(await openAlerts()).toHaveLength(1)
})

describe('agents that go against the rules', () => {
  test('are not spoken of where there is none', async () => {
    const { text } = await owner.get(ACTIVITY)
    expect(text).toContain(
      '<p class="empty">No agent is in Alert Mode. Nothing was refused to an agent of the toolbox.</p>',
    )
    expect(text).not.toContain('class="alarm"')
  })

  test('are acknowledged once, through the operation, and come again when they go on', async () => {
    await alarm(hub, 'eager')
    const before = await owner.get(ACTIVITY)
    expect(before.text).toContain('>6 violations</a>')
    expect(before.text).toContain('<a href="/owner/locks">')
    const acknowledge = () => owner.post(`${ACTIVITY}/acknowledge`, { agent_id: 'eager', vault: 'default' })
    const { result, records } = await recorded(hub, acknowledge)
    expect([result.status, result.headers.location]).toEqual([303, `${ACTIVITY}?told=acknowledge`])
    expect(records).toMatchObject([
      { operation: 'alert_acknowledge', target_id: 'eager', outcome: 'allowed' },
    ])
    const after = await owner.get(`${ACTIVITY}?told=acknowledge`)
    expect([toldIn(after), after.text.includes('class="alarm"')]).toEqual(['It is acknowledged.', false])
    await alarm(hub, 'eager')
    expect((await owner.get(ACTIVITY)).text).toContain('class="alarm"')
    const other = await owner.post(`${ACTIVITY}/acknowledge`, { agent_id: 'nobody' })
    expect([other.status, faultIn(other)]).toEqual([404, 'This agent is not in Alert Mode in this vault.'])
    const elsewhere = await owner.post(`${ACTIVITY}/acknowledge`, { agent_id: 'eager', vault: 'kept' })
    expect([elsewhere.status, (await openAlerts()).length]).toEqual([404, 1])
  })

  test('are listed page by page, as are their violations, each once', async () => {
    for (let count = 0; count < 21; count++) await alarm(hub, `ag-${count}`)
    await violate(hub.hub, 'calm', { severity: 'CRITICAL' })
    const walk = async (first: string, label: string, wanted: RegExp) => {
      const seen: (string | undefined)[] = []
      let address: string | undefined = first
      for (let pages = 0; address !== undefined && pages < 20; pages++) {
        const { text }: Received = await owner.get(address)
        seen.push(...[...text.matchAll(wanted)].map(([, id]) => id))
        const link: RegExpExecArray | null = new RegExp(`<a href="([^"]+)">${label}<`).exec(text)
        address = link?.[1]?.replaceAll('&amp;', '&')
      }
      return seen
    }
    const agents = await walk(ACTIVITY, 'More agents', /<li><div><b><bdi>(ag-\d+)<\/bdi>/g)
    expect([agents.length, new Set(agents).size]).toEqual([21, 21])
    const events = await walk(ACTIVITY, 'Older violations', /<span><bdi>(ag-\d+|calm)<\/bdi> · /g)
    expect([events.length, new Set(events).size]).toEqual([127, 22])
    const own = await walk(`${ACTIVITY}?agent_id=ag-3`, 'Older violations', /<span><bdi>(ag-\d+)<\/bdi> · /g)
    expect(own).toEqual(Array(6).fill('ag-3'))
    expect((await owner.get(ACTIVITY)).text).toContain('<i class="ended failed">critical</i>')
  })
})

test('what others wrote stays text, and hidden signs are spelled out', async () => {
  const hostile = { caller_id: NASTY, client: NASTY, target_kind: 'flow', target_id: NASTY, code: NASTY }
  await keepRecord(hub, { ...hostile, vault_id: 'default', outcome: 'denied' })
  await alarm(hub, NASTY, { target_path: NASTY, command_args: [NASTY, '\u2028\u0007'] })
  const all = await owner.get(ACTIVITY)
  const own = /<a href="([^"]+)" aria-label="6 violations of/.exec(all.text)?.[1] ?? ''
  const one = await owner.get(own.replaceAll('&amp;', '&'))
  expect([...one.text.matchAll(/<li>/g)]).toHaveLength(6)
  const typed = await owner.get(`${ACTIVITY}?operation=${encodeURIComponent(NASTY)}`)
  expect(typed.text).not.toMatch(/<script>|<img/)
  for (const { text } of [all, one]) {
    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toMatch(/<script>|<img|onerror=alert\(1\)>"/)
    const shown = text.replace(/ value="[^"]*"/g, '')
    for (const sign of '\u202e\u202c\u200b\u2028\u0007') expect(shown).not.toContain(sign)
    expect(text).toMatch(/\\u\{?202e/)
  }
})
