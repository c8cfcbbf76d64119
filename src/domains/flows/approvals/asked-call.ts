import { hash } from 'node:crypto'
import { Refusal } from '../../../operations/errors.ts'
import type { AskedCall } from '../../../platform/approvals/approval.ts'
import { orderedEntries, orderedJson, Unorderable } from '../../../platform/basics/exact-json.ts'
import type { AskingTool } from '../allowlist.ts'
import type { Grant } from '../grants/grant-record.ts'

/** Arguments that are nested deeper nobody could read on a page. */
const DEPTH_LIMIT = 64

/** The call as the owner is asked about it. Under another policy, or with one other byte, it is another call. */
export function askedCall(
  grant: Grant,
  { id: tool_id, approval: mode }: AskingTool,
  payload: object,
  policy_revision: string,
): AskedCall {
  const { vault_id, grant_id, flow_id, flow_version } = grant
  const about = { vault_id, grant_id, flow_id, flow_version, tool_id, policy_revision }
  const digest = `sha256:${hash('sha256', payloadText({ ...about, arguments: payload }))}`
  return {
    ...about,
    grant_ends_at: grant.expires_at,
    mode,
    digest,
    shape: hash('sha256', JSON.stringify(shapeOf(payload))),
  }
}

/** One text for one payload. */
export function payloadText(value: unknown): string {
  try {
    return orderedJson(value, DEPTH_LIMIT)
  } catch (error) {
    if (!(error instanceof Unorderable)) throw error
    throw new Refusal('BAD_REQUEST', 'The payload is nested too deeply to be shown to the owner.')
  }
}

/** The names and kinds of a value, without the values. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  if (Array.isArray(value)) return [...new Set(value.map((part) => JSON.stringify(shapeOf(part))))].toSorted()
  return { of: orderedEntries(value).map(([key, part]) => [key, shapeOf(part)]) }
}
