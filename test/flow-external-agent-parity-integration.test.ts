import { hash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { GATE_FLOW, STARTERS } from './external-agent/bundles.ts'
import { BUNDLE, CODES, checkRefusal, MINT } from './external-agent/code-cases.ts'
import { describeConditions } from './external-agent/condition-cases.ts'
import { describeDoors, describeShutDoors } from './external-agent/door-cases.ts'
import {
  ALLOWED_TOOLS,
  ask,
  bundleIn,
  listed,
  mint,
  rest,
  startGateHub,
  startGateway,
  turnGate,
  USE,
  writePolicy,
} from './external-agent/gate-hub.ts'
import {
  AMBIGUOUS_MINTS,
  BAD_MINTS,
  GOOD_MINTS,
  ORDERED_MINTS,
  SHUT_MINTS,
} from './external-agent/mint-cases.ts'
import { describePolicy } from './external-agent/policy-cases.ts'
import { type Clock, DATABASES, type TestHub } from './harness/test-hub.ts'
import { expectParity, type ParityCase } from './parity/parity-case.ts'
import { citedRules } from './requirements/cited-rules.ts'
import { verifies } from './requirements/verifies.ts'

const SURFACES = ['rest', 'mcp', 'cli'] as const
const GRANTS = '/api/v1/flows/external-grants'
const clock: Clock = {}
let hub: TestHub
let gateway: { url: string; close(): Promise<void> }

const moveClock = (seconds: number) => {
  clock.now = seconds === 0 ? undefined : new Date(Date.now() + seconds * 1_000)
}

/** One hub for all tests of a block, put back as it was after each. */
function useHub(gate: 'on' | 'off', database: (typeof DATABASES)[number] = 'sqlite'): void {
  beforeAll(async () => {
    hub = await startGateHub(gate, { database, clock })
    gateway = await startGateway(hub)
  })
  afterEach(() => {
    clock.now = undefined
    turnGate(hub, gate === 'on' ? '1' : '0')
    writePolicy(hub)
    hub.write(hub.home.vaultMembers('default'), {})
  })
  afterAll(async () => {
    await gateway.close()
    await hub.close()
  })
}

/** A call that every way must answer alike. */
function expectAlike(one: Partial<ParityCase> & Pick<ParityCase, 'operation' | 'status'>): Promise<void> {
  return expectParity(hub, { name: '', as: 'editor', ...one })
}

/** Registers mints that must leave nothing behind. */
function refusedMints(cases: readonly ParityCase[], prepare = () => {}): void {
  for (const one of cases) {
    verifies(one.rules ?? [], `a mint with ${one.name} is refused and stores nothing`, async () => {
      prepare()
      const before = await listed(hub, {}, { as: 'admin', way: 'direct' })
      await expectParity(hub, { check: checkRefusal, ...one })
      hub.write(hub.home.vaultMembers('default'), {})
      expect(await listed(hub, {}, { as: 'admin', way: 'direct' })).toEqual(before)
    })
  }
}

describe('the doors, gate on', () => {
  useHub('on')
  describeDoors(() => hub)
})

describe.each(DATABASES)('mints on %s, gate on', (database) => {
  useHub('on', database)
  for (const one of GOOD_MINTS) verifies(one.rules ?? [], one.name, () => expectParity(hub, one))
  refusedMints(BAD_MINTS)
  refusedMints(ORDERED_MINTS)
  refusedMints(AMBIGUOUS_MINTS, () => {
    const scope_overrides = { [hub.credentials.token_ids.editor]: { ambiguous: true } }
    hub.write(hub.home.vaultMembers('default'), { scope_overrides })
  })
  refusedMints(SHUT_MINTS.slice(1), () => {
    turnGate(hub, '0')
    writePolicy(hub, { forbidden: true })
  })

  verifies(
    ['GATE-012', 'GATE-170', 'GATE-050'],
    'MCP, REST and CLI mint the same grant, down to the hash of its actor',
    async () => {
      clock.now = new Date('2026-11-15T08:00:00Z')
      const minted = []
      for (const way of SURFACES)
        minted.push(await mint(hub, { actor_label: 'bot', ttl_seconds: 90 }, { way }))
      const grants = minted.map(({ grant: { grant_id: _id, ...grant } }) => grant)
      expect(grants[1]).toEqual(grants[0])
      expect(grants[2]).toEqual(grants[0])
      const issuer = hub.credentials.token_ids.editor
      expect(grants[0]?.actor_hash).toBe(hash('sha256', `bot|default|${issuer}`))
      expect(new Set(minted.map(({ bearer }) => bearer)).size).toBe(3)
      for (const { grant } of minted)
        for (const way of SURFACES) expect(await listed(hub, {}, { way })).toContainEqual(grant)
    },
  )

  verifies('GATE-171', 'MCP, REST and CLI render the same bundle, of starters and of our own', async () => {
    const own = { flow_id: GATE_FLOW.flow.flow_id, harness: 'agent_bundle', version: '1.2.0' }
    await expectAlike({ operation: 'flow_project', input: own, status: 200 })
    for (const { flow } of STARTERS) {
      const input = { flow_id: flow.flow_id, harness: 'agent_bundle' }
      await expectAlike({ operation: 'flow_project', as: 'admin', input, status: 200 })
    }
  })
})

describe('mints, gate off', () => {
  useHub('off')
  refusedMints(SHUT_MINTS.slice(0, 1))
  describeShutDoors(() => hub)

  verifies(['GATE-162', 'GATE-172'], 'the three surfaces say the same two codes', async () => {
    const codes = []
    for (const way of SURFACES) {
      const bundle = await ask(hub, BUNDLE.operation, BUNDLE.input, { way })
      const minted = await ask(hub, MINT.operation, MINT.input, { way })
      codes.push([bundle.text, minted.text])
      expect([bundle.code, minted.code]).toEqual(['FLOW_HARNESS_UNSUPPORTED', 'FLOW_EXTERNAL_AGENT_DISABLED'])
    }
    expect(codes[1]).toEqual(codes[0])
    expect(codes[2]).toEqual(codes[0])
  })

  verifies('GATE-014', 'the path of the list is no flow, gate off either', async () => {
    expect(await rest(hub, 'GET', GRANTS)).toMatchObject({
      status: 403,
      body: { code: 'FLOW_EXTERNAL_AGENT_DISABLED' },
    })
  })

  verifies('GATE-130', 'a bundle is unsupported, hosted too, whatever flow is asked for', async () => {
    for (const flow_id of ['flow_gate', 'flow_nope'])
      for (const at of [{}, { as: 'gateway' as const, gateway: gateway.url }])
        await expectAlike({
          operation: 'flow_project',
          input: { flow_id, harness: 'agent_bundle' },
          status: 400,
          code: 'FLOW_HARNESS_UNSUPPORTED',
          check: checkRefusal,
          ...at,
        })
  })
})

describe('the codes, on every surface', () => {
  useHub('on')
  for (const { rule, code, status, provoke } of CODES)
    verifies(rule, `${code} with ${status}`, async () => {
      for (const one of await provoke({ hub, gateway: gateway.url, moveClock }))
        await expectAlike({ ...one, code, status, check: checkRefusal })
    })
})

describe('the policy, gate on and off', () => {
  useHub('on')
  describePolicy(() => hub, ALLOWED_TOOLS)
})

describe('the conditions of an invoke', () => {
  useHub('on')
  describeConditions(() => ({ hub, clock, gateway: gateway.url }))

  verifies('GATE-109', 'an accepted invoke answers with exactly its keys', async () => {
    const { presented, grant } = await mint(hub)
    await expectAlike({
      operation: 'flow_external_tool_invoke',
      input: USE,
      presented,
      status: 200,
      check: (body) =>
        expect(body).toEqual({
          schema: 'knowtation.flow_external_tool_invoke/v0',
          tool_id: 'web_search',
          accepted: true,
          grant_id: grant.grant_id,
        }),
    })
  })

  verifies('GATE-112', 'the gate turns the harness on and off while the hub runs', async () => {
    for (const [value, status] of [
      ['0', 400],
      ['1', 200],
      ['0', 400],
      ['true', 200],
    ] as const) {
      turnGate(hub, value)
      const answer = await ask(hub, BUNDLE.operation, BUNDLE.input)
      expect([value, answer.status, answer.code]).toEqual([
        value,
        status,
        status === 200 ? undefined : 'FLOW_HARNESS_UNSUPPORTED',
      ])
      if (status === 200) expect(bundleIn(answer).grant_required).toBe(true)
    }
  })
})

// What the tables of this tier prove, rule by rule.
test('the tables of this tier cite these rules', () => {
  expect(
    citedRules('code-cases.ts', 'condition-cases.ts', 'door-cases.ts', 'mint-cases.ts', 'policy-cases.ts'),
  ).toEqual([
    'FLOW-053',
    'FLOW-062',
    'FLOW-071',
    'FLOW-074',
    'GATE-005',
    'GATE-006',
    'GATE-007',
    'GATE-008',
    'GATE-009',
    'GATE-010',
    'GATE-011',
    'GATE-012',
    'GATE-013',
    'GATE-014',
    'GATE-015',
    'GATE-017',
    'GATE-018',
    'GATE-019',
    'GATE-020',
    'GATE-021',
    'GATE-022',
    'GATE-023',
    'GATE-024',
    'GATE-025',
    'GATE-026',
    'GATE-027',
    'GATE-030',
    'GATE-031',
    'GATE-032',
    'GATE-033',
    'GATE-034',
    'GATE-035',
    'GATE-045',
    'GATE-046',
    'GATE-047',
    'GATE-048',
    'GATE-049',
    'GATE-051',
    'GATE-052',
    'GATE-053',
    'GATE-057',
    'GATE-086',
    'GATE-087',
    'GATE-088',
    'GATE-089',
    'GATE-090',
    'GATE-091',
    'GATE-094',
    'GATE-095',
    'GATE-097',
    'GATE-098',
    'GATE-099',
    'GATE-100',
    'GATE-101',
    'GATE-102',
    'GATE-103',
    'GATE-104',
    'GATE-105',
    'GATE-106',
    'GATE-107',
    'GATE-108',
    'GATE-109',
    'GATE-147',
    'GATE-148',
    'GATE-149',
    'GATE-150',
    'GATE-151',
    'GATE-152',
    'GATE-153',
    'GATE-154',
    'GATE-155',
    'GATE-156',
    'GATE-157',
    'GATE-158',
    'GATE-159',
  ])
})
