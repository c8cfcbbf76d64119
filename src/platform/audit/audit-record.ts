import { hash } from 'node:crypto'

export type AuditOutcome = 'allowed' | 'denied' | 'failed'

/** What a call was made with: the grant and its flow, or the seat; and by which id its caller knows it. */
export interface CallReferences {
  grant_id: string | null
  flow_id: string | null
  flow_version: string | null
  seat_id: string | null
  request_id: string | null
}

/** A call that was made with none of these. */
export const NO_REFERENCES: CallReferences = {
  grant_id: null,
  flow_id: null,
  flow_version: null,
  seat_id: null,
  request_id: null,
}

/**
 * What is kept of one call. The fields are a closed list of names, codes and ids: inputs, outputs and
 * secrets have no place to go, so there is nothing to scrub.
 */
export interface AuditRecord extends CallReferences {
  at: string
  vault_id: string
  surface: string
  caller_kind: string
  caller_id: string
  client: string
  operation: string
  target_kind: string | null
  target_id: string | null
  outcome: AuditOutcome
  code: string | null
  duration_us: number
  policy_revision: string
  /** How many equal calls this record stands for: 1, or more for a coalesced flood of refusals. */
  repeats: number
}

/** Stands in records that belong to no vault: none can have this name. */
export const NO_VAULT = '-'

/** The kind of caller that brings no credential. What it is refused is kept within a budget, and pushes nothing out. */
export const STRANGER = 'anonymous'

/** A record in its place in the chain. */
export interface ChainedRecord extends AuditRecord {
  seq: number
  hash: string
}

/** The hash that the first record builds on. */
export const GENESIS_HASH = '0'.repeat(64)

/** A record's values in the order in which they are stored. */
export function valuesOf(record: AuditRecord) {
  return [...basicValues(record), ...referencesOf(record)] as const
}

function referencesOf(record: AuditRecord) {
  return [record.grant_id, record.flow_id, record.flow_version, record.seat_id, record.request_id] as const
}

function basicValues(record: AuditRecord) {
  return [
    record.at,
    record.vault_id,
    record.surface,
    record.caller_kind,
    record.caller_id,
    record.client,
    record.operation,
    record.target_kind,
    record.target_id,
    record.outcome,
    record.code,
    record.duration_us,
    record.policy_revision,
    record.repeats,
  ] as const
}

/** No value of a record is longer; ids and codes are far shorter. */
const VALUE_LIMIT = 512

/**
 * The record as both databases give it back to the letter: a text that one of them would change or
 * refuse could not be verified later, and a caller's odd id must not keep its call from being recorded.
 */
export function storable(record: AuditRecord): AuditRecord {
  if (isWholeStorable(record)) return record
  const mended = Object.entries(record).map(([name, value]) => [
    name,
    isStorable(value) ? value : mend(value),
  ])
  return Object.fromEntries(mended) as AuditRecord
}

/** The other fields hold words of our own. */
function isWholeStorable(record: AuditRecord) {
  const { vault_id, caller_id, client, target_id, code, policy_revision } = record
  return (
    isStorable(caller_id) &&
    isStorable(record.grant_id) &&
    isStorable(record.flow_id) &&
    isStorable(record.flow_version) &&
    isStorable(record.seat_id) &&
    isStorable(record.request_id) &&
    isStorable(target_id) &&
    isStorable(vault_id) &&
    isStorable(client) &&
    isStorable(code) &&
    isStorable(policy_revision)
  )
}

function isStorable(value: string | number | null): boolean {
  return (
    typeof value !== 'string' ||
    (value.length <= VALUE_LIMIT && !value.includes('\0') && value.isWellFormed())
  )
}

function mend(value: string): string {
  return value.slice(0, VALUE_LIMIT).replaceAll('\0', '\ufffd').toWellFormed()
}

/**
 * Each record's hash covers its place, its values and the record before it. One without references is hashed as before
 * there were any, so that older logs stay what they are.
 */
export function chainHash(seq: number, previousHash: string, record: AuditRecord): string {
  const references = referencesOf(record)
  const values = references.every((value) => value === null) ? [] : references
  return hash('sha256', JSON.stringify([previousHash, seq, ...basicValues(record), ...values]))
}
