import type { Migration } from './migrate.ts'
import { laterMigrations } from './schema-later.ts'

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

      `CREATE TABLE owner_devices (
        device_id TEXT PRIMARY KEY, device_name TEXT NOT NULL, enrolled_at TEXT NOT NULL, connection_id TEXT)`,
      `CREATE INDEX owner_devices_by_connection ON owner_devices (connection_id)`,
      `CREATE TABLE connections (
        connection_id TEXT PRIMARY KEY, connector_id TEXT NOT NULL, display_name TEXT, status TEXT NOT NULL,
        source_kind TEXT NOT NULL, settings_json TEXT NOT NULL, created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL, revoked_at TEXT, last_seq INTEGER NOT NULL)`,
      `CREATE INDEX connections_by_creation ON connections (created_at, connection_id)`,
      `CREATE INDEX connections_by_connector ON connections (connector_id, created_at, connection_id)`,
      `CREATE INDEX connections_by_status ON connections (status, created_at, connection_id)`,
      `CREATE INDEX connections_by_kind ON connections (source_kind, status, connection_id)`,
      `CREATE INDEX connections_by_both ON connections (connector_id, status, created_at, connection_id)`,
      `CREATE TABLE connection_checkpoints (
        connection_id TEXT PRIMARY KEY, checkpoint_json TEXT NOT NULL, updated_at TEXT NOT NULL)`,
      `CREATE TABLE connection_secrets (
        connection_id TEXT NOT NULL, name TEXT NOT NULL, sealed TEXT NOT NULL, updated_at TEXT NOT NULL,
        PRIMARY KEY (connection_id, name))`,
      `CREATE TABLE connection_intents (
        intent_id TEXT PRIMARY KEY, connector_id TEXT NOT NULL, display_name TEXT, state TEXT NOT NULL,
        step TEXT NOT NULL, created_at TEXT NOT NULL, created_by TEXT NOT NULL, expires_at TEXT NOT NULL,
        ended_at TEXT, connection_id TEXT, code_hash TEXT UNIQUE, state_hash TEXT UNIQUE, sealed TEXT,
        scope_json TEXT, fault TEXT)`,
      `CREATE INDEX connection_intents_by_creation ON connection_intents (created_at, intent_id)`,
      `CREATE INDEX connection_intents_by_expiry ON connection_intents (expires_at)`,
      `CREATE TABLE connection_schedules (
        connection_id TEXT PRIMARY KEY, cron TEXT, interval_seconds INTEGER, timezone TEXT NOT NULL,
        enabled INTEGER NOT NULL, next_run_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
      `CREATE INDEX connection_schedules_due ON connection_schedules (enabled, next_run_at)`,

      `CREATE TABLE collection_runs (
        run_id TEXT PRIMARY KEY, connection_id TEXT NOT NULL, live_key TEXT UNIQUE, cause TEXT NOT NULL,
        state TEXT NOT NULL, attempt INTEGER NOT NULL, max_attempts INTEGER NOT NULL, queued_at TEXT NOT NULL,
        run_at TEXT NOT NULL, started_at TEXT, ended_at TEXT, owner TEXT, fence INTEGER NOT NULL,
        lease_until TEXT, cancel_reason TEXT, progress_json TEXT NOT NULL, fault_code TEXT, fault_text TEXT,
        requested_by TEXT NOT NULL)`,
      `CREATE INDEX collection_runs_by_connection ON collection_runs (connection_id, queued_at, run_id)`,
      `CREATE INDEX collection_runs_ready ON collection_runs (state, run_at, run_id)`,
      `CREATE INDEX collection_runs_by_lease ON collection_runs (state, lease_until)`,
      `CREATE TABLE collection_run_events (
        run_id TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, type TEXT NOT NULL,
        data_json TEXT NOT NULL, PRIMARY KEY (run_id, seq))`,
      `CREATE TABLE connection_watches (
        connection_id TEXT PRIMARY KEY, owner TEXT NOT NULL, lease_until TEXT NOT NULL)`,
      `CREATE TABLE queue_jobs (
        queue TEXT NOT NULL, job_id TEXT NOT NULL, added_at TEXT NOT NULL, token TEXT NOT NULL,
        lease_until TEXT NOT NULL, PRIMARY KEY (queue, job_id))`,
      `CREATE INDEX queue_jobs_free ON queue_jobs (queue, lease_until, added_at, job_id)`,

      `CREATE TABLE records (
        connection_id TEXT NOT NULL, stream TEXT NOT NULL, record_key TEXT NOT NULL, seq INTEGER NOT NULL,
        hash TEXT NOT NULL, data_json TEXT NOT NULL, updated_at TEXT NOT NULL,
        PRIMARY KEY (connection_id, stream, record_key))`,
      // Shares no column with the primary key: a planner without statistics would take the one for the other.
      `CREATE INDEX records_by_seq ON records ((connection_id || '/' || stream), seq)`,
      `CREATE TABLE record_streams (
        connection_id TEXT NOT NULL, stream TEXT NOT NULL, record_count INTEGER NOT NULL,
        last_seq INTEGER NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY (connection_id, stream))`,
      `CREATE TABLE record_removals (
        connection_id TEXT NOT NULL, stream TEXT NOT NULL, seq INTEGER NOT NULL, record_key TEXT NOT NULL,
        removed_at TEXT NOT NULL, PRIMARY KEY (connection_id, stream, seq))`,

      `CREATE TABLE owner_events (
        seq INTEGER PRIMARY KEY, event_id TEXT NOT NULL UNIQUE, at TEXT NOT NULL, event_type TEXT NOT NULL,
        status TEXT NOT NULL, object_id TEXT, event_json TEXT NOT NULL)`,
      `CREATE INDEX owner_events_by_object ON owner_events (object_id, seq)`,

      `CREATE TABLE event_subscriptions (
        subscription_id TEXT PRIMARY KEY, authority_kind TEXT NOT NULL, client_id TEXT NOT NULL, agent_id TEXT,
        callback_url TEXT NOT NULL, filters_json TEXT NOT NULL, status TEXT NOT NULL, disabled_reason TEXT,
        verified_at TEXT, verification_json TEXT, sealed_secret TEXT NOT NULL, sealed_former_secret TEXT,
        former_until TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, last_seq INTEGER NOT NULL)`,
      `CREATE INDEX event_subscriptions_by_creation ON event_subscriptions (created_at, subscription_id)`,
      `CREATE INDEX event_subscriptions_by_agent ON event_subscriptions (agent_id, created_at, subscription_id)`,
      // How far a subscription is delivered lies apart: who delivers never waits for who publishes.
      `CREATE TABLE subscription_deliveries (
        subscription_id TEXT PRIMARY KEY, delivered_seq INTEGER NOT NULL, attempts INTEGER NOT NULL,
        next_attempt_at TEXT, last_failure TEXT, delivered_at TEXT, owner TEXT, fence INTEGER NOT NULL,
        lease_until TEXT)`,
      `CREATE TABLE subscription_events (
        subscription_id TEXT NOT NULL, seq INTEGER NOT NULL, event_id TEXT NOT NULL, at TEXT NOT NULL,
        type TEXT NOT NULL, event_json TEXT NOT NULL, PRIMARY KEY (subscription_id, seq))`,
    ],
    postgres: [
      // Indexes for search, each in a space of its own. On SQLite they are files beside the database.
      `CREATE TABLE knowledge_spaces (space TEXT PRIMARY KEY, embedder TEXT, revision INTEGER NOT NULL)`,
      `CREATE TABLE knowledge_documents (
        space TEXT NOT NULL, path TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (space, path))`,
      `CREATE TABLE knowledge_chunks (
        space TEXT NOT NULL, path TEXT NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL,
        name TEXT NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, length INTEGER NOT NULL,
        counts BYTEA NOT NULL, vector BYTEA NOT NULL, words TSVECTOR NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (space, path, place))`,
      `CREATE INDEX knowledge_chunks_by_word ON knowledge_chunks USING GIN (words)`,
      `CREATE TABLE knowledge_cursors (
        space TEXT NOT NULL, connection_id TEXT NOT NULL, stream TEXT NOT NULL, seq INTEGER NOT NULL,
        PRIMARY KEY (space, connection_id, stream))`,
    ],
  },
  ...laterMigrations,
]
