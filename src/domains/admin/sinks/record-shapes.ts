import type { ChainedRecord } from '../../../platform/audit/audit-record.ts'
import { PACKAGE_VERSION } from '../../../platform/basics/package-folder.ts'

/** The forms in which a record is told. */
export const RECORD_FORMATS = ['own', 'ocsf', 'ecs'] as const
export type RecordFormat = (typeof RECORD_FORMATS)[number]

/** A record with the hash that it builds on: all that is needed to check it beside its neighbours. */
export interface LinkedRecord extends ChainedRecord {
  readonly previous_hash: string
}

/** One line of JSON. Each form has our own text within it, so that a copy can be checked in any of them. */
export function renderRecord(record: LinkedRecord, format: RecordFormat): string {
  const own = JSON.stringify({ schema: 'knowtation.audit_record/v0', ...record })
  if (format === 'own') return own
  return JSON.stringify(format === 'ocsf' ? ocsfOf(record, own) : ecsOf(record, own))
}

/** How a record ended, as others rate it. */
export function severityOf({ outcome }: Pick<ChainedRecord, 'outcome'>): 'info' | 'warning' | 'error' {
  return ({ allowed: 'info', denied: 'warning', failed: 'error' } as const)[outcome]
}

const OCSF_SEVERITY = { info: 1, warning: 2, error: 3 }

/** API Activity of the Open Cybersecurity Schema Framework. Whether a call reads or writes is not on record. */
function ocsfOf(record: LinkedRecord, raw_data: string): object {
  const { seq, at, operation, outcome, code, target_kind, target_id, caller_id, caller_kind } = record
  return {
    metadata: {
      version: '1.3.0',
      product: { name: 'Knowtation', vendor_name: 'Knowtation', version: PACKAGE_VERSION },
      log_name: 'audit',
      uid: record.hash,
      sequence: seq,
      ...(record.request_id !== null && { correlation_uid: record.request_id }),
    },
    category_uid: 6,
    category_name: 'Application Activity',
    class_uid: 6003,
    class_name: 'API Activity',
    activity_id: 99,
    activity_name: operation,
    type_uid: 600399,
    severity_id: OCSF_SEVERITY[severityOf(record)],
    status_id: outcome === 'allowed' ? 1 : 2,
    ...(code !== null && { status_code: code }),
    time: Date.parse(at),
    duration: Math.round(record.duration_us / 1_000),
    count: record.repeats,
    actor: { user: { uid: caller_id, type: caller_kind }, app_name: record.client },
    api: { operation, service: { name: record.surface } },
    src_endpoint: { svc_name: record.surface },
    ...(target_id !== null && { resources: [{ type: target_kind, uid: target_id }] }),
    raw_data,
  }
}

/** The Elastic Common Schema. */
function ecsOf(record: LinkedRecord, original: string): object {
  const { seq, at, operation, outcome, code, hash, duration_us } = record
  return {
    '@timestamp': at,
    ecs: { version: '8.11.0' },
    event: {
      kind: 'event',
      category: ['api'],
      type: [{ allowed: 'allowed', denied: 'denied', failed: 'error' }[outcome]],
      action: operation,
      outcome: outcome === 'allowed' ? 'success' : 'failure',
      ...(code !== null && { code }),
      dataset: 'knowtation.audit',
      module: 'knowtation',
      sequence: seq,
      id: hash,
      duration: duration_us * 1_000,
      original,
    },
    service: { type: 'knowtation', version: PACKAGE_VERSION },
    user: { id: record.caller_id },
    user_agent: { original: record.client },
    ...(record.request_id !== null && { http: { request: { id: record.request_id } } }),
  }
}
