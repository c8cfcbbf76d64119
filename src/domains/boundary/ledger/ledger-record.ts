import { hash } from 'node:crypto'
import { z } from 'zod'

/** An entry as it is stored: the values in the order in which they are hashed, and where it stands. */
export interface LedgerRow {
  vault_id: string
  tenant_id: string
  seq: number
  id: string
  robot_id: string | null
  module: string
  source: string
  type: string
  state: string
  payload_json: string
  depends_on_json: string
  execution_id: string | null
  event_key: string | null
  created_at: string
  hash: string
}

/** The hash that a tenant's first entry builds on. */
export const GENESIS_HASH = '0'.repeat(64)

/** An entry's values in the order in which they are stored and hashed. */
export function valuesOf(row: Omit<LedgerRow, 'hash'>) {
  return [
    row.vault_id,
    row.tenant_id,
    row.seq,
    row.id,
    row.robot_id,
    row.module,
    row.source,
    row.type,
    row.state,
    row.payload_json,
    row.depends_on_json,
    row.execution_id,
    row.event_key,
    row.created_at,
  ] as const
}

/** Each entry's hash covers its values, its place and the entry before it. */
export function chainHash(previous: string, row: Omit<LedgerRow, 'hash'>): string {
  return hash('sha256', JSON.stringify(['ledger', previous, ...valuesOf(row)]))
}

const JsonObject = z.record(z.string(), z.unknown())

/** An entry as it is sent, in the spelling of the contract's world. */
export const LedgerEntry = z
  .strictObject({
    id: z.string(),
    tenantId: z.string(),
    robotId: z.string().optional(),
    module: z.string(),
    source: z.string(),
    type: z.string(),
    state: z.string(),
    payload: JsonObject,
    lineage: z.strictObject({ dependsOnLedgerIds: z.array(z.string()), executionId: z.string().optional() }),
    createdAt: z.string(),
    seq: z.int(),
    hash: z.string(),
  })
  .meta({ id: 'LedgerEntry' })
export type LedgerEntry = z.infer<typeof LedgerEntry>

export function toLedgerEntry(row: LedgerRow): LedgerEntry {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    ...(row.robot_id !== null && { robotId: row.robot_id }),
    module: row.module,
    source: row.source,
    type: row.type,
    state: row.state,
    payload: JSON.parse(row.payload_json) as Record<string, unknown>,
    lineage: {
      dependsOnLedgerIds: JSON.parse(row.depends_on_json) as string[],
      ...(row.execution_id !== null && { executionId: row.execution_id }),
    },
    createdAt: row.created_at,
    seq: row.seq,
    hash: row.hash,
  }
}

/** Entries that the hub itself names: what an engine made, and that it was made. */
export const ARTIFACT_ORIGIN = { module: 'builder', source: 'builder', state: 'draft' } as const
export const EVENT_ORIGIN = {
  module: 'agent-builder',
  source: 'agent-builder',
  type: 'execution_event',
} as const

const OWN_ID = /^led_[0-9a-z]{25}$/

/** Ids of the hub's making: in order of time, and in their own order, as they lie in the index and in lists. */
export function newLedgerIds(now: Date, random: (bytes: number) => string, count: number): string[] {
  const start = `led_${now.getTime().toString(36).padStart(9, '0')}${random(6)}`
  return Array.from({ length: count }, (_, at) => `${start}${at.toString(36).padStart(4, '0')}`)
}

/** What the audit log may name an entry by. An id that somebody chose could be any text. */
export function ledgerTarget(id: string) {
  return OWN_ID.test(id) ? { kind: 'ledger_entry', id } : undefined
}
