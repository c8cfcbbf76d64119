import { hash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { GATE_FLOW, STARTERS } from './external-agent/bundles.ts'
import { BUNDLE, CODES, checkRefusal, LIST, MINT } from './external-agent/code-cases.ts'
import { describeConditions } from './external-agent/condition-cases.ts'
import {
  ALLOWED_TOOLS,
  ask,
  bundleIn,
  listed,
  MINT_INPUT,
  mint,
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
  maskMint,
  ORDERED_MINTS,
  SHUT_MINTS,
} from './external-agent/mint-cases.ts'
import { describePolicy } from './external-agent/policy-cases.ts'
import { runInProcess } from './harness/call-cli.ts'
import { connectClient } from './harness/call-mcp.ts'
import { type Clock, DATABASES, type TestHub } from './harness/test-hub.ts'
import { expectParity, maskTimes, type ParityCase } from './parity/parity-case.ts'
import { verifies } from './requirements/verifies.ts'

const SURFACES = ['rest', 'mcp', 'cli'] as const
const GRANTS = '/api/v1/flows/external-grants'
const clock: Clock = {}
let hub: TestHub
let gateway: { url: string; close(): Promise<void> }

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

async function rest(method: string, path: string, body?: object) {
  const response = await fetch(`${hub.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${hub.credentials.bearers.editor}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as any }
}

describe('the doors, gate on', () => {
  useHub('on')

  verifies('GATE-005', 'MCP lists the tools of grants, and the harness of bundles', async () => {
    const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers.editor)
    const { tools } = await client.listTools()
    await client.close()
    const schemaOf = (name: string): any => tools.find((one) => one.name === name)?.inputSchema
    for (const verb of ['mint', 'revoke', 'list'])
      expect(schemaOf(`flow_external_grant_${verb}`)).toMatchObject({ type: 'object', properties: {} })
    expect(schemaOf('flow_project').properties.harness.enum).toContain('agent_bundle')
  })

  verifies(['GATE-006', 'GATE-007', 'GATE-010'], 'REST mints, revokes and renders at its paths', async () => {
    const { flow_id: _path, ...body } = MINT_INPUT
    const minted = await rest('POST', '/api/v1/flows/flow_gate/external-grants', body)
    expect([minted.status, minted.body.schema]).toEqual([201, 'knowtation.flow_external_grant_mint/v0'])
    const revoked = await rest('DELETE', `${GRANTS}/${minted.body.grant.grant_id}`)
    expect(revoked).toMatchObject({ status: 200, body: { schema: 'knowtation.flow_external_grant/v0' } })
    expect({ ...revoked.body, revoked_at: null }).toEqual(minted.body.grant)
    expect(revoked.body.revoked_at).not.toBeNull()
    const rendered = await rest(
      'GET',
      '/api/v1/flows/flow_gate/projection?harness=agent_bundle&version=1.2.0',
    )
    expect(rendered).toMatchObject({
      status: 200,
      body: {
        schema: 'knowtation.flow_project/v0',
        projection: { harness: 'agent_bundle', flow_version: '1.2.0' },
      },
    })
  })

  verifies(['GATE-008', 'GATE-009', 'GATE-014'], 'REST lists the grants, of one flow if asked', async () => {
    const first = await mint(hub)
    const other = await mint(hub, { flow_id: 'flow_project_only' })
    const all = await rest('GET', GRANTS)
    expect([all.status, Object.keys(all.body)]).toEqual([200, ['schema', 'vault_id', 'grants']])
    expect(all.body.schema).toBe('knowtation.flow_external_grant_list/v0')
    expect(all.body.grants).toEqual(expect.arrayContaining([first.grant, other.grant]))
    for (const grant of all.body.grants) expect(grant.schema).toBe('knowtation.flow_external_grant/v0')
    const one = await rest('GET', `${GRANTS}?flow_id=flow_project_only`)
    expect(one.body.grants).toEqual([other.grant])
    await expectAlike({ ...LIST, status: 200, input: { flow_id: 'flow_project_only' } })
  })

  verifies('GATE-011', 'the command line has the same four commands and documents', async () => {
    const env = { KNOWTATION_TOKEN: hub.credentials.bearers.editor }
    const run = async (...words: string[]) => {
      const { exit, stdout } = await runInProcess([...words, '--json', '--url', hub.url], env)
      expect([words, exit]).toEqual([words, 0])
      return JSON.parse(stdout)
    }
    const wanted = ['--flow-version', '1.2.0', '--requested-tools', 'web_search']
    const minted = await run('flow', 'grant', 'mint', 'flow_gate', ...wanted)
    const { body } = await rest('POST', '/api/v1/flows/flow_gate/external-grants', MINT_INPUT)
    expect(maskMint(JSON.stringify(minted))).toBe(maskMint(JSON.stringify(body)))
    expect(await run('flow', 'grant', 'list')).toEqual((await rest('GET', GRANTS)).body)
    const { grant_id } = minted.grant
    const revoked = await run('flow', 'grant', 'revoke', grant_id)
    expect(revoked).toEqual((await rest('DELETE', `${GRANTS}/${grant_id}`)).body)
    const projected = await run('flow', 'project', 'flow_gate', '--harness', 'agent_bundle')
    const same = await rest('GET', '/api/v1/flows/flow_gate/projection?harness=agent_bundle')
    expect(maskTimes(JSON.stringify(projected))).toBe(maskTimes(JSON.stringify(same.body)))
  })

  verifies('GATE-015', 'the served description has the five routes with their codes', async () => {
    const { paths } = (await (await fetch(`${hub.url}/openapi.json`)).json()) as any
    const grants = '/api/v1/flows/{flow_id}/external-grants'
    const codes = {
      [`post ${grants}`]: ['FLOW_EXTERNAL_TOOL_UNKNOWN', 'FLOW_EXTERNAL_TOOL_DENIED'],
      [`delete ${GRANTS}/{grant_id}`]: ['unknown_grant', 'FLOW_EXTERNAL_GRANT_DENIED'],
      [`get ${GRANTS}`]: ['FLOW_EXTERNAL_AGENT_DISABLED', 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN'],
      'post /api/v1/flows/external-tools/{tool_id}/invoke': [
        'FLOW_EXTERNAL_GRANT_REVOKED',
        'FLOW_EXTERNAL_GRANT_EXPIRED',
      ],
      'get /api/v1/flows/{flow_id}/projection': [
        'FLOW_HARNESS_UNSUPPORTED',
        'FLOW_HOSTED_PROJECTION_DISABLED',
      ],
    }
    for (const [route, named] of Object.entries(codes)) {
      const [method = '', path = ''] = route.split(' ')
      const text = JSON.stringify(paths[path]?.[method]?.responses)
      for (const code of named) expect(text, route).toContain(code)
    }
    const { parameters } = paths['/api/v1/flows/{flow_id}/projection'].get
    const harness = parameters.find((one: { name: string }) => one.name === 'harness')
    expect(harness.schema.enum).toContain('agent_bundle')
  })

  verifies('GATE-019', 'a body that names another flow than the path is refused', async () => {
    const before = await listed(hub)
    const path = '/api/v1/flows/flow_project_only/external-grants'
    expect(await rest('POST', path, MINT_INPUT)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
    expect(await listed(hub)).toEqual(before)
  })

  verifies('GATE-022', 'a flow that cannot be seen is missing, to the byte', async () => {
    for (const way of SURFACES) {
      const [unseen, missing] = await Promise.all(
        ['flow_higher', 'flow_nope'].map((flow_id) =>
          ask(hub, 'flow_external_grant_mint', { ...MINT_INPUT, flow_id }, { as: 'viewer', way }),
        ),
      )
      expect(unseen).toEqual(missing)
      expect(unseen).toMatchObject({ code: 'unknown_flow', ...(way === 'rest' && { status: 404 }) })
    }
  })

  test('a command line without a flow is wrong usage, and nothing is minted', async () => {
    const words = ['flow', 'grant', 'mint', '--flow-version', '1.2.0', '--requested-tools', 'web_search']
    const env = { KNOWTATION_TOKEN: hub.credentials.bearers.editor }
    const before = await listed(hub)
    expect((await runInProcess([...words, '--json', '--url', hub.url], env)).exit).toBe(2)
    expect(await listed(hub)).toEqual(before)
  })
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

  verifies('GATE-172', 'the three surfaces say the same two codes', async () => {
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
    expect(await rest('GET', GRANTS)).toMatchObject({
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
  const moveClock = (seconds: number) => {
    clock.now = seconds === 0 ? undefined : new Date(Date.now() + seconds * 1_000)
  }
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
