import { expect } from 'vitest'
import { describeParity, type ParityCase } from './parity-case.ts'

type Summary = { flow_id: string; version: string; scope: string; tags: string[]; updated: string }

const SUMMARY_KEYS = 'schema flow_id title version scope summary tags step_count updated truncated'
const STARTERS = {
  flow_capture_to_note: 'personal',
  flow_multi_repo_change: 'project',
  flow_overseer_handover: 'project',
  flow_research_brief: 'personal',
  flow_reviewed_writeback: 'personal',
  flow_session_to_flow: 'personal',
}

const keysOf = (value: object) => Object.keys(value).join(' ')
const idsOf = (flows: Summary[]) => flows.map((flow) => flow.flow_id)
const scopesOf = (flows: Summary[]) => [...new Set(flows.map((flow) => flow.scope))].toSorted()

const LISTS: ParityCase[] = [
  {
    name: 'a fresh vault lists exactly the six starter flows, at 0.1.0, with their scopes',
    rules: ['FLOW-019'],
    operation: 'flow_list',
    as: 'hub',
    vault: 'fresh',
    status: 200,
    check({ flows }) {
      expect(Object.fromEntries(flows.map((flow: Summary) => [flow.flow_id, flow.scope]))).toEqual(STARTERS)
      expect(flows.every((flow: Summary) => flow.version === '0.1.0')).toBe(true)
      expect(flows).toHaveLength(6)
    },
  },
  {
    name: 'a list has exactly its five keys',
    rules: ['FLOW-026', 'FLOW-037'],
    operation: 'flow_list',
    as: 'editor',
    status: 200,
    check(body) {
      expect(keysOf(body)).toBe('schema vault_id effective_scope flows truncated')
      expect(body).toMatchObject({ schema: 'knowtation.flow_list/v0', vault_id: 'default', truncated: false })
    },
  },
  {
    name: 'a summary has its keys and stands for the latest version only',
    rules: ['FLOW-027'],
    operation: 'flow_list',
    as: 'editor',
    status: 200,
    check({ flows }) {
      for (const flow of flows) expect(keysOf(flow)).toBe(SUMMARY_KEYS)
      const two = flows.filter((flow: Summary) => flow.flow_id === 'flow_two')
      expect(two).toMatchObject([{ version: '1.1.0', step_count: 2, tags: ['alpha'] }])
      expect(flows.filter((flow: Summary) => flow.flow_id === 'flow_ten')).toMatchObject([
        { version: '1.10.0' },
      ])
      expect(new Set(idsOf(flows)).size).toBe(flows.length)
      // A summary says of a flow what reading it would: that it has more steps than are shown.
      const cut = flows.filter((flow: { truncated: boolean }) => flow.truncated)
      expect(cut).toMatchObject([{ flow_id: 'flow_long', step_count: 101 }])
    },
  },
  {
    name: 'flows come newest first by the moment meant, then by id',
    rules: ['FLOW-028'],
    operation: 'flow_list',
    as: 'admin',
    status: 200,
    check({ flows }) {
      const own = idsOf(flows).filter((id) => !Object.hasOwn(STARTERS, id))
      expect(own).toEqual([
        'flow_tie_a',
        'flow_tie_b',
        'flow_offset',
        'flow_grown',
        'flow_company',
        'flow_two',
        'flow_bare',
        'flow_brim',
        'flow_hostile',
        'flow_huge',
        'flow_long',
        'flow_ten',
      ])
      const order = flows.map((flow: Summary) => [-Date.parse(flow.updated), flow.flow_id] as const)
      const sorted = order.toSorted(
        (a: [number, string], b: [number, string]) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1),
      )
      expect(order).toEqual(sorted)
    },
  },
  {
    name: 'a tag narrows the list to flows whose latest version has it',
    rules: ['FLOW-029'],
    operation: 'flow_list',
    input: { tag: 'alpha' },
    as: 'editor',
    status: 200,
    check: ({ flows }) => expect(idsOf(flows)).toEqual(['flow_two', 'flow_ten']),
  },
  {
    name: 'a tag that only an older version had finds nothing',
    rules: ['FLOW-027', 'FLOW-029'],
    operation: 'flow_list',
    input: { tag: 'beta' },
    as: 'editor',
    status: 200,
    check: ({ flows, truncated }) => expect([flows, truncated]).toEqual([[], false]),
  },
  {
    name: 'a limit cuts the list and says so',
    rules: ['FLOW-029'],
    operation: 'flow_list',
    input: { limit: 1 },
    as: 'editor',
    status: 200,
    check: ({ flows, truncated }) => expect([flows.length, truncated]).toEqual([1, true]),
  },
  {
    name: 'a scope narrows the list and becomes the effective scope',
    rules: ['FLOW-029', 'FLOW-036'],
    operation: 'flow_list',
    input: { scope: 'personal' },
    as: 'editor',
    status: 200,
    check({ flows, effective_scope }) {
      expect(effective_scope).toBe('personal')
      expect(scopesOf(flows)).toEqual(['personal'])
      expect(idsOf(flows)).toContain('flow_two')
    },
  },
  {
    name: 'a scope shows no flow whose latest visible version lies elsewhere',
    rules: ['FLOW-029'],
    operation: 'flow_list',
    input: { scope: 'personal' },
    as: 'admin',
    status: 200,
    check: ({ flows }) => expect(idsOf(flows)).not.toContain('flow_grown'),
  },
  {
    name: 'all three inputs together',
    operation: 'flow_list',
    input: { scope: 'project', tag: 'alpha', limit: 5 },
    as: 'admin',
    status: 200,
    check: ({ flows }) => expect(idsOf(flows)).toEqual(['flow_ten']),
  },
  ...(
    [
      ['admin', ['org', 'personal', 'project'], 'org'],
      ['editor', ['personal', 'project'], 'project'],
      ['gateway', ['personal', 'project'], 'project'],
      ['viewer', ['personal'], 'personal'],
      ['evaluator', ['personal'], 'personal'],
    ] as const
  ).map(
    ([as, scopes, highest]): ParityCase => ({
      name: `${as} sees the scopes ${scopes.join(', ')}, the highest being effective`,
      rules: ['FLOW-033', 'FLOW-036'],
      operation: 'flow_list',
      as,
      status: 200,
      check({ flows, effective_scope }) {
        expect(scopesOf(flows)).toEqual(scopes)
        expect(effective_scope).toBe(highest)
      },
    }),
  ),
  {
    name: 'a scope that does not exist is a bad request',
    rules: ['FLOW-031', 'FLOW-035'],
    operation: 'flow_list',
    input: { scope: 'galaxy' },
    as: 'viewer',
    code: 'BAD_REQUEST',
    status: 400,
    check: (body) => expect(keysOf(body)).toBe('error code'),
  },
  {
    name: 'a scope beyond the caller is denied',
    rules: ['FLOW-031', 'FLOW-035'],
    operation: 'flow_list',
    input: { scope: 'org' },
    as: 'viewer',
    code: 'FLOW_SCOPE_DENIED',
    status: 403,
    check: (body) => expect(keysOf(body)).toBe('error code'),
  },
  {
    name: 'a list beyond 200 flows is cut there and says so',
    rules: ['FLOW-022'],
    operation: 'flow_list',
    as: 'hub',
    vault: 'many',
    status: 200,
    check: ({ flows, truncated }) => expect([flows.length, truncated]).toEqual([200, true]),
  },
  {
    name: 'a list of exactly 200 flows is whole',
    rules: ['FLOW-022'],
    operation: 'flow_list',
    as: 'hub',
    vault: 'brim',
    status: 200,
    check: ({ flows, truncated }) => expect([flows.length, truncated]).toEqual([200, false]),
  },
  {
    name: 'a limit over the cap is a bad request',
    operation: 'flow_list',
    input: { limit: 201 },
    as: 'viewer',
    code: 'BAD_REQUEST',
    status: 400,
  },
]

describeParity('flow_list', LISTS)
