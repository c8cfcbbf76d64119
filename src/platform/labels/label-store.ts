import { NO_VAULT } from '../audit/audit-record.ts'
import { type Reader, type Statement, sql, type Transaction } from '../storage/database.ts'

/** What the owner calls something, by its id. */
export interface LabelRecord {
  subject_id: string
  vault_id: string
  label: string
  named_at: string
  named_by: string
}

/** A kind of thing that may have a label: told by its id, and there as long as its table has it. */
interface Nameable {
  readonly kind: string
  readonly id: RegExp
  /** The vault it belongs to; nothing where there is no such thing. */
  readonly vaultOf: Statement<{ vault_id: string }>
}

const HEX = '[0-9a-f]{16}$'
const NAMEABLE: readonly Nameable[] = [
  {
    kind: 'grant',
    id: /^fgrnt_(?!bearer_)[a-z0-9_]{8,48}$/,
    vaultOf: sql('SELECT vault_id FROM flow_external_grants WHERE grant_id = ?'),
  },
  {
    kind: 'token',
    id: new RegExp(`^tok_${HEX}`),
    vaultOf: sql('SELECT vault_id FROM tokens WHERE token_id = ?'),
  },
  {
    kind: 'tool_session',
    id: new RegExp(`^tses_${HEX}`),
    vaultOf: sql('SELECT vault_id FROM toolbox_sessions WHERE session_id = ?'),
  },
  {
    kind: 'owner_agent',
    id: new RegExp(`^oagt_${HEX}`),
    // It belongs to the owner, and so to every vault; likewise a consent.
    vaultOf: sql(`SELECT '${NO_VAULT}' AS vault_id FROM owner_agents WHERE agent_id = ?`),
  },
  {
    kind: 'consent',
    id: new RegExp(`^cons_${HEX}`),
    vaultOf: sql(`SELECT '${NO_VAULT}' AS vault_id FROM mcp_consents WHERE consent_id = ?`),
  },
]

/** Ids are asked for so many at once. */
const ASKED_AT_ONCE = 40

const write = sql(
  `INSERT INTO labels (subject_id, vault_id, label, named_at, named_by) VALUES (?, ?, ?, ?, ?)
   ON CONFLICT (subject_id) DO UPDATE SET label = excluded.label, named_at = excluded.named_at, named_by = excluded.named_by`,
)
const remove = sql('DELETE FROM labels WHERE subject_id = ?')
const page = sql<LabelRecord>(
  `SELECT subject_id, vault_id, label, named_at, named_by FROM labels WHERE vault_id IN (?, '${NO_VAULT}')
   ORDER BY named_at DESC, subject_id LIMIT ?`,
)
const byIds = sql<Pick<LabelRecord, 'subject_id' | 'label'>>(
  `SELECT subject_id, label FROM labels WHERE vault_id IN (?, '${NO_VAULT}')
   AND subject_id IN (${Array(ASKED_AT_ONCE).fill('?').join(', ')})`,
)

/** What kind of thing an id is of; nothing where none of that kind can have a label. */
export function findNameableKind(id: string): string | undefined {
  return findNameable(id)?.kind
}

function findNameable(id: string): Nameable | undefined {
  return NAMEABLE.find((one) => one.id.test(id))
}

/** Where a label of this thing is kept; nothing where it is not of this vault, or not there. */
export async function findNameableVault(
  db: Reader,
  vault_id: string,
  id: string,
): Promise<string | undefined> {
  const nameable = findNameable(id)
  const place = nameable && (await db.get(nameable.vaultOf, id))?.vault_id
  return place === vault_id || place === NO_VAULT ? place : undefined
}

/** Keeps what the owner calls something, in the place of what they called it before. */
export async function setLabel(tx: Transaction, record: LabelRecord): Promise<void> {
  const { subject_id, vault_id, label, named_at, named_by } = record
  await tx.run(write, subject_id, vault_id, label, named_at, named_by)
}

/** Answers whether there was one. */
export async function removeLabel(tx: Transaction, subject_id: string): Promise<boolean> {
  return (await tx.run(remove, subject_id)) > 0
}

/** The labels of a vault, the newest first. */
export function listLabels(db: Reader, vault_id: string, limit: number): Promise<LabelRecord[]> {
  return db.all(page, vault_id, limit)
}

/** The labels of these ids, as far as they have one in this vault. What can have none is not asked for. */
export async function findLabels(
  db: Reader,
  vault_id: string,
  ids: Iterable<string | null>,
): Promise<Record<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null && findNameableKind(id) !== undefined)
  const found: Record<string, string> = {}
  for (let at = 0; at < wanted.length; at += ASKED_AT_ONCE) {
    const asked = Array.from({ length: ASKED_AT_ONCE }, (_, place) => wanted[at + place] ?? '')
    for (const { subject_id, label } of await db.all(byIds, vault_id, ...asked)) found[subject_id] = label
  }
  return found
}
