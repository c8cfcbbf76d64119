import { hash } from 'node:crypto'
import { Refusal } from '../../../operations/errors.ts'
import type { AskedCall } from '../../../platform/approvals/approval.ts'
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
  const digest = `sha256:${hash('sha256', orderedJson({ ...about, arguments: payload }))}`
  return {
    ...about,
    grant_ends_at: grant.expires_at,
    mode,
    digest,
    shape: hash('sha256', JSON.stringify(shapeOf(payload))),
  }
}

/** One text for one value: the keys of each object in order. */
export function orderedJson(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (depth > DEPTH_LIMIT)
    throw new Refusal('BAD_REQUEST', 'The payload is nested too deeply to be shown to the owner.')
  if (Array.isArray(value)) return `[${value.map((part) => orderedJson(part, depth + 1)).join()}]`
  const members = entriesOf(value).map(
    ([key, part]) => `${JSON.stringify(key)}:${orderedJson(part, depth + 1)}`,
  )
  return `{${members.join()}}`
}

/** The names and kinds of a value, without the values. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  if (Array.isArray(value)) return [...new Set(value.map((part) => JSON.stringify(shapeOf(part))))].toSorted()
  return { of: entriesOf(value).map(([key, part]) => [key, shapeOf(part)]) }
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
