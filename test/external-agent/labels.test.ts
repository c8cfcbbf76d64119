import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES } from '../harness/test-hub.ts'
import { ask, mint, startGateHub } from './gate-hub.ts'

type Hub = Awaited<ReturnType<typeof startGateHub>>
const OWNER = { as: 'owner' } as const

describe.each(DATABASES)('names on %s', (database) => {
  let hub: Hub
  beforeAll(async () => {
    hub = await startGateHub('on', { database })
  })
  afterAll(() => hub.close())

  const name = (id: string, label: string, how: object = OWNER) => ask(hub, 'label_set', { id, label }, how)

  test('a grant is shown by its name, to the owner alone, and stays what the contract has', async () => {
    const { grant } = await mint(hub)
    expect((await name(grant.grant_id, '  Friday digest ')).body.label).toBe('Friday digest')
    const seen = await ask(hub, 'flow_external_grant_list', {}, OWNER)
    expect(seen.body.labels).toEqual({ [grant.grant_id]: 'Friday digest' })
    expect(seen.body.grants[0]).toEqual(grant)
    const others = await ask(hub, 'flow_external_grant_list')
    expect(others.text).not.toContain('Friday digest')
    const { records, labels } = (await ask(hub, 'audit_list', { grant: grant.grant_id }, OWNER)).body
    expect(records[0]).toMatchObject({
      operation: 'label_set',
      target_kind: 'grant',
      target_id: grant.grant_id,
    })
    expect(labels[grant.grant_id]).toBe('Friday digest')
    expect((await ask(hub, 'audit_list', {}, { as: 'admin' })).body.labels).toBeUndefined()
  })

  test('a name is changed and taken away, and a thing that is named when it is made has it', async () => {
    const made = (await ask(hub, 'token_create', { role: 'viewer', label: 'brief-writer' }, OWNER)).body
    const { token_id } = made.token
    const labelOf = async () =>
      (await ask(hub, 'label_list', {}, OWNER)).body.labels.find((one: { id: string }) => one.id === token_id)
        ?.label
    expect(await labelOf()).toBe('brief-writer')
    await name(token_id, 'digest-runner')
    expect(await labelOf()).toBe('digest-runner')
    const { tokens } = (await ask(hub, 'token_list', {}, OWNER)).body
    expect(tokens.find((one: { token_id: string }) => one.token_id === token_id).label).toBe('digest-runner')
    expect((await ask(hub, 'label_remove', { id: token_id }, OWNER)).status).toBe(200)
    expect(await labelOf()).toBeUndefined()
    expect((await ask(hub, 'label_remove', { id: token_id }, OWNER)).code).toBe('unknown_label')
  })

  test.each([
    ['two lines', 'one\ntwo'],
    ['a control character', 'a\u0007b'],
    ['a line turned around', 'a\u202eb'],
    ['a sign that shows nothing', 'a\u200bb'],
    ['nothing but space', '   '],
    ['too long a text', 'x'.repeat(65)],
    ['a bearer', `fgrnt_bearer_${'a'.repeat(30)}`],
    ['a token', `ktok_${'0'.repeat(16)}`],
  ])('%s is no name', async (_what, label) => {
    const { grant } = await mint(hub)
    expect((await name(grant.grant_id, label)).code).toBe('BAD_REQUEST')
  })

  test('only the owner names, and only what is there in this vault', async () => {
    const { grant } = await mint(hub)
    for (const as of ['viewer', 'editor', 'admin', 'hub'] as const)
      expect([as, (await name(grant.grant_id, 'mine', { as })).code]).toEqual([as, 'FORBIDDEN'])
    expect((await name('fgrnt_00000000', 'x')).code).toBe('unknown_subject')
    expect((await name(grant.grant_id, 'x', { ...OWNER, vault: 'other' })).code).toBe('unknown_subject')
    expect((await name('flow_gate', 'x')).code).toBe('BAD_REQUEST')
    expect((await ask(hub, 'label_list', {}, { ...OWNER, vault: 'other' })).body.labels).toEqual([])
  })

  test('what an admin calls their own token stays theirs', async () => {
    const made = await ask(hub, 'token_create', { role: 'viewer', label: 'you' }, { as: 'admin' })
    const { labels } = (await ask(hub, 'label_list', {}, OWNER)).body
    expect(labels.some(({ id }: { id: string }) => id === made.body.token.token_id)).toBe(false)
  })
})

describe('a preview', () => {
  let hub: Hub
  beforeAll(async () => {
    hub = await startGateHub('on')
  })
  afterAll(() => hub.close())
  const preview = async (input: object) =>
    (await ask(hub, 'flow_external_grant_preview', { flow_id: 'flow_gate', ...input }, OWNER)).body

  test('tells what the mint then gives', async () => {
    const wanted = { requested_tools: ['web_search'], ttl_seconds: 600 }
    const told = await preview({ version: '1.2.0', ...wanted })
    const { grant } = await mint(hub, { ...wanted, flow_version: told.flow_version })
    expect(told.mintable).toBe(true)
    expect(told.tools.filter(({ state }: { state: string }) => state === 'granted')).toMatchObject([
      { tool_id: 'web_search', asks: 'never' },
    ])
    expect([told.max_invocations, told.ttl_seconds]).toEqual([grant.max_invocations, 600])
  })

  test('has another digest as soon as anything of it changes', async () => {
    const asked = [
      { requested_tools: ['web_search'] },
      { requested_tools: ['web_search'], ttl_seconds: 60 },
      { requested_tools: [] },
      { requested_tools: ['web_search'], version: '1.2.0', ttl_seconds: 61 },
    ]
    const digests = await Promise.all(asked.map(async (one) => (await preview(one)).digest))
    expect(new Set(digests).size).toBe(asked.length)
    expect((await preview(asked[0] as object)).digest).toBe(digests[0])
  })

  test('says what no mint would give', async () => {
    const told = await preview({ requested_tools: ['pager_call', 'no_such_tool'] })
    expect(told.mintable).toBe(false)
    expect(told.unknown_tools).toContain('no_such_tool')
  })

  test('names what closes the gate', async () => {
    hub.options.env.FLOW_EXTERNAL_AGENT_ENABLED = '0'
    const { gate, mintable } = await preview({ requested_tools: ['web_search'] })
    hub.options.env.FLOW_EXTERNAL_AGENT_ENABLED = '1'
    expect([mintable, gate.open, gate.code]).toEqual([false, false, 'FLOW_EXTERNAL_AGENT_DISABLED'])
    expect(gate.detail).toContain('environment')
  })
})
