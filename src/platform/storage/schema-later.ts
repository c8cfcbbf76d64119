import type { Migration } from './migrate.ts'

/** What was changed since the first schema, a step for each change, oldest first. */
export const laterMigrations: readonly Migration[] = [
  {
    version: 2,
    statements: [
      // Each move of a tenant's chain, in one chain over all tenants: what is not in a head is not forgotten with it.
      `CREATE TABLE ledger_journal (
        number INTEGER PRIMARY KEY, vault_id TEXT NOT NULL, tenant_id TEXT NOT NULL, seq INTEGER NOT NULL,
        entry_hash TEXT NOT NULL, hash TEXT NOT NULL)`,
      `CREATE UNIQUE INDEX ledger_journal_by_tenant ON ledger_journal (vault_id, tenant_id, seq)`,
      `CREATE TABLE ledger_journal_head (
        only_row INTEGER PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL, since TEXT NOT NULL,
        mac TEXT NOT NULL)`,
      `ALTER TABLE boundary_dead_letters ADD COLUMN mac TEXT`,
    ],
  },
  {
    // Which grant, flow and seat a call was made with, and what the caller knows the call by.
    version: 3,
    statements: [
      `ALTER TABLE audit_records ADD COLUMN grant_id TEXT`,
      `ALTER TABLE audit_records ADD COLUMN flow_id TEXT`,
      `ALTER TABLE audit_records ADD COLUMN flow_version TEXT`,
      `ALTER TABLE audit_records ADD COLUMN seat_id TEXT`,
      `ALTER TABLE audit_records ADD COLUMN request_id TEXT`,
      // By which limit a checkpoint has cut the chain.
      `ALTER TABLE audit_checkpoints ADD COLUMN rule TEXT`,
      // What strangers left is counted apart from all else; only their rows are in it, and those are few.
      `CREATE INDEX audit_records_of_strangers ON audit_records (seq) WHERE caller_kind = 'anonymous'`,
    ],
  },
  {
    // Who proves to be the owner: where a passkey was made, and how often somebody has tried.
    version: 4,
    statements: [
      `ALTER TABLE owner_passkeys ADD COLUMN origin TEXT`,
      `ALTER TABLE owner_sessions ADD COLUMN proved_at TEXT`,
      `CREATE TABLE identity_attempts (
        what TEXT NOT NULL, place TEXT NOT NULL, opened_at TEXT NOT NULL, count INTEGER NOT NULL,
        PRIMARY KEY (what, place))`,
      `CREATE INDEX identity_attempts_by_time ON identity_attempts (opened_at)`,
    ],
  },
  {
    version: 5,
    statements: [
      // Revoked grants had kept their places; from here on places are those of live ones.
      `UPDATE flow_external_grant_counts SET stored = (
        SELECT COUNT(*) FROM flow_external_grants g
        WHERE g.vault_id = flow_external_grant_counts.vault_id AND g.revoked_at IS NULL)`,
    ],
  },
  {
    // Programs that sign in for MCP, and what the owner said to each.
    version: 6,
    open_to: 5,
    statements: [
      // Clients, requests, codes and tokens of the sign-in, each under the hash of what its holder has.
      `CREATE TABLE oauth_records (
        kind TEXT NOT NULL, record_hash TEXT NOT NULL, consent_id TEXT, payload_json TEXT NOT NULL,
        expires_at TEXT NOT NULL, used_at TEXT, PRIMARY KEY (kind, record_hash))`,
      `CREATE INDEX oauth_records_by_consent ON oauth_records (consent_id)`,
      `CREATE INDEX oauth_records_by_end ON oauth_records (expires_at)`,
      `CREATE TABLE mcp_consents (
        consent_id TEXT PRIMARY KEY, label TEXT NOT NULL, client_id TEXT NOT NULL, client_name TEXT NOT NULL,
        client_address TEXT NOT NULL, kind TEXT NOT NULL, vault_id TEXT NOT NULL, role TEXT NOT NULL, terms_json TEXT,
        created_at TEXT NOT NULL, decided_by TEXT NOT NULL, standing_until TEXT NOT NULL, renewals INTEGER NOT NULL,
        grant_id TEXT, period_started_at TEXT, family_key TEXT NOT NULL, ended_at TEXT, end_reason TEXT)`,
      `CREATE INDEX mcp_consents_by_creation ON mcp_consents (created_at, consent_id)`,
      `ALTER TABLE owner_device_grants ADD COLUMN consent_id TEXT`,
    ],
  },
  {
    // How many calls a grant or a tool had in the minute that is counted.
    version: 7,
    open_to: 5,
    statements: [
      `CREATE TABLE call_budgets (subject TEXT PRIMARY KEY, opened_at TEXT NOT NULL, count INTEGER NOT NULL)`,
      `CREATE INDEX call_budgets_by_time ON call_budgets (opened_at)`,
    ],
  },
  {
    // Calls that wait for the owner's word, and what the owner has allowed beyond a single call.
    version: 8,
    open_to: 5,
    statements: [
      `CREATE TABLE call_approvals (
        approval_id TEXT PRIMARY KEY, live_key TEXT UNIQUE, vault_id TEXT NOT NULL, grant_id TEXT NOT NULL,
        flow_id TEXT NOT NULL, flow_version TEXT NOT NULL, tool_id TEXT NOT NULL, caller_kind TEXT NOT NULL,
        caller_id TEXT NOT NULL, client TEXT NOT NULL, mode TEXT NOT NULL, digest TEXT NOT NULL, shape TEXT NOT NULL,
        policy_revision TEXT NOT NULL, grant_ends_at TEXT NOT NULL, arguments_bytes INTEGER NOT NULL, arguments_sealed TEXT, state TEXT NOT NULL,
        created_at TEXT NOT NULL, expires_at TEXT NOT NULL, attach_until TEXT, decided_at TEXT, decided_by TEXT,
        decided_for TEXT, reason TEXT, fence INTEGER NOT NULL, lease_until TEXT, ended_at TEXT, result_code TEXT,
        result_sealed TEXT, told INTEGER NOT NULL)`,
      `CREATE INDEX call_approvals_by_vault ON call_approvals (vault_id, created_at, approval_id)`,
      `CREATE INDEX call_approvals_by_state ON call_approvals (state)`,
      `CREATE INDEX call_approvals_untold ON call_approvals (told, state) WHERE told < 2`,
      `CREATE TABLE call_permits (
        permit_key TEXT PRIMARY KEY, vault_id TEXT NOT NULL, grant_id TEXT NOT NULL, tool_id TEXT NOT NULL,
        approval_id TEXT NOT NULL, permitted_until TEXT NOT NULL)`,
      `CREATE INDEX call_permits_by_time ON call_permits (permitted_until)`,
      // What the command line would open, until the owner has confirmed it in the browser and it is done.
      `CREATE TABLE owner_presence (
        presence_id TEXT PRIMARY KEY, digest TEXT NOT NULL, operation TEXT NOT NULL, vault_id TEXT NOT NULL,
        input_sealed TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL, state TEXT NOT NULL)`,
    ],
  },
  {
    // Who renews the tokens of a connection, and which connections only the owner can take further.
    version: 9,
    open_to: 5,
    statements: [
      `CREATE TABLE connection_authorizations (
        connection_id TEXT PRIMARY KEY, renewing_by TEXT, renewing_until TEXT, needs_owner_since TEXT, fault TEXT)`,
    ],
  },
  {
    // What each vault's policy has said, who changed it and why. The file itself stays what counts.
    version: 10,
    open_to: 5,
    statements: [
      `CREATE TABLE policy_revisions (
        revision_id TEXT PRIMARY KEY, place TEXT NOT NULL, vault_id TEXT NOT NULL, number INTEGER NOT NULL,
        revision TEXT NOT NULL, digest TEXT NOT NULL, base_revision TEXT, at TEXT NOT NULL, changed_by TEXT NOT NULL,
        origin TEXT NOT NULL, operation TEXT, reason TEXT, state TEXT NOT NULL, bytes INTEGER NOT NULL,
        text_sealed TEXT, UNIQUE (place, vault_id, number))`,
      `CREATE INDEX policy_revisions_by_vault ON policy_revisions (vault_id, revision)`,
      `CREATE INDEX policy_revisions_by_text ON policy_revisions (place, vault_id, digest)`,
    ],
  },
  {
    // Tools whose definition was reviewed, what was found instead since, and which pins a grant was minted against.
    version: 11,
    open_to: 5,
    statements: [
      `CREATE TABLE tool_definitions (pin TEXT PRIMARY KEY, definition_json TEXT NOT NULL, kept_at TEXT NOT NULL)`,
      `CREATE TABLE pin_reviews (
        review_id TEXT PRIMARY KEY, live_key TEXT UNIQUE, vault_id TEXT NOT NULL, tool_id TEXT NOT NULL, pin TEXT NOT NULL,
        finding TEXT NOT NULL, found_pin TEXT, found_json TEXT, state TEXT NOT NULL, opened_at TEXT NOT NULL,
        closed_at TEXT, decided_by TEXT, reason TEXT, told INTEGER NOT NULL)`,
      `CREATE INDEX pin_reviews_by_vault ON pin_reviews (vault_id, opened_at, review_id)`,
      `CREATE INDEX pin_reviews_untold ON pin_reviews (told, state) WHERE told < 2`,
      `ALTER TABLE flow_external_grants ADD COLUMN tool_pins TEXT`,
    ],
  },
  {
    // How far the copies of the audit log have come that the owner has sent elsewhere.
    version: 12,
    open_to: 5,
    statements: [
      `CREATE TABLE audit_sinks (
        sink TEXT PRIMARY KEY, owner TEXT, lease_until TEXT, fence INTEGER NOT NULL, seq INTEGER NOT NULL,
        attempts INTEGER NOT NULL, next_attempt_at TEXT, sent_at TEXT, failure TEXT)`,
    ],
  },
  {
    // What the owner calls grants, tokens, seats, owner agents and consents.
    version: 13,
    open_to: 5,
    statements: [
      `CREATE TABLE labels (
        subject_id TEXT PRIMARY KEY, vault_id TEXT NOT NULL, label TEXT NOT NULL, named_at TEXT NOT NULL,
        named_by TEXT NOT NULL)`,
      `CREATE INDEX labels_by_vault ON labels (vault_id, named_at)`,
    ],
  },
]
