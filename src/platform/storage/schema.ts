import type { Migration } from './migrate.ts'

/**
 * The whole schema, oldest step first. A step that has shipped is never edited: add the next one.
 * docs/storage.md says who owns each table, what is hashed and what expires.
 */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    statements: [
      `CREATE TABLE hub_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)`,

      `CREATE TABLE tokens (
        token_id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, vault_id TEXT NOT NULL, role TEXT NOT NULL,
        label TEXT, created_at TEXT NOT NULL, created_by TEXT NOT NULL, expires_at TEXT, revoked_at TEXT)`,
      `CREATE INDEX tokens_by_vault ON tokens (vault_id, created_at, token_id)`,

      `CREATE TABLE toolbox_sessions (
        session_id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, vault_id TEXT NOT NULL, agent_id TEXT NOT NULL,
        role TEXT NOT NULL, project_root TEXT NOT NULL, service_root TEXT NOT NULL, isolation_level TEXT,
        allowed_commands TEXT, created_at TEXT NOT NULL, created_by TEXT NOT NULL, expires_at TEXT NOT NULL,
        revoked_at TEXT)`,
      `CREATE INDEX toolbox_sessions_by_vault ON toolbox_sessions (vault_id, created_at, session_id)`,
      `CREATE INDEX toolbox_sessions_by_expiry ON toolbox_sessions (expires_at)`,

      `CREATE TABLE audit_records (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, vault_id TEXT NOT NULL, surface TEXT NOT NULL,
        caller_kind TEXT NOT NULL, caller_id TEXT NOT NULL, client TEXT NOT NULL, operation TEXT NOT NULL,
        target_kind TEXT, target_id TEXT, outcome TEXT NOT NULL, code TEXT, duration_us INTEGER NOT NULL,
        policy_revision TEXT NOT NULL, repeats INTEGER NOT NULL, hash TEXT NOT NULL)`,
      `CREATE TABLE audit_head (
        only_row INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL,
        checkpoint_seq INTEGER NOT NULL, mac TEXT NOT NULL)`,
      `CREATE TABLE audit_checkpoints (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, hash TEXT NOT NULL, previous_seq INTEGER NOT NULL,
        signature TEXT NOT NULL)`,

      `CREATE TABLE flow_versions (
        vault_id TEXT NOT NULL, flow_id TEXT NOT NULL, version TEXT NOT NULL, version_key TEXT NOT NULL,
        scope TEXT NOT NULL, state_id TEXT NOT NULL, created_at TEXT NOT NULL,
        get_hash TEXT NOT NULL, bundle_hash TEXT NOT NULL,
        get_json TEXT NOT NULL, bundle_json TEXT NOT NULL, PRIMARY KEY (vault_id, flow_id, version))`,
      `CREATE INDEX flow_versions_by_order ON flow_versions (vault_id, flow_id, version_key)`,
      `CREATE TABLE flow_latest (
        vault_id TEXT NOT NULL, scope TEXT NOT NULL, flow_id TEXT NOT NULL, version TEXT NOT NULL,
        version_key TEXT NOT NULL, updated TEXT NOT NULL, get_hash TEXT NOT NULL, bundle_hash TEXT NOT NULL,
        summary_hash TEXT NOT NULL, summary_json TEXT NOT NULL,
        PRIMARY KEY (vault_id, flow_id, scope))`,
      `CREATE INDEX flow_latest_by_update ON flow_latest (vault_id, scope, updated DESC, flow_id)`,
      `CREATE TABLE flow_tags (
        vault_id TEXT NOT NULL, scope TEXT NOT NULL, tag TEXT NOT NULL, updated TEXT NOT NULL,
        flow_id TEXT NOT NULL, PRIMARY KEY (vault_id, flow_id, scope, tag))`,
      `CREATE INDEX flow_tags_by_update ON flow_tags (vault_id, scope, tag, updated DESC, flow_id)`,

      `CREATE TABLE flow_external_grants (
        grant_id TEXT PRIMARY KEY, vault_id TEXT NOT NULL, scope TEXT NOT NULL, flow_id TEXT NOT NULL,
        flow_version TEXT NOT NULL, allowed_tools TEXT NOT NULL, expires_at TEXT NOT NULL,
        issued_at TEXT NOT NULL, revoked_at TEXT, actor_hash TEXT NOT NULL, max_invocations INTEGER NOT NULL,
        invocation_count INTEGER NOT NULL, grant_bearer_hash TEXT NOT NULL UNIQUE)`,
      `CREATE INDEX flow_external_grants_by_issue ON flow_external_grants (vault_id, issued_at, grant_id)`,
      `CREATE INDEX flow_external_grants_by_flow ON flow_external_grants (vault_id, flow_id, issued_at, grant_id)`,
      `CREATE INDEX flow_external_grants_by_expiry ON flow_external_grants (vault_id, expires_at)`,
      `CREATE TABLE flow_external_grant_counts (vault_id TEXT PRIMARY KEY, stored INTEGER NOT NULL)`,

      `CREATE TABLE flow_proposals (
        vault_id TEXT NOT NULL, proposal_id TEXT NOT NULL, kind TEXT NOT NULL, flow_id TEXT NOT NULL,
        flow_version TEXT NOT NULL, base_version TEXT, base_state_id TEXT, base_scope TEXT NOT NULL,
        scope TEXT NOT NULL, auto_approvable INTEGER NOT NULL, status TEXT NOT NULL, intent TEXT NOT NULL,
        external_ref TEXT, source_vault_hint TEXT, created_at TEXT NOT NULL, created_by TEXT NOT NULL,
        evaluation_status TEXT NOT NULL, evaluation_comment TEXT, evaluated_at TEXT, evaluated_by TEXT,
        waiver_reason TEXT, decided_at TEXT, decided_by TEXT,
        draft_json TEXT NOT NULL, draft_hash TEXT NOT NULL, PRIMARY KEY (vault_id, proposal_id))`,
      `CREATE INDEX flow_proposals_by_creation ON flow_proposals (vault_id, created_at, proposal_id)`,
      `CREATE INDEX flow_proposals_by_status ON flow_proposals (vault_id, status, created_at, proposal_id)`,
      `CREATE INDEX flow_proposals_by_version ON flow_proposals (vault_id, flow_id, flow_version, status)`,
      `CREATE TABLE flow_successions (
        vault_id TEXT NOT NULL, flow_id TEXT NOT NULL, base_version TEXT NOT NULL, version TEXT NOT NULL,
        proposal_id TEXT NOT NULL, PRIMARY KEY (vault_id, flow_id, base_version))`,

      `CREATE TABLE flow_runs (
        vault_id TEXT NOT NULL, run_id TEXT NOT NULL, flow_id TEXT NOT NULL, flow_version TEXT NOT NULL,
        scope TEXT NOT NULL, status TEXT NOT NULL, started TEXT NOT NULL, started_by TEXT NOT NULL,
        actor TEXT NOT NULL, harness TEXT NOT NULL, task_ref TEXT, external_ref TEXT, steps_json TEXT NOT NULL,
        PRIMARY KEY (vault_id, run_id))`,
      `CREATE INDEX flow_runs_by_start ON flow_runs (vault_id, flow_id, started, run_id)`,

      `CREATE TABLE boundary_executions (
        vault_id TEXT NOT NULL, run_id TEXT NOT NULL, tenant_id TEXT NOT NULL, robot_id TEXT NOT NULL,
        execution_id TEXT NOT NULL, attempt INTEGER NOT NULL, payload_hash TEXT NOT NULL, engine TEXT NOT NULL,
        state TEXT NOT NULL, submitted_at TEXT NOT NULL, updated_at TEXT NOT NULL, facts_json TEXT NOT NULL,
        outcome_json TEXT, progress_json TEXT, input_json TEXT, owner TEXT, claim TEXT, lease_until TEXT,
        runs INTEGER NOT NULL, PRIMARY KEY (vault_id, run_id))`,
      `CREATE INDEX boundary_executions_by_submission ON boundary_executions (vault_id, submitted_at, run_id)`,
      `CREATE INDEX boundary_executions_by_owner ON boundary_executions (owner)`,
      `CREATE INDEX boundary_executions_by_lease ON boundary_executions (lease_until)`,
      `CREATE TABLE boundary_attempts (
        vault_id TEXT NOT NULL, run_id TEXT NOT NULL, attempt INTEGER NOT NULL, payload_hash TEXT NOT NULL,
        execution_json TEXT NOT NULL, PRIMARY KEY (vault_id, run_id, attempt))`,
      `CREATE TABLE boundary_dead_letters (
        vault_id TEXT NOT NULL, dead_letter_id TEXT NOT NULL, run_id TEXT NOT NULL, attempt INTEGER NOT NULL,
        reason TEXT NOT NULL, created_at TEXT NOT NULL, replayed_at TEXT, duration_ms INTEGER NOT NULL,
        output_json TEXT, PRIMARY KEY (vault_id, dead_letter_id))`,
      `CREATE INDEX boundary_dead_letters_by_time ON boundary_dead_letters (vault_id, created_at, dead_letter_id)`,

      `CREATE TABLE ledger_entries (
        vault_id TEXT NOT NULL, tenant_id TEXT NOT NULL, seq INTEGER NOT NULL, id TEXT NOT NULL, robot_id TEXT,
        module TEXT NOT NULL, source TEXT NOT NULL, type TEXT NOT NULL, state TEXT NOT NULL,
        payload_json TEXT NOT NULL, depends_on_json TEXT NOT NULL, execution_id TEXT, event_key TEXT,
        created_at TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (vault_id, tenant_id, seq))`,
      `CREATE UNIQUE INDEX ledger_entries_by_id ON ledger_entries (vault_id, id)`,
      `CREATE INDEX ledger_entries_by_time ON ledger_entries (vault_id, created_at, id)`,
      `CREATE UNIQUE INDEX ledger_entries_by_event ON ledger_entries (vault_id, event_key)`,
      `CREATE TABLE ledger_links (
        vault_id TEXT NOT NULL, id TEXT NOT NULL, depends_on TEXT NOT NULL,
        PRIMARY KEY (vault_id, id, depends_on))`,
      `CREATE INDEX ledger_links_by_source ON ledger_links (vault_id, depends_on, id)`,
      `CREATE TABLE ledger_heads (
        vault_id TEXT NOT NULL, tenant_id TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL,
        mac TEXT NOT NULL, PRIMARY KEY (vault_id, tenant_id))`,

      `CREATE TABLE hub_locks (
        kind TEXT NOT NULL, id TEXT NOT NULL, reason TEXT, locked_at TEXT NOT NULL, locked_by TEXT NOT NULL,
        PRIMARY KEY (kind, id))`,

      `CREATE TABLE toolbox_events (
        event_id TEXT PRIMARY KEY, vault_id TEXT NOT NULL, kind TEXT NOT NULL, timestamp TEXT NOT NULL,
        agent_id TEXT NOT NULL, violation_type TEXT NOT NULL, target_path TEXT, command_args TEXT NOT NULL,
        severity TEXT NOT NULL, repeats INTEGER NOT NULL)`,
      `CREATE INDEX toolbox_events_by_vault ON toolbox_events (vault_id, event_id)`,
      `CREATE INDEX toolbox_events_by_agent ON toolbox_events (agent_id, event_id)`,
      `CREATE TABLE toolbox_alerts (
        vault_id TEXT NOT NULL, agent_id TEXT NOT NULL, raised_at TEXT NOT NULL,
        last_violation_at TEXT NOT NULL, violations INTEGER NOT NULL, acknowledged_at TEXT,
        acknowledged_by TEXT, PRIMARY KEY (vault_id, agent_id))`,

      `CREATE TABLE owner_account (
        owner_id TEXT PRIMARY KEY, password_hash TEXT NOT NULL, created_at TEXT NOT NULL,
        password_changed_at TEXT NOT NULL)`,
      `CREATE TABLE owner_links (
        link_hash TEXT PRIMARY KEY, link_id TEXT NOT NULL, created_at TEXT NOT NULL, created_by TEXT NOT NULL,
        expires_at TEXT NOT NULL, used_at TEXT)`,
      `CREATE TABLE owner_sessions (
        session_id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, method TEXT NOT NULL, client TEXT NOT NULL,
        created_at TEXT NOT NULL, last_seen_at TEXT NOT NULL, expires_at TEXT NOT NULL, ended_at TEXT)`,
      `CREATE INDEX owner_sessions_by_expiry ON owner_sessions (expires_at)`,
      `CREATE TABLE owner_passkeys (
        passkey_id TEXT PRIMARY KEY, credential_id TEXT NOT NULL UNIQUE, public_key TEXT NOT NULL,
        counter INTEGER NOT NULL, transports TEXT NOT NULL, label TEXT NOT NULL, created_at TEXT NOT NULL,
        last_used_at TEXT)`,
      `CREATE TABLE owner_challenges (
        challenge_hash TEXT PRIMARY KEY, purpose TEXT NOT NULL, expires_at TEXT NOT NULL)`,
      `CREATE TABLE owner_device_grants (
        grant_id TEXT PRIMARY KEY, client_id TEXT NOT NULL, client_name TEXT NOT NULL, state TEXT NOT NULL,
        created_at TEXT NOT NULL, expires_at TEXT NOT NULL, interval_seconds INTEGER NOT NULL,
        last_polled_at TEXT, decided_by TEXT, device_code_hash TEXT NOT NULL UNIQUE,
        user_code_hash TEXT NOT NULL UNIQUE)`,
      `CREATE INDEX owner_device_grants_by_expiry ON owner_device_grants (expires_at)`,
      `CREATE TABLE owner_agents (
        agent_id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, client_id TEXT NOT NULL,
        client_name TEXT NOT NULL, created_at TEXT NOT NULL, approved_by TEXT NOT NULL,
        expires_at TEXT NOT NULL, revoked_at TEXT)`,
      `CREATE INDEX owner_agents_by_creation ON owner_agents (created_at, agent_id)`,
    ],
  },
]
