import { afterAll, beforeAll, describe, expect } from 'vitest'
import { signGatewayJwt, type Who } from '../harness/callers.ts'
import { DATABASES, startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { expectParity, type ParityCase } from './parity-case.ts'
import { SAMPLE_FLOWS } from './sample-flows.ts'

const HOME = { home: "the home's own files are opened as the one who runs the hub, whom no override names" }

function scopesOf({ flows }: { flows: { scope: string }[] }): string[] {
  return [...new Set(flows.map((flow) => flow.scope))].toSorted()
}

/** A projection of a flow that is not there. */
function project(input: object) {
  return { operation: 'flow_project', input: { flow_id: 'flow_nope', ...input }, status: 400 }
}

describe.each(DATABASES)('scopes on %s', (database) => {
  let hub: TestHub
  beforeAll(async () => {
    hub = await startTestHub({ database })
    await storeFlows(hub.hub, 'default', SAMPLE_FLOWS)
  })
  afterAll(() => hub.close())

  /** Writes the owner's file of members; it counts from the next call. */
  function override(who: 'admin' | 'editor' | 'viewer', value: object): void {
    const scope_overrides = { [hub.credentials.token_ids[who]]: value }
    hub.write(hub.home.vaultMembers('default'), { scope_overrides })
  }

  function expectCase(
    as: Who,
    rest: Pick<ParityCase, 'operation' | 'status'> & Partial<ParityCase>,
  ): Promise<void> {
    const home = as === 'admin' ? { notOn: HOME } : {}
    return expectParity(hub, { name: '', as, ...home, ...rest })
  }

  verifies('FLOW-034', 'an override replaces the scopes of the role, down and up', async () => {
    override('admin', { scopes: ['personal'] })
    const company = { flow_id: 'flow_company' }
    await expectCase('admin', { operation: 'flow_get', input: company, status: 404, code: 'unknown_flow' })
    await expectCase('admin', {
      operation: 'flow_list',
      status: 200,
      check(body) {
        expect(scopesOf(body)).toEqual(['personal'])
        expect(body.effective_scope).toBe('personal')
      },
    })
    await expectCase('admin', {
      operation: 'flow_list',
      input: { scope: 'org' },
      status: 403,
      code: 'FLOW_SCOPE_DENIED',
    })
    override('viewer', { scopes: ['org'] })
    await expectCase('viewer', { operation: 'flow_get', input: company, status: 200 })
    await expectCase('viewer', {
      operation: 'flow_list',
      status: 200,
      check: (body) => expect(scopesOf(body)).toEqual(['org']),
    })
    await expectCase('viewer', {
      operation: 'flow_get',
      input: { flow_id: 'flow_two' },
      status: 404,
      code: 'unknown_flow',
    })
    await expectCase('admin', { operation: 'flow_get', input: company, status: 200 })
  })

  verifies('FLOW-034', 'an empty override leaves nothing to see', async () => {
    override('editor', { scopes: [] })
    await expectCase('editor', {
      operation: 'flow_list',
      status: 200,
      check: ({ flows }) => expect(flows).toEqual([]),
    })
    await expectCase('editor', {
      operation: 'flow_get',
      input: { flow_id: 'flow_two' },
      status: 404,
      code: 'unknown_flow',
    })
  })

  verifies('FLOW-034', 'an ambiguous override answers every flow read with its own code', async () => {
    override('editor', { ambiguous: true })
    const ambiguous = { status: 400, code: 'FLOW_SCOPE_AMBIGUOUS' }
    const one = { flow_id: 'flow_two' }
    await expectCase('editor', { operation: 'flow_list', ...ambiguous })
    await expectCase('editor', { operation: 'flow_get', input: one, ...ambiguous })
    await expectCase('editor', { operation: 'flow_export', input: one, ...ambiguous })
    await expectCase('editor', {
      operation: 'flow_project',
      input: { ...one, harness: 'cli_runbook' },
      ...ambiguous,
    })
    await expectCase('viewer', { operation: 'flow_get', input: one, status: 200 })
  })

  verifies('FLOW-042', 'an ambiguous scope comes after the forms and before the lookup', async () => {
    override('editor', { ambiguous: true })
    await expectCase('editor', { ...project({ harness: 'cli_runbook' }), code: 'FLOW_SCOPE_AMBIGUOUS' })
    await expectCase('editor', { ...project({ harness: 'cli_runbook', version: '1' }), code: 'BAD_REQUEST' })
    await expectCase('editor', { ...project({ harness: 'mcp_prompt' }), code: 'FLOW_HARNESS_UNSUPPORTED' })
  })

  verifies('FLOW-034', 'a damaged file of members shuts every flow read rather than opening it', async () => {
    hub.write(hub.home.vaultMembers('default'), 'scope_overrides: [')
    await expectCase('viewer', { operation: 'flow_list', status: 400, code: 'FLOW_SCOPE_AMBIGUOUS' })
    hub.write(hub.home.vaultMembers('default'), {})
    await expectCase('viewer', { operation: 'flow_list', status: 200 })
  })

  verifies('FLOW-033', 'a role nobody knows sees personal flows only', async () => {
    const bearer = await signGatewayJwt({ sub: 'bob', role: 'wizard', vault_ids: ['default'] })
    const response = await fetch(`${hub.url}/api/v1/flows`, {
      headers: { authorization: `Bearer ${bearer}` },
    })
    const body = (await response.json()) as { flows: { scope: string }[]; effective_scope: string }
    expect([response.status, body.effective_scope, scopesOf(body)]).toEqual([200, 'personal', ['personal']])
  })
})
