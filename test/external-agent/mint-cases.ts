import { expect } from 'vitest'
import type { ParityCase } from '../parity/parity-case.ts'
import type { RuleId } from '../requirements/rule-ids.ts'
import { MINT_INPUT } from './gate-hub.ts'

/** Takes out of a mint's answer what no two mints share. */
export function maskMint(text: string): string {
  return text
    .replace(/fgrnt_bearer_[A-Za-z0-9_-]+/g, 'BEARER')
    .replace(/fgrnt_[a-z0-9_]+/g, 'GRANT')
    .replace(/"(issued_at|expires_at|revoked_at)":"[^"]+"/g, '"$1":"…"')
}

const WRONG_USAGE = 'wrong usage on a command line: exit 2, before any call'
const NO_SUCH_FLAG = 'the command has no such flag'
const LIST_OF_ONE = 'on a command line this is a list of one'

const mint = { operation: 'flow_external_grant_mint', as: 'editor', mask: maskMint } as const

/** A mint that everyone must refuse alike. */
function refused(
  rule: RuleId,
  name: string,
  changes: object,
  code: string,
  status: number,
  more: Partial<ParityCase> = {},
): ParityCase {
  const input = { ...MINT_INPUT, ...changes }
  return { ...mint, rules: [rule], name, input, code, status, ...more }
}

const { flow_id: _flow, ...NO_FLOW } = MINT_INPUT
const { flow_version: _version, ...NO_VERSION } = MINT_INPUT
const { requested_tools: _tools, ...NO_TOOLS } = MINT_INPUT
const onlyOn = (reason: string) => ({ notOn: { cli: reason } })

export const BAD_MINTS: readonly ParityCase[] = [
  { ...refused('GATE-017', 'no version', {}, 'BAD_REQUEST', 400, onlyOn(WRONG_USAGE)), input: NO_VERSION },
  {
    ...refused('GATE-018', 'no flow', {}, 'BAD_REQUEST', 400, {
      notOn: { rest: "the path is the flow's id", cli: WRONG_USAGE },
    }),
    input: NO_FLOW,
  },
  ...['1.2', 'latest', 'v1.2.0', '1.2.0-rc.1', '01.2.0', ''].map((flow_version) =>
    refused('GATE-020', `the version '${flow_version}'`, { flow_version }, 'BAD_REQUEST', 400),
  ),
  { ...refused('GATE-021', 'no tools', {}, 'BAD_REQUEST', 400, onlyOn(WRONG_USAGE)), input: NO_TOOLS },
  refused(
    'GATE-021',
    'tools as text',
    { requested_tools: 'web_search' },
    'BAD_REQUEST',
    400,
    onlyOn(LIST_OF_ONE),
  ),
  refused('GATE-021', 'an empty list', { requested_tools: [] }, 'BAD_REQUEST', 400),
  refused(
    'GATE-021',
    'a hundred and one tools',
    { requested_tools: Array(101).fill('web_search') },
    'BAD_REQUEST',
    400,
  ),
  refused(
    'GATE-021',
    'a tool without a name among them',
    { requested_tools: ['web_search', ''] },
    'BAD_REQUEST',
    400,
  ),
  refused(
    'GATE-021',
    'a tool whose name is longer than any',
    { requested_tools: ['x'.repeat(257)] },
    'BAD_REQUEST',
    400,
  ),
  refused('GATE-027', 'a label of 257 signs', { actor_label: 'x'.repeat(257) }, 'BAD_REQUEST', 400),
  ...[0, -5, 1.5, 'x'].map((ttl_seconds) =>
    refused('GATE-026', `a lifetime of ${ttl_seconds}`, { ttl_seconds }, 'BAD_REQUEST', 400, {
      ...(ttl_seconds !== 0 && onlyOn(WRONG_USAGE)),
    }),
  ),
  refused('GATE-023', 'a version that is not there', { flow_version: '9.9.9' }, 'unknown_flow', 404),
  refused(
    'GATE-030',
    'an undeclared tool',
    { requested_tools: ['other'] },
    'FLOW_EXTERNAL_TOOL_UNKNOWN',
    400,
  ),
  refused(
    'GATE-031',
    'a declared tool that is not listed',
    { requested_tools: ['pager_call'] },
    'FLOW_EXTERNAL_TOOL_DENIED',
    403,
  ),
  refused(
    'GATE-032',
    'an unlisted and an undeclared tool, in this order',
    { requested_tools: ['pager_call', 'other'] },
    'FLOW_EXTERNAL_TOOL_UNKNOWN',
    400,
  ),
  refused(
    'GATE-034',
    'a good and an undeclared tool',
    { requested_tools: ['web_search', 'other'] },
    'FLOW_EXTERNAL_TOOL_UNKNOWN',
    400,
  ),
  refused(
    'GATE-034',
    'a good and an unlisted tool',
    { requested_tools: ['web_search', 'pager_call'] },
    'FLOW_EXTERNAL_TOOL_DENIED',
    403,
  ),
  refused(
    'GATE-091',
    'a tool that only another version declares',
    { requested_tools: ['late_tool'] },
    'FLOW_EXTERNAL_TOOL_UNKNOWN',
    400,
  ),
  refused(
    'GATE-094',
    'a tool that the steps only talk about',
    { flow_id: 'flow_malicious', flow_version: '1.0.0' },
    'FLOW_EXTERNAL_TOOL_UNKNOWN',
    400,
  ),
  refused(
    'GATE-095',
    'a tool that is declared as something else',
    { flow_id: 'flow_cli_only', flow_version: '1.0.0' },
    'FLOW_EXTERNAL_TOOL_UNKNOWN',
    400,
  ),
]

const CHECKED_LATER = { flow_id: 'flow_nope', requested_tools: ['other'] }

/** Each has two faults; the one that the contract checks first is told. The scope is ambiguous in the first ones. */
export const AMBIGUOUS_MINTS: readonly ParityCase[] = [
  refused('GATE-033', 'the form of the version first', { flow_version: '1' }, 'BAD_REQUEST', 400),
  refused('GATE-033', 'the form of the tools next', { requested_tools: [] }, 'BAD_REQUEST', 400),
  refused('GATE-033', 'an ambiguous scope before the lookup', CHECKED_LATER, 'FLOW_SCOPE_AMBIGUOUS', 400),
]
export const ORDERED_MINTS: readonly ParityCase[] = [
  refused('GATE-033', 'the lookup before the tools', CHECKED_LATER, 'unknown_flow', 404),
  ...[
    ['other', 'FLOW_EXTERNAL_TOOL_UNKNOWN', 400] as const,
    ['pager_call', 'FLOW_EXTERNAL_TOOL_DENIED', 403] as const,
    ['web_search', 'FLOW_EXTERNAL_GRANT_DENIED', 403] as const,
  ].map(([wanted, code, status]) =>
    refused('GATE-033', `${wanted} to a viewer`, { requested_tools: [wanted] }, code, status, {
      as: 'viewer',
    }),
  ),
]
/** With a fault of the body as well, so that only the order can explain the code. */
export const SHUT_MINTS = (
  ['FLOW_EXTERNAL_AGENT_DISABLED', 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN'] as const
).map((code) => refused('GATE-033', `${code} before the body`, { flow_version: '1' }, code, 403))

/** A mint that everyone must grant alike. */
function granted(
  rules: RuleId[],
  name: string,
  changes: object,
  check: ParityCase['check'],
  more: object = {},
) {
  return {
    ...mint,
    rules,
    name,
    input: { ...MINT_INPUT, ...changes },
    status: 201,
    check,
    ...more,
  } as ParityCase
}

const lifetime_seconds = ({ grant }: { grant: { issued_at: string; expires_at: string } }) =>
  (Date.parse(grant.expires_at) - Date.parse(grant.issued_at)) / 1_000

export const GOOD_MINTS: readonly ParityCase[] = [
  granted(['GATE-006', 'GATE-035'], 'the answer has its schema and exactly its keys', {}, (body) => {
    expect(Object.keys(body)).toEqual(['schema', 'grant', 'bearer', 'expires_at'])
    expect(body.schema).toBe('knowtation.flow_external_grant_mint/v0')
  }),
  granted(['GATE-024'], 'an hour when no lifetime is asked for', {}, (body) =>
    expect(lifetime_seconds(body)).toBe(3_600),
  ),
  granted(['GATE-024'], 'the lifetime that is asked for', { ttl_seconds: 61 }, (body) =>
    expect(lifetime_seconds(body)).toBe(61),
  ),
  granted(['GATE-025'], 'a day at most', { ttl_seconds: 999_999 }, (body) =>
    expect(lifetime_seconds(body)).toBe(86_400),
  ),
  granted(['GATE-025'], 'a day at most, however much is asked for', { ttl_seconds: 2 ** 60 }, (body) =>
    expect(lifetime_seconds(body)).toBe(86_400),
  ),
  granted(
    ['GATE-046'],
    'tools once and in order',
    { requested_tools: ['beta', 'alpha', 'alpha'] },
    ({ grant }) => expect(grant.allowed_tools).toEqual(['alpha', 'beta']),
  ),
  granted(
    ['GATE-046'],
    'a hundred names of one tool, for someone with a long label',
    { requested_tools: Array(100).fill('web_search'), actor_label: 'x'.repeat(256) },
    ({ grant }) => expect(grant.allowed_tools).toEqual(['web_search']),
  ),
  granted(['GATE-051'], 'a hundred invocations, none of them used', {}, ({ grant }) =>
    expect([grant.max_invocations, grant.invocation_count]).toEqual([100, 0]),
  ),
  granted(['GATE-047'], 'for one harness', {}, ({ grant }) =>
    expect(grant.allowed_harnesses).toEqual(['agent_bundle']),
  ),
  granted(
    ['GATE-047', 'GATE-052'],
    'harnesses and invocations come from the hub, whatever the body says',
    { allowed_harnesses: ['cursor_rule'], max_invocations: 0 },
    ({ grant }) => expect([grant.allowed_harnesses, grant.max_invocations]).toEqual([['agent_bundle'], 100]),
    onlyOn(NO_SUCH_FLAG),
  ),
  ...(
    [
      ['personal', 'flow_gate', 'editor'],
      ['project', 'flow_project_only', 'editor'],
      ['org', 'flow_higher', 'admin'],
    ] as const
  ).map(([scope, flow_id, as]) =>
    granted(['GATE-045'], `a ${scope} flow`, { flow_id }, ({ grant }) => expect(grant.scope).toBe(scope), {
      as,
      ...(as === 'admin' && { notOn: { home: 'its caller has another id, so another actor_hash' } }),
    }),
  ),
  granted(
    ['GATE-091'],
    'a tool for the version that declares it',
    { flow_version: '1.3.0', requested_tools: ['late_tool'] },
    ({ grant }) => expect(grant.allowed_tools).toEqual(['late_tool']),
  ),
]
