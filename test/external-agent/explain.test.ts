import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import {
  ALLOWED_TOOLS,
  ask,
  type Json,
  type Minted,
  mint,
  startGateHub,
  turnGate,
  USE,
  writePolicy,
} from './gate-hub.ts'
import { toolFlow } from './tool-servers.ts'

const clock: { now?: Date | undefined } = {}
let hub: TestHub
beforeAll(async () => void (hub = await startGateHub('on', { clock })))
afterAll(() => hub.close())

const QUESTION = { flow_id: USE.flow_id, flow_version: USE.flow_version, tool_id: USE.tool_id }

interface Case {
  name: string
  code: string | undefined
  condition?: string
  input?: object
  grant?: object
  break?: (held: Minted) => unknown
  mend?: () => unknown
}

const CASES: readonly Case[] = [
  { name: 'nothing speaks against it', code: undefined },
  {
    name: 'the policy forbids it',
    code: 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN',
    condition: 'policy does not forbid external agents',
    break: () => writePolicy(hub, { forbidden: true }),
  },
  {
    name: 'the gate is off',
    code: 'FLOW_EXTERNAL_AGENT_DISABLED',
    condition: 'gate is open',
    break: () => turnGate(hub, '0'),
  },
  {
    name: 'the grant is revoked',
    code: 'FLOW_EXTERNAL_GRANT_REVOKED',
    condition: 'grant is not revoked',
    break: ({ grant }) => ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id }),
  },
  {
    name: 'the grant is over',
    code: 'FLOW_EXTERNAL_GRANT_EXPIRED',
    condition: 'grant has not expired',
    break: () => (clock.now = new Date(Date.now() + 3_601_000)),
  },
  {
    name: 'the grant is locked',
    code: 'LOCKED',
    condition: 'grant is not locked',
    break: ({ grant }) => ask(hub, 'lock_add', { kind: 'agent', id: grant.grant_id }, { as: 'owner' }),
  },
  {
    name: 'everything is locked',
    code: 'LOCKED',
    condition: 'calls are not locked',
    break: () => ask(hub, 'lock_add', { kind: 'all' }, { as: 'owner' }),
    mend: () => ask(hub, 'lock_release', { kind: 'all' }, { as: 'owner' }),
  },
  {
    name: 'the members file is damaged',
    code: 'FLOW_SCOPE_AMBIGUOUS',
    condition: 'scopes of callers can be told',
    break: () => hub.write(hub.home.vaultMembers('default'), 'scope_overrides: ['),
    mend: () => rmSync(hub.home.vaultMembers('default')),
  },
  {
    name: 'another version is meant',
    code: 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH',
    condition: 'grant is for this flow and version',
    input: { flow_version: '1.3.0' },
  },
  {
    name: 'another flow is meant',
    code: 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH',
    condition: 'grant is for this flow and version',
    input: { flow_id: 'flow_plain' },
  },
  {
    name: 'the tool is not granted',
    code: 'FLOW_EXTERNAL_GRANT_TOOL_DENIED',
    condition: 'grant includes the tool',
    input: { tool_id: 'alpha' },
  },
  {
    name: 'the tool is no longer listed',
    code: 'FLOW_EXTERNAL_TOOL_DENIED',
    condition: 'allowlist has the tool',
    break: () => writePolicy(hub, { allowed_tools: ALLOWED_TOOLS.slice(1) }),
  },
  {
    name: 'the version is withdrawn',
    code: 'FLOW_EXTERNAL_GRANT_DENIED',
    condition: 'version is approved',
    grant: { flow_id: 'flow_gone', flow_version: '1.0.0' },
    input: { flow_id: 'flow_gone', flow_version: '1.0.0' },
    break: () =>
      hub.hub.db.transaction((tx) => tx.run(sql(`DELETE FROM flow_versions WHERE flow_id = 'flow_gone'`))),
  },
  {
    name: 'no invocation is left',
    code: 'FLOW_EXTERNAL_GRANT_DENIED',
    condition: 'invocations are left',
    break: ({ grant }) =>
      hub.hub.db.transaction((tx) =>
        tx.run(
          sql('UPDATE flow_external_grants SET invocation_count = 100 WHERE grant_id = ?'),
          grant.grant_id,
        ),
      ),
  },
]

describe('explain', () => {
  test.each([
    ['BAD_REQUEST', {}],
    ['BAD_REQUEST', { flow_id: 'flow_a', tool_id: 'echo' }],
    ['BAD_REQUEST', { record: 1, tool_id: 'echo' }],
    ['NOT_FOUND', { record: 1_000_000 }],
  ])('is refused with %s where %j names neither a call nor a record of one', async (code, asked) => {
    expect((await ask(hub, 'explain', asked, { as: 'owner' })).body.code).toBe(code)
  })

  test.each(CASES)('tells the owner what the agent hears when $name', async (one) => {
    await storeFlows(hub.hub, 'default', [toolFlow('flow_gone', ['web_search'])])
    const held = await mint(hub, one.grant ?? {})
    await one.break?.(held)
    const question = { ...QUESTION, ...one.input }
    for (const way of ['rest', 'home'] as const) {
      const told = (
        await ask(
          hub,
          'explain',
          { ...question, grant_id: held.grant.grant_id },
          { way: way === 'home' && clock.now ? 'rest' : way, as: 'owner' },
        )
      ).body
      expect([told.schema, told.code ?? undefined]).toEqual(['knowtation.explain/v0', one.code])
      expect(told.allowed).toBe(one.code === undefined)
      const failed = told.conditions.filter(({ holds }: Json) => !holds)
      expect(failed[0]?.condition).toBe(one.condition)
    }
    const agent = await ask(hub, 'flow_external_tool_invoke', question, held)
    expect(agent.code).toBe(one.code)
    const invoked = (await auditRecords(hub)).findLast(
      ({ operation }) => operation === 'flow_external_tool_invoke',
    )
    const explained = (
      await ask(hub, 'explain', { ...question, grant_id: held.grant.grant_id }, { as: 'owner' })
    ).body
    expect(explained.policy_revision).toBe(invoked?.policy_revision)
    expect(explained.policy_revision).toMatch(/^[0-9a-f]{12}(\+damaged-[0-9a-f]{12})?$/)
    clock.now = undefined
    turnGate(hub, '1')
    writePolicy(hub)
    await one.mend?.()
  })

  test('names the same condition as the call where several do not hold', async () => {
    // A lock on everything stops the asking for the other cases too; cases with another grant cannot be mixed.
    const mixable = CASES.filter(({ grant, name }) => !grant && name !== 'everything is locked')
    const several = fc.subarray(mixable, { minLength: 2, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(several, async (cases) => {
        const held = await mint(hub)
        for (const one of cases) await one.break?.(held)
        const question = Object.assign({}, QUESTION, ...cases.map(({ input }) => input ?? {}))
        const asked = { ...question, grant_id: held.grant.grant_id }
        const told = (await ask(hub, 'explain', asked, { as: 'owner' })).body
        const agent = await ask(hub, 'flow_external_tool_invoke', question, held)
        clock.now = undefined
        turnGate(hub, '1')
        writePolicy(hub)
        for (const one of cases) await one.mend?.()
        expect(told.code).toBe(agent.code)
      }),
      { numRuns: 25 },
    )
  })

  test('tells by the role of the agent’s own credential whether it can read the flow', async () => {
    const { grant } = await mint(hub, { flow_id: 'flow_higher' }, { as: 'admin' })
    const question = { ...QUESTION, flow_id: 'flow_higher', grant_id: grant.grant_id }
    const told = async (more: object = {}) =>
      (await ask(hub, 'explain', { ...question, ...more }, { as: 'owner' })).body
    for (const role of ['viewer', 'evaluator', 'editor'])
      expect([role, (await told({ role })).code]).toEqual([role, 'unknown_flow'])
    for (const more of [{ role: 'admin' }, {}]) expect((await told(more)).allowed).toBe(true)
    const reads = (await told()).conditions.find(
      ({ condition }: Json) => condition === 'caller can read the flow',
    )
    expect(reads.detail).toBe('roles that can: admin')
  })

  test('tells by the id of the agent’s own credential what speaks against that one', async () => {
    const held = await mint(hub, { flow_id: 'flow_higher' }, { as: 'admin' })
    const question = { ...QUESTION, flow_id: 'flow_higher' }
    const idOf = async (as: 'admin' | 'editor') => (await ask(hub, 'whoami', {}, { as })).body.caller_id
    const ids = { admin: await idOf('admin'), editor: await idOf('editor') }
    const compare = async (as: 'admin' | 'editor') => {
      const asked = { ...question, grant_id: held.grant.grant_id, credential_id: ids[as] }
      const told = (await ask(hub, 'explain', asked, { as: 'owner' })).body
      const agent = await ask(hub, 'flow_external_tool_invoke', question, { ...held, as })
      expect(told.code ?? undefined).toBe(agent.code)
      return [told.code, told.conditions.find(({ holds }: Json) => !holds)?.detail]
    }
    const { admin } = ids
    const override = (value: object) =>
      hub.write(hub.home.vaultMembers('default'), { scope_overrides: { [admin]: value } })
    // A token's role is known by its id.
    expect(await compare('admin')).toEqual([null, undefined])
    expect(await compare('editor')).toEqual(['unknown_flow', 'it sees personal, project; the flow is org'])
    override({ scopes: ['personal'] })
    expect(await compare('admin')).toEqual(['unknown_flow', 'it sees personal; the flow is org'])
    override({ ambiguous: true })
    expect(await compare('admin')).toEqual([
      'FLOW_SCOPE_AMBIGUOUS',
      'the members file marks the caller as ambiguous',
    ])
    rmSync(hub.home.vaultMembers('default'))
    await ask(hub, 'lock_add', { kind: 'agent', id: admin, reason: 'a look first' }, { as: 'owner' })
    const [code, detail] = await compare('admin')
    expect([code, detail]).toEqual(['LOCKED', expect.stringMatching(/^locked by .*: a look first$/)])
    await ask(hub, 'lock_release', { kind: 'agent', id: admin }, { as: 'owner' })
    expect(await compare('admin')).toEqual([null, undefined])
  })

  test('tells that the agent’s own token has ended', async () => {
    const { token } = (await ask(hub, 'token_create', { role: 'editor' }, { as: 'hub' })).body
    const held = await mint(hub)
    const asked = { ...QUESTION, grant_id: held.grant.grant_id, credential_id: token.token_id }
    const explained = async () => (await ask(hub, 'explain', asked, { as: 'owner' })).body
    expect((await explained()).code).toBeNull()
    await ask(hub, 'token_revoke', { token_id: token.token_id }, { as: 'hub' })
    const { code, conditions } = await explained()
    expect([code, conditions[0].holds]).toEqual(['UNAUTHENTICATED', false])
    expect(conditions[0].detail).toMatch(/^revoked at \d/)
  })

  test('finds a grant without limit usable, however often it was used', async () => {
    writePolicy(hub, { max_invocations: 0, allow_unlimited_invocations: true })
    const held = await mint(hub)
    writePolicy(hub)
    await ask(hub, 'flow_external_tool_invoke', USE, held)
    const question = { ...QUESTION, grant_id: held.grant.grant_id }
    const { allowed, conditions } = (await ask(hub, 'explain', question, { as: 'owner' })).body
    expect([allowed, conditions.at(-1).detail]).toEqual([true, '1 of unlimited used'])
  })

  test('names the lock of a grant before whatever else is wrong with the call, as the call does', async () => {
    const held = await mint(hub)
    await ask(hub, 'lock_add', { kind: 'agent', id: held.grant.grant_id }, { as: 'owner' })
    const wrong = { ...QUESTION, flow_id: 'flow_plain', tool_id: 'pager_call' }
    const question = { ...wrong, grant_id: held.grant.grant_id }
    expect((await ask(hub, 'explain', question, { as: 'owner' })).body.code).toBe('LOCKED')
    expect((await ask(hub, 'flow_external_tool_invoke', wrong, held)).code).toBe('LOCKED')
  })

  test('knows no grant of another vault and none that never was', async () => {
    const { grant } = await mint(hub)
    for (const [grant_id, vault] of [
      ['fgrnt_0123456789abcdef', 'default'],
      [grant.grant_id, 'elsewhere'],
    ] as const) {
      hub.write(hub.home.vaultPolicy('elsewhere'), { external_agent: { allowed_tools: ['web_search'] } })
      const { body } = await ask(hub, 'explain', { ...QUESTION, grant_id }, { as: 'owner', vault })
      expect([body.allowed, body.code]).toEqual([false, 'FLOW_EXTERNAL_GRANT_DENIED'])
    }
  })

  test('is the owner’s alone, and no tool of MCP', async () => {
    const { grant, presented } = await mint(hub)
    const question = { ...QUESTION, grant_id: grant.grant_id }
    for (const as of ['viewer', 'editor', 'evaluator', 'admin', 'gateway', 'hub'] as const)
      expect((await ask(hub, 'explain', question, { as, presented })).code).toBe('FORBIDDEN')
    expect((await ask(hub, 'explain', question, { as: 'anonymous' })).code).toBe('UNAUTHENTICATED')
    await expect(ask(hub, 'explain', question, { as: 'hub', way: 'mcp' })).rejects.toThrow('not found')
  })
})
