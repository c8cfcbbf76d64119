import { PACKAGE_VERSION } from '../../../platform/basics/package-folder.ts'
import { postOut } from '../../../platform/basics/post-out.ts'
import { type LinkedRecord, severityOf } from './record-shapes.ts'

export interface OtlpPlace {
  /** The address of the receiver for logs, such as `http://127.0.0.1:4318/v1/logs`. */
  readonly url: string
  /** A file with what the header `Authorization` says. */
  readonly authorization?: string | undefined
}

const ANSWER_LIMIT_BYTES = 65_536
const ANSWER_MS = 15_000
/** Severities as OpenTelemetry numbers them. */
const SEVERITIES = { info: 9, warning: 13, error: 17 }

/** Sends records as log records by OTLP (JSON over HTTP); a receiver that took only a part has taken none. */
export async function postRecords(
  { url, authorization }: OtlpPlace,
  records: readonly (readonly [record: LinkedRecord, text: string])[],
): Promise<void> {
  const scope = { name: 'knowtation.audit', version: PACKAGE_VERSION }
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'knowtation' } }] }
  const logRecords = records.map(([record, text]) => ({
    timeUnixNano: `${Date.parse(record.at)}000000`,
    severityNumber: SEVERITIES[severityOf(record)],
    severityText: severityOf(record).toUpperCase(),
    eventName: 'knowtation.audit.record',
    body: { stringValue: text },
    attributes: [{ key: 'knowtation.audit.seq', value: { intValue: String(record.seq) } }],
  }))
  const body = JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords }] }] })
  const answer = await postOut(url, {
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    body,
    limit_bytes: ANSWER_LIMIT_BYTES,
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  if (answer.status !== 200) throw new Error(`The receiver answered ${answer.status}.`)
  const told = parse(answer.body.toString())
  if (Number(told.partialSuccess?.rejectedLogRecords ?? 0) > 0)
    throw new Error('The receiver took only a part.')
}

function parse(text: string): { partialSuccess?: { rejectedLogRecords?: number | string } } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
