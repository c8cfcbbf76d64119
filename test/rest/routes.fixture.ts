import { allOperations } from '../../src/domains/index.ts'
import type { Operation } from '../../src/operations/define-operation.ts'
import { buildRegistry, pathParameters } from '../../src/operations/registry.ts'
import { GATE_FLAGS } from '../../src/platform/policy/gates.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { codeOf, type Received, type Sent } from './rest-hub.fixture.ts'

export const registry = buildRegistry(allOperations)

/** Every operation that has a route. */
export const routed: readonly Operation[] = [...registry.values()].filter(({ rest }) => rest !== undefined)

/** Who may call a route, written out once more: a route whose rights change must change here too. */
export type Needs = 'read' | 'write' | 'evaluate' | 'admin' | 'owner'

export interface Expectation {
  needs: Needs
  /** The status, and the code of a refusal, that everyone gets who may call it. */
  answer: string
  input: (hub: TestHub) => Record<string, unknown>
}

/** Every gate open: a matrix behind shut gates would show the gates and nothing else. */
export const OPEN_GATES = Object.fromEntries(GATE_FLAGS.map((flag) => [flag, '1']))

const FLOW = { flow_id: 'flow_research_brief' }
const PROPOSAL = { proposal_id: 'prop_nope' }
const STEP = { ...FLOW, run_id: 'run_nope', step_id: 'flow_research_brief#1' }
const DRAFT = { intent: 'none', bundle: {} }

const expects = (needs: Needs, answer: string, input: Record<string, unknown> = {}): Expectation => ({
  needs,
  answer,
  input: () => input,
})

export const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  flow_list: expects('read', '200'),
  flow_get: expects('read', '200', FLOW),
  flow_project: expects('read', '200', { ...FLOW, harness: 'cli_runbook' }),
  flow_export: expects('read', '200', FLOW),
  flow_check: expects('read', '400 FLOW_DRAFT_INVALID', { bundle: {} }),
  flow_propose: expects('read', '400 FLOW_DRAFT_INVALID', DRAFT),
  flow_propose_edit: expects('read', '400 FLOW_DRAFT_INVALID', { ...FLOW, ...DRAFT }),
  flow_import: expects('read', '400 FLOW_IMPORT_BUNDLE_MALFORMED', DRAFT),
  proposal_list: expects('read', '200'),
  proposal_show: expects('read', '404 unknown_proposal', PROPOSAL),
  proposal_evaluate: expects('evaluate', '404 unknown_proposal', { ...PROPOSAL, outcome: 'pass' }),
  proposal_approve: expects('admin', '404 unknown_proposal', PROPOSAL),
  proposal_discard: expects('admin', '404 unknown_proposal', PROPOSAL),
  flow_run_start: expects('write', '404 unknown_flow', { flow_id: 'flow_nope' }),
  flow_run_list: expects('read', '200', FLOW),
  flow_run_get: expects('read', '404 unknown_run', { ...FLOW, run_id: 'run_nope' }),
  flow_run_advance: expects('write', '404 unknown_run', { ...STEP, to_status: 'done' }),
  flow_run_evidence: expects('write', '404 unknown_run', { ...STEP, pointer_kind: 'artifact', ref: 'a/b' }),
  flow_run_submit_review: expects('evaluate', '404 unknown_run', { ...STEP, outcome: 'pass' }),
  flow_run_execute: expects('write', '403 FLOW_EXECUTION_CONSENT_REQUIRED', STEP),
  flow_external_grant_mint: expects('read', '404 unknown_flow', {
    flow_id: 'flow_nope',
    flow_version: '1.0.0',
    requested_tools: ['echo'],
  }),
  flow_external_grant_list: expects('read', '200'),
  flow_external_grant_revoke: expects('read', '404 unknown_grant', { grant_id: 'fgrnt_nope' }),
  flow_external_tool_invoke: expects('read', '403 FLOW_EXTERNAL_GRANT_DENIED', { tool_id: 'echo' }),
  explain: expects('owner', '200', {
    ...FLOW,
    flow_version: '0.1.0',
    tool_id: 'echo',
    grant_id: 'fgrnt_nope',
  }),
  whoami: expects('read', '200'),
  doctor: expects('owner', '200'),
  audit_list: expects('admin', '200'),
  audit_export: expects('owner', '200'),
  audit_verify: expects('owner', '200'),
  token_create: expects('admin', '201', { role: 'viewer' }),
  token_list: expects('admin', '200'),
  token_revoke: {
    needs: 'admin',
    answer: '200',
    input: ({ credentials }) => ({ token_id: credentials.token_ids.evaluator }),
  },
}

/** What was answered, in the form of the expectations. */
export function answerOf({ status, text }: Received): string {
  return status < 400 ? `${status}` : `${status} ${codeOf({ text })}`
}

/** The expectation of an operation; one without is a hole in the matrix. */
export function requireExpectation({ name, rest }: Operation): Expectation {
  const found = EXPECTATIONS[name]
  if (!found) throw new Error(`${name} (${rest}) has no expectation in test/rest/routes.fixture.ts.`)
  return found
}

/** The HTTP request that calls an operation with its sample input. */
export function requestOf(operation: Operation, input: Record<string, unknown>): Sent {
  const [method = '', route = ''] = (operation.rest ?? '').split(' ')
  const inPath = pathParameters(route)
  const path = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const rest = Object.entries(input).filter(([name]) => !inPath.includes(name))
  if (method !== 'GET' && method !== 'DELETE')
    return { method, path, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = rest.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')
  return { method, path: query ? `${path}?${query}` : path }
}
