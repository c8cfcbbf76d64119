import { allOperations } from '../../src/domains/index.ts'
import type { Operation } from '../../src/operations/define-operation.ts'
import { buildRegistry, pathParameters } from '../../src/operations/registry.ts'
import { GATE_FLAGS } from '../../src/platform/policy/gates.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { AGENT_ROUTES } from './agent-routes.fixture.ts'
import { PIN_ROUTES } from './pin-routes.fixture.ts'
import { POLICY_ROUTES } from './policy-routes.fixture.ts'
import { codeOf, type Received, type Sent } from './rest-hub.fixture.ts'
import { SOURCE_ROUTES } from './source-routes.fixture.ts'

export const registry = buildRegistry(allOperations)

/** Every operation that has a route. */
export const routed: readonly Operation[] = [...registry.values()].filter(({ rest }) => rest !== undefined)

/** Who may call a route, written out once more: a route whose rights change must change here too. */
export type Needs =
  | 'read'
  | 'write'
  | 'evaluate'
  | 'admin'
  | 'owner'
  | 'seat'
  | 'any_seat'
  | 'owner_surface'
  | 'owner_session'

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
const BOUNDARY_RUN = { run_id: `brun_${'0'.repeat(32)}` }
const APPROVAL = { approval_id: `appr_${'0'.repeat(16)}` }
const DIGEST = `sha256:${'0'.repeat(64)}`
const PRESENCE = { presence_id: `opres_${'0'.repeat(16)}` }
const CODE = { user_code: 'BCDF-GHJK' }
const CONNECTION = { connection_id: `conn_${'0'.repeat(24)}` }
const INTENT = { intent_id: `cint_${'0'.repeat(16)}` }
const NO_INTENT = '404 intent_not_found'
const NO_CONNECTION = '404 connector_instance_not_found'
const CONNECTOR = { connector_id: 'amazon' }
const NO_CONNECTIONS = '404 connection_not_found'
const SUBSCRIPTION = { subscription_id: `sub_${'0'.repeat(24)}` }
const NO_SUBSCRIPTION = '404 subscription_not_found'
const DRAFT = { intent: 'none', bundle: {} }

const expects = (needs: Needs, answer: string, input: Record<string, unknown> = {}): Expectation => ({
  needs,
  answer,
  input: () => input,
})

/** The tools: no credential of a vault opens one. */
const TOOLS = [
  'read_file',
  'write_file',
  'edit_file',
  'search_file',
  'count_matches',
  'list_files',
  'delete_file',
  'run_test',
  'run_lint',
  'git_status',
  'git_diff',
  'git_add',
  'git_commit',
  'git_push',
  'git_checkout',
  'install_dependencies',
  'install_package',
  'verify_binary',
  'system_ctl',
  'migrate_config',
  'search_knowledge',
  'find_usage',
  'get_related_tests',
  'get_system_map',
  'get_task_context',
]

export const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  flow_list: expects('read', '200'),
  flow_get: expects('read', '200', FLOW),
  flow_project: expects('read', '200', { ...FLOW, harness: 'cli_runbook' }),
  flow_export: expects('read', '200', FLOW),
  flow_check: expects('read', '400 FLOW_DRAFT_INVALID', { bundle: {} }),
  flow_tool_list: expects('read', '200'),
  flow_version_list: expects('read', '200', FLOW),
  flow_compare: expects('read', '200', FLOW),
  flow_text: expects('read', '200', FLOW),
  flow_read: expects('read', '400 FLOW_DRAFT_INVALID', { text: '{}' }),
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
  ...Object.fromEntries(TOOLS.map((name) => [name, expects('seat', '403 PermissionDenied')])),
  tool_session_create: expects('owner', '400 BAD_REQUEST', { service: '/no/such/folder' }),
  tool_list: expects('any_seat', '403 FORBIDDEN'),
  tool_session_list: expects('owner', '200'),
  tool_session_revoke: expects('owner', '404 unknown_tool_session', { session_id: `tses_${'0'.repeat(16)}` }),
  knowledge_status: expects('owner', '400 BAD_REQUEST', { project: '/no/such/folder' }),
  knowledge_index: expects('owner', '400 BAD_REQUEST', { project: '/no/such/folder' }),
  knowledge_export: expects('owner', '400 BAD_REQUEST', { project: '/no/such/folder', out: '/x.rag' }),
  knowledge_import: expects('owner', '400 BAD_REQUEST', { project: '/no/such/folder', from: '/x.rag' }),
  violation_list: expects('admin', '200'),
  alert_list: expects('admin', '200'),
  alert_acknowledge: expects('admin', '404 unknown_alert', { agent_id: 'ag_nope' }),
  lock_add: expects('owner', '201', { kind: 'agent', id: 'ag_nope' }),
  lock_list: expects('owner', '200'),
  lock_release: expects('owner', '404 unknown_lock', { kind: 'agent', id: 'ag_other' }),
  boundary_engines: expects('read', '200'),
  boundary_compose: expects('write', '400 SNAPSHOT_EMPTY', {
    tenant_id: 't-001',
    robot_id: 'r-001',
    objective: { type: 'site_plan', action: 'plan', payload: {} },
    snapshot: {},
  }),
  boundary_run: expects('write', '400 VALIDATION_ERROR', { engine: 'nope', input: {} }),
  boundary_show: expects('read', '404 unknown_execution', BOUNDARY_RUN),
  boundary_list: expects('read', '200'),
  boundary_cancel: expects('write', '404 unknown_execution', BOUNDARY_RUN),
  boundary_dead_letter_list: expects('admin', '200'),
  boundary_dead_letter_replay: expects('admin', '404 unknown_dead_letter', {
    dead_letter_id: `bdead_${'0'.repeat(24)}`,
  }),
  ledger_append: expects('write', '400 MISSING_LINEAGE', {
    tenant_id: 't-001',
    source: 'crm',
    type: 'signal',
    payload: {},
    depends_on: ['led-nope'],
  }),
  ledger_list: expects('read', '200'),
  ledger_show: expects('read', '404 unknown_ledger_entry', { ledger_id: 'led-nope' }),
  ledger_growth: expects('read', '200'),
  ledger_lineage: expects('read', '404 unknown_ledger_entry', { ledger_id: 'led-nope' }),
  ledger_verify: expects('admin', '200'),
  ledger_export: expects('admin', '404 unknown_tenant', { tenant_id: 't-001' }),
  owner_control: expects('owner_surface', '200'),
  owner_link_create: expects('owner_surface', '201'),
  owner_session_list: expects('owner_surface', '200'),
  owner_sign_out_everywhere: expects('owner_surface', '200'),
  owner_device_show: expects('owner_surface', '404 unknown_user_code', CODE),
  owner_device_approve: expects('owner_surface', '404 unknown_user_code', CODE),
  owner_device_deny: expects('owner_surface', '404 unknown_user_code', CODE),
  owner_agent_list: expects('owner_surface', '200'),
  owner_agent_revoke: expects('owner_surface', '404 unknown_agent', { agent_id: `oagt_${'0'.repeat(16)}` }),
  ...Object.fromEntries(
    POLICY_ROUTES.map(([name, answer, input]) => [name, expects('owner_surface', answer, input)]),
  ),
  owner_approval_list: expects('owner_surface', '200'),
  owner_approval_show: expects('owner_surface', '404 unknown_approval', APPROVAL),
  owner_approval_decide: expects('owner_surface', '404 unknown_approval', {
    ...APPROVAL,
    decision: 'deny',
    digest: DIGEST,
  }),
  ...PIN_ROUTES,
  ...AGENT_ROUTES,
  owner_presence_show: expects('owner_surface', '404 unknown_presence', PRESENCE),
  owner_presence_decide: expects('owner_surface', '404 unknown_presence', {
    ...PRESENCE,
    digest: '-',
    decision: 'refuse',
  }),
  owner_passkey_list: expects('owner_surface', '200'),
  owner_passkey_remove: expects('owner_surface', '404 unknown_passkey', {
    passkey_id: `opkey_${'0'.repeat(16)}`,
  }),
  owner_connector_template_list: expects('owner_surface', '200'),
  owner_connection_list: expects('owner_surface', '200'),
  owner_connection_show: expects('owner_surface', NO_CONNECTION, CONNECTION),
  owner_connection_rename: expects('owner_surface', NO_CONNECTION, { ...CONNECTION, display_name: 'x' }),
  owner_connector_rename: expects('owner_surface', NO_CONNECTIONS, { ...CONNECTOR, display_name: 'x' }),
  owner_connection_revoke: expects('owner_surface', NO_CONNECTION, CONNECTION),
  owner_connector_revoke: expects('owner_surface', NO_CONNECTIONS, CONNECTOR),
  owner_connection_reactivate: expects('owner_surface', NO_CONNECTION, CONNECTION),
  owner_connector_reactivate: expects('owner_surface', NO_CONNECTIONS, CONNECTOR),
  owner_connection_delete: expects('owner_surface', NO_CONNECTION, CONNECTION),
  owner_connector_delete: expects('owner_surface', NO_CONNECTIONS, CONNECTOR),
  owner_connection_run: expects('owner_surface', NO_CONNECTION, CONNECTION),
  owner_connector_run: expects('owner_surface', NO_CONNECTIONS, CONNECTOR),
  owner_run_list: expects('owner_surface', NO_CONNECTION, CONNECTION),
  owner_run_show: expects('owner_surface', NO_CONNECTION, { ...CONNECTION, run_id: 'run_nope' }),
  owner_run_watch: expects('owner_surface', NO_CONNECTION, { ...CONNECTION, run_id: 'run_nope' }),
  owner_run_cancel: expects('owner_session', '404 run_not_found', { run_id: 'run_nope' }),
  owner_run_live_list: expects('owner_session', '200'),
  ...SOURCE_ROUTES,
  owner_connection_diagnostics: expects('owner_surface', NO_CONNECTION, CONNECTION),
  owner_connector_diagnostics: expects('owner_surface', NO_CONNECTIONS, CONNECTOR),
  owner_connection_intent_create: expects('owner_surface', '201', {
    connector_id: 'nowhere',
  }),
  owner_intent_list: expects('owner_surface', '200'),
  owner_intent_show: expects('owner_surface', NO_INTENT, INTENT),
  owner_intent_cancel: expects('owner_surface', NO_INTENT, INTENT),
  owner_intent_authorize: expects('owner_session', NO_INTENT, INTENT),
  owner_intent_complete: expects('owner_session', NO_INTENT, INTENT),
  owner_authorization_finish: expects('owner_session', '400 oauth_state_invalid', { callback_url: 'x' }),
  owner_collector_enroll: expects('owner_session', '400 enrollment_code_invalid', {
    code: 'lde_nope',
    folder: '/',
  }),
  owner_device_list: expects('owner_session', '200'),
  owner_event_list: expects('owner_session', '200'),
  owner_event_verify: expects('owner_session', '200'),
  event_subscription_create: expects('owner_surface', '400 invalid_callback_url', {
    callback_url: 'http://example.org/',
  }),
  event_subscription_list: expects('owner_surface', '200'),
  event_subscription_show: expects('owner_surface', NO_SUBSCRIPTION, SUBSCRIPTION),
  event_subscription_update: expects('owner_surface', NO_SUBSCRIPTION, {
    ...SUBSCRIPTION,
    status: 'disabled',
  }),
  event_subscription_delete: expects('owner_surface', NO_SUBSCRIPTION, SUBSCRIPTION),
  event_subscription_test: expects('owner_surface', NO_SUBSCRIPTION, SUBSCRIPTION),
  event_subscription_events: expects('owner_surface', NO_SUBSCRIPTION, SUBSCRIPTION),
  whoami: expects('read', '200'),
  doctor: expects('owner', '200'),
  audit_list: expects('admin', '200'),
  audit_histogram: expects('admin', '200'),
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
