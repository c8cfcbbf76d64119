/** What a person can do about a code, and a sentence for codes whose text on the wire is the code itself. */
interface Advice {
  readonly hint: string
  readonly says?: string
}

const NEXT_GRANT = '`knowtation flow grant mint` makes another one.'
const GRANTED =
  '`knowtation flow grant list` shows what a grant is for; `knowtation explain` tells the owner why.'
const PROVIDER =
  'The lines above or the log of the hub tell more; the provider of a tool stands in policy.yaml of the vault.'
const RUN_STATE = '`knowtation flow run get` shows the step that the run is at, and what verifies it.'

const ADVICE: Readonly<Record<string, Advice>> = {
  BAD_REQUEST: { hint: 'Run the command with --help to see what it takes.' },
  UNAUTHENTICATED: {
    hint: 'Pass --token or set KNOWTATION_TOKEN; `knowtation token create --role viewer` makes one.',
  },
  FORBIDDEN: { hint: 'Use a credential whose role allows this; `knowtation whoami` shows the one in use.' },
  VAULT_DENIED: {
    hint: 'Name a vault that the token opens with --vault; a token opens the vault it was made in.',
  },
  HOST_DENIED: { hint: 'Add the host name to hosted_hostnames in the config.yaml of the hub.' },
  ORIGIN_DENIED: { hint: 'Add the origin to allowed_origins in the config.yaml of the hub.' },
  NOT_FOUND: {
    hint: 'Give --url without a path such as /mcp. Else the hub may be older than this program: compare `knowtation --version` on both sides.',
  },
  PAYLOAD_TOO_LARGE: { hint: 'Make it smaller: 1 MiB is the limit everywhere.' },
  LOCKED: {
    hint: 'The owner sees the locks with `knowtation lock list`, and takes one away with `lock release`.',
  },
  unknown_lock: { says: 'There is no such lock.', hint: '`knowtation lock list` shows the locks.' },
  unknown_alert: { says: 'This agent has no open alert.', hint: '`knowtation alert list` shows the alerts.' },
  too_many_locks: { hint: 'Take locks away, or lock everything: `knowtation lock all`.' },
  unknown_tool_session: {
    says: 'There is no such toolbox session here.',
    hint: '`knowtation tool session list` shows the sessions.',
  },
  permission_error: { hint: 'Use the home of the hub, or --url with the hub token.' },
  authentication_error: {
    hint: 'Pass --token or set KNOWTATION_TOKEN, log in with `owner agent login --url URL`, or leave out --url to use the home.',
  },
  connector_not_found: { hint: '`knowtation owner connector list` shows the connectors.' },
  intent_not_found: { hint: '`knowtation owner intent list` shows what was begun.' },
  intent_expired: { hint: 'Begin again with `knowtation owner intent create <connector>`.' },
  intent_ended: { hint: '`knowtation owner intent show <intent_id>` tells how it ended.' },
  oauth_state_invalid: { hint: 'Begin again with `knowtation owner intent open <intent_id>`.' },
  enrollment_code_invalid: { hint: '`knowtation owner intent create <connector>` makes a new code.' },
  unknown_agent: { hint: '`knowtation owner agent list` shows the agents.' },
  unknown_user_code: { hint: 'Compare the code with what the agent shows; it lives for five minutes.' },
  connector_instance_not_found: { hint: '`knowtation owner connection list` shows the connections.' },
  connector_instance_inactive: { hint: '`knowtation owner connection reactivate` takes it up again.' },
  connection_run_active: {
    hint: '`knowtation owner run list` shows the run; wait for it, or stop it with `owner run cancel`.',
  },
  run_already_active: {
    hint: '`knowtation owner run list` shows the run; `owner run watch` follows it to its end.',
  },
  run_not_found: { hint: '`knowtation owner run list` shows the runs of a connection.' },
  run_not_active: { hint: '`knowtation owner run show` tells how it ended.' },
  connection_not_scheduled: { hint: '`knowtation owner schedule set` gives the connection a schedule.' },
  schedule_not_found: { hint: '`knowtation owner schedule set` gives the connection one.' },
  record_not_found: { hint: '`knowtation owner record list` shows the keys there are.' },
  delete_connection_unsupported: {
    hint: 'Set control.delete_connection in the config.yaml of the hub, and start it again.',
  },
  subscription_not_found: { hint: '`knowtation owner subscription list` shows the subscriptions.' },
  subscription_revoked: { hint: 'Make a new one with `knowtation owner subscription create`.' },
  subscription_not_active: {
    hint: '`knowtation owner subscription show` says why; `update --status active` lets it go on.',
  },
  invalid_callback_url: { hint: 'Give an https address, or http on localhost, 127.0.0.1 or [::1].' },
  too_many_subscriptions: { hint: 'Delete some: `knowtation owner subscription delete <subscription_id>`.' },
  cursor_expired: { hint: 'Leave out --cursor to read what is still kept.' },
  rate_limited: { hint: 'Wait a little, then try again.' },
  RATE_LIMITED: { hint: 'Wait a little, then try again.' },
  RUNTIME_ERROR: { hint: 'The lines above, `knowtation doctor` or the log of the hub name the place.' },
  STORAGE_UNAVAILABLE: {
    hint: 'Check that the home exists, may be written and its disk has room; then run `knowtation doctor`.',
  },
  HUB_UNREACHABLE: {
    hint: 'Start it with `knowtation serve`, check --url, or leave out --url to use the home.',
  },
  unknown_flow: {
    says: 'There is no such flow here.',
    hint: '`knowtation flow list` shows the flows you may see in this vault.',
  },
  unknown_token: { says: 'There is no such token here.', hint: '`knowtation token list` shows the tokens.' },
  nothing_sealed: {
    hint: 'A key is made with the first credential of a connection; until then there is none.',
  },
  secrets_key_unusable: {
    hint: 'Nothing was changed. Mend what is named, or delete the connection or subscription that it belongs to.',
  },
  FLOW_HARNESS_UNSUPPORTED: {
    hint: 'Use --harness cursor_rule or cli_runbook; agent_bundle needs external_agent.enabled in policy.yaml.',
  },
  FLOW_DRAFT_INVALID: { hint: 'Mend the bundle; `knowtation flow check FILE` checks it without storing it.' },
  FLOW_SCOPE_AMBIGUOUS: {
    hint: 'The owner settles it in members.yaml of the vault; see `knowtation doctor`.',
  },
  unknown_proposal: {
    says: 'There is no such proposal here.',
    hint: '`knowtation proposal list` shows the proposals.',
  },
  unknown_grant: {
    says: 'There is no such grant here.',
    hint: '`knowtation flow grant list` shows the grants.',
  },
  unknown_run: {
    says: 'There is no such run here.',
    hint: '`knowtation flow run list <flow_id>` shows the runs of a flow.',
  },
  unknown_engine: {
    says: 'There is no such engine here for this tenant and robot.',
    hint: '`knowtation boundary engines` lists them; they stand under engines in policy.yaml of the vault.',
  },
  unknown_execution: {
    says: 'There is no such execution here.',
    hint: '`knowtation boundary list` shows the executions.',
  },
  unknown_tenant: {
    says: 'There is no ledger of this tenant here.',
    hint: '`knowtation ledger list` shows the entries with their tenants.',
  },
  unknown_ledger_entry: {
    says: 'There is no such ledger entry here.',
    hint: '`knowtation ledger list` shows the entries.',
  },
  unknown_dead_letter: {
    says: 'There is no such dead letter here.',
    hint: '`knowtation boundary dead-letter list` shows them.',
  },
  VALIDATION_ERROR: { hint: '`knowtation boundary check --input FILE` checks an input without a hub.' },
  MISSING_LINEAGE: {
    hint: '`knowtation ledger list` shows what there is, and since when; `knowtation ledger append` adds an entry for snapshots from then on.',
  },
  SNAPSHOT_EMPTY: { hint: 'Give --snapshot what the engine is to work with; it sees nothing else.' },
  IDEMPOTENCY_CONFLICT: { hint: 'Use a new executionId, or a higher attempt after one that failed.' },
  FLOW_LINEAGE_CONFLICT: {
    hint: '`knowtation flow export ID --json > FILE`, then `knowtation flow check FILE`, tell the newest version and its state id.',
  },
  FLOW_EXTERNAL_AGENT_DISABLED: {
    hint: 'Set external_agent.enabled in policy.yaml of the vault, or FLOW_EXTERNAL_AGENT_ENABLED=1.',
  },
  FLOW_AUTHORING_DISABLED: {
    hint: 'Set flow_authoring.writes_enabled in policy.yaml of the vault, or FLOW_AUTHORING_WRITES=1.',
  },
  FLOW_EXTERNAL_TOOL_DENIED: { hint: 'Put the tool on allowed_tools in policy.yaml of the vault.' },
  FLOW_SCOPE_DENIED: { hint: '`knowtation whoami` shows the scopes you may use.' },
  FLOW_EXTERNAL_TOOL_UNKNOWN: { hint: '`knowtation flow get ID` names the tools of each step under skills.' },
  FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN: {
    hint: 'external_agent.forbidden in policy.yaml of the vault says so, or FLOW_EXTERNAL_AGENT_FORBIDDEN.',
  },
  FLOW_EXTERNAL_GRANT_DENIED: {
    hint: 'Put the bearer of a grant into KNOWTATION_GRANT_BEARER; `knowtation explain` tells the owner more.',
  },
  FLOW_EXTERNAL_GRANT_EXPIRED: { hint: NEXT_GRANT },
  FLOW_EXTERNAL_GRANT_REVOKED: { hint: NEXT_GRANT },
  FLOW_EXTERNAL_GRANT_FLOW_MISMATCH: { hint: GRANTED },
  FLOW_EXTERNAL_GRANT_TOOL_DENIED: { hint: GRANTED },
  FLOW_EXTERNAL_PROVIDER_FAILED: { hint: PROVIDER },
  FLOW_EXTERNAL_PROVIDER_TIMEOUT: { hint: PROVIDER },
  FLOW_AUTHORING_POLICY_FORBIDDEN: {
    hint: 'flow_authoring.forbidden in policy.yaml of the vault says so, or FLOW_AUTHORING_FORBIDDEN.',
  },
  FLOW_PROPOSAL_LIMIT: { hint: '`knowtation proposal list --status proposed` shows those that are open.' },
  FLOW_PROPOSAL_NOT_OPEN: { hint: '`knowtation proposal show ID` tells how it was decided.' },
  EVALUATION_REQUIRED: {
    hint: 'Evaluate it again with `knowtation proposal evaluate`, or approve it with --waiver-reason.',
  },
  FLOW_RUN_WRITES_DISABLED: {
    hint: 'Set flow_runs.writes_enabled in policy.yaml of the vault, or FLOW_RUN_WRITES_ENABLED=1.',
  },
  FLOW_RUN_NOT_IN_PROGRESS: { hint: RUN_STATE },
  FLOW_STEP_OUT_OF_ORDER: { hint: RUN_STATE },
  FLOW_VERIFICATION_UNSATISFIED: { hint: RUN_STATE },
  source_unreachable: {
    hint: 'Check the address. For one of this machine or network, see allow_private_sources in docs/policy.md.',
  },
  knowledge_busy: { hint: '`knowtation knowledge status` tells how far it is; try again afterwards.' },
}

const DEFAULT_HINT = 'Run the command with --help, or `knowtation doctor`, to learn more.'

/** For a credential that was given and does not count. */
const UNKNOWN_TOKEN =
  'The hub at --url does not take this token: it was cut, revoked, has expired, or is of another home. ' +
  '`knowtation token list` shows those of a home.'

/** What to do about a refusal. */
export function hintFor(code: string, { with_token = false } = {}): string {
  if (with_token && (code === 'UNAUTHENTICATED' || code === 'authentication_error')) return UNKNOWN_TOKEN
  return Object.hasOwn(ADVICE, code) ? (ADVICE[code] as Advice).hint : DEFAULT_HINT
}

/** A sentence for a refusal: its own text, or ours when that only repeats the code. */
export function sentenceFor(code: string, message: string): string {
  if (message !== '' && message !== code) return message
  return (Object.hasOwn(ADVICE, code) ? (ADVICE[code] as Advice).says : undefined) ?? 'The hub refused this.'
}
