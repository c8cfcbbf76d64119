import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHub } from '../../src/operations/hub.ts'
import { asOwner } from '../external-agent/approvals.fixture.ts'
import type { Json } from '../external-agent/gate-hub.ts'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'

const POLICY = `# kept by hand
external_agent:
  enabled: false # shut for now
  allowed_tools:
    - id: echo # says it again
`

describe.each(DATABASES)('the policy by operations on %s', (database) => {
  let hub: TestHub
  let path: string
  beforeAll(async () => {
    hub = await startTestHub({ database, policy: POLICY })
    path = hub.home.vaultPolicy('default')
  })
  afterAll(() => hub.close())

  const ask = (method: string, under: string, body?: object): Promise<Json> =>
    asOwner(hub, method, `/v1/owner/policy${under}`, body)
  const history = async () => (await ask('GET', '/history')).body.data as Json[]
  const byHand = (text: string) => {
    writeFileSync(`${path}.editor`, text)
    renameSync(`${path}.editor`, path)
  }

  test('a gate is opened in the file, its remarks stay, and it is on record who did it and why', async () => {
    const opened = await ask('POST', '/gates/external_agent/open', { reason: 'for the demo' })
    expect([opened.status, opened.body.open, opened.body.set_by, opened.body.path]).toEqual([
      200,
      true,
      'policy',
      path,
    ])
    expect(readFileSync(path, 'utf8')).toBe(POLICY.replace('enabled: false', 'enabled: true'))
    const [now, first] = await history()
    expect(now).toMatchObject({
      origin: 'operation',
      operation: 'owner_policy_gate_open',
      reason: 'for the demo',
    })
    expect([now.changed_by.split(':')[0], first.origin, now.base_revision]).toEqual([
      'owner_session',
      'found',
      first.revision,
    ])
    expect(hub.hub.rulesOf('default').revision).toBe(opened.body.revision)
    const again = await ask('POST', '/gates/FLOW_EXTERNAL_AGENT_ENABLED/open', {})
    expect([again.body.changed, (await history()).length]).toEqual([false, 2])
  })

  test('an edit by hand is a revision, and a change for the one before it is refused', async () => {
    const { body: seen } = await ask('GET', '')
    byHand(`${readFileSync(path, 'utf8')}    - by_hand\n`)
    const late = await ask('POST', '/tools', { tool_id: 'late', base_revision: seen.revision })
    expect([late.status, late.body.error.code]).toEqual([409, 'policy_changed'])
    expect(late.body.error.message).toContain(path)
    const [now] = await history()
    expect(now).toMatchObject({ origin: 'hand', state: 'kept', base_revision: seen.revision })
    const { body } = await ask('GET', '')
    expect(body.tools.map(({ id }: Json) => id)).toEqual(['echo', 'by_hand'])
  })

  test('tools come and go; what would damage the policy is refused with its line, and nothing is written', async () => {
    const { status } = await ask('POST', '/tools', {
      tool_id: 'new',
      approval: 'each_call',
      calls_per_minute: 3,
    })
    const { body: tool } = await ask('GET', '/tools/new')
    expect([status, tool.approval, tool.calls_per_minute]).toEqual([201, 'each_call', 3])
    expect((await ask('POST', '/tools', { tool_id: 'new' })).body.error.code).toBe('policy_tool_listed')
    const before = readFileSync(path, 'utf8')
    const wrong = await ask('POST', '/tools', { tool_id: 'other', provider: 'nowhere' })
    expect([wrong.status, wrong.body.error.code, wrong.body.error.faults[0].line]).toEqual([
      400,
      'policy_invalid',
      11,
    ])
    expect(wrong.body.error.message).toContain(`${path}:11: `)
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect((await ask('DELETE', '/tools/new')).status).toBe(200)
    expect((await ask('DELETE', '/tools/new')).body.error.code).toBe('unknown_policy_tool')
  })

  test('a damaged policy closes everything; show says the line, and revert mends it', async () => {
    const [sound] = await history()
    for (const damage of ['external_agent:\n  enabled: true\n  alowed_tools: []\n', 'a: [\n', '\xff\xfe']) {
      writeFileSync(path, damage.startsWith('\xff') ? Buffer.from([0x61, 0x0a, 0xff]) : damage)
      const { body } = await ask('GET', '')
      expect([body.damaged, body.errors.length > 0, body.gates[0].open, body.tools]).toEqual([
        true,
        true,
        false,
        [],
      ])
      expect(body.revision).toBe(hub.hub.rulesOf('default').policy.revision)
      const refused = await ask('POST', '/gates/authoring/open', {})
      expect([refused.status, refused.body.error.message]).toEqual([
        expect.any(Number),
        expect.stringContaining(path),
      ])
      expect(refused.status).toBeGreaterThanOrEqual(400)
      const reverted = await ask('POST', '/revert', { revision: String(sound.number) })
      expect([reverted.status, reverted.body.revision]).toEqual([200, sound.revision])
      expect((await ask('GET', '')).body.damaged).toBe(false)
    }
  })

  test('edits by operations and by hand, all at once: each is in the file or in the history, and none is half', async () => {
    const { body: before } = await ask('GET', '')
    const { options } = hub
    const second = await openHub(options)
    const made: string[] = []
    const hands: string[] = []
    const operations = async (who: string) => {
      for (let at = 0; at < 6; at++) {
        const tool_id = `${who}_${at}`
        const { status } = await ask('POST', '/tools', { tool_id })
        if (status === 201) made.push(tool_id)
      }
    }
    const hand = async () => {
      for (let at = 0; at < 6; at++) {
        const id = `hand_${at}`
        byHand(`${readFileSync(path, 'utf8')}    - ${id}\n`)
        hands.push(id)
        // A person leaves the file alone for a while; until it was looked at, what a hand writes over itself is gone.
        await ask('GET', '')
      }
    }
    await Promise.all([operations('one'), operations('two'), hand()])
    await second.close()
    const { body: after } = await ask('GET', '')
    expect(after.damaged).toBe(false)
    expect(made.length).toBeGreaterThan(0)
    const seen = new Set<string>()
    for (const { number, state } of await history()) {
      if (state !== 'kept' && state !== 'displaced') continue
      const text = await textOf(number)
      for (const id of [...made, ...hands]) if (text.includes(id)) seen.add(id)
    }
    expect([...made, ...hands].filter((id) => !seen.has(id))).toEqual([])
    expect(before.revision).not.toBe(after.revision)
  })

  /** What a revision says, by putting it back. */
  async function textOf(number: number): Promise<string> {
    await ask('POST', '/revert', { revision: String(number) })
    return readFileSync(path, 'utf8')
  }
})
