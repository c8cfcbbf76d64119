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

      `CREATE TABLE audit_records (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, vault_id TEXT NOT NULL, surface TEXT NOT NULL,
        caller_kind TEXT NOT NULL, caller_id TEXT NOT NULL, client TEXT NOT NULL, operation TEXT NOT NULL,
        target_kind TEXT, target_id TEXT, outcome TEXT NOT NULL, code TEXT, duration_us INTEGER NOT NULL,
        policy_revision TEXT NOT NULL, repeats INTEGER NOT NULL, hash TEXT NOT NULL)`,
      `CREATE INDEX audit_records_by_vault ON audit_records (vault_id, seq)`,
      `CREATE TABLE audit_head (
        only_row INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL,
        checkpoint_seq INTEGER NOT NULL, mac TEXT NOT NULL)`,
      `CREATE TABLE audit_checkpoints (
        seq INTEGER PRIMARY KEY, at TEXT NOT NULL, hash TEXT NOT NULL, previous_seq INTEGER NOT NULL,
        signature TEXT NOT NULL)`,

      `CREATE TABLE flow_versions (
        vault_id TEXT NOT NULL, flow_id TEXT NOT NULL, version TEXT NOT NULL, version_key TEXT NOT NULL,
        scope TEXT NOT NULL, state_id TEXT NOT NULL, created_at TEXT NOT NULL,
        get_json TEXT NOT NULL, get_hash TEXT NOT NULL, bundle_json TEXT NOT NULL, bundle_hash TEXT NOT NULL,
        PRIMARY KEY (vault_id, flow_id, version))`,
      `CREATE INDEX flow_versions_by_order ON flow_versions (vault_id, flow_id, version_key)`,
      `CREATE TABLE flow_latest (
        vault_id TEXT NOT NULL, scope TEXT NOT NULL, flow_id TEXT NOT NULL, version TEXT NOT NULL,
        version_key TEXT NOT NULL, updated TEXT NOT NULL, summary_json TEXT NOT NULL,
        PRIMARY KEY (vault_id, flow_id, scope))`,
      `CREATE INDEX flow_latest_by_update ON flow_latest (vault_id, scope, updated DESC, flow_id)`,
      `CREATE TABLE flow_tags (
        vault_id TEXT NOT NULL, scope TEXT NOT NULL, tag TEXT NOT NULL, updated TEXT NOT NULL,
        flow_id TEXT NOT NULL, PRIMARY KEY (vault_id, scope, tag, flow_id))`,
      `CREATE INDEX flow_tags_by_update ON flow_tags (vault_id, scope, tag, updated DESC, flow_id)`,
    ],
  },
]
