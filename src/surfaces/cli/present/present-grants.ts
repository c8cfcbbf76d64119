import type { Page } from './page.ts'
import { printable } from './printable.ts'
import { renderTable } from './table.ts'

interface Grant {
  grant_id: string
  flow_id: string
  flow_version: string
  allowed_tools: string[]
  expires_at: string
  revoked_at: string | null
  invocation_count: number
  max_invocations: number
}

/** The grants, a line each. */
export function presentGrantList(body: unknown, page: Page): string {
  const { grants } = body as { grants: Grant[] }
  if (grants.length === 0) return 'No grants.'
  const rows = grants.map((grant) => [
    grant.grant_id,
    `${grant.flow_id} ${grant.flow_version}`,
    grant.allowed_tools,
    `${grant.invocation_count} of ${grant.max_invocations || 'any'}`,
    grant.revoked_at ? `revoked ${grant.revoked_at}` : `until ${grant.expires_at}`,
  ])
  return renderTable(['grant', 'flow', 'tools', 'used', 'state'], rows, page)
}

/** One grant in a line. */
export function presentGrant(body: unknown, page: Page): string {
  return presentGrantList({ grants: [body] }, page)
}

interface Explanation {
  allowed: boolean
  code: string | null
  policy_revision: string
  conditions: { condition: string; holds: boolean; code: string; detail: string }[]
}

/** Why a tool call is let through or refused. */
export function presentExplanation(body: unknown, page: Page): string {
  const { allowed, code, policy_revision, conditions } = body as Explanation
  const verdict = allowed
    ? page.green('The call would be let through.')
    : page.red(`The call is refused; the agent sees ${code}.`)
  const rows = conditions.map(({ condition, holds, detail }) => [holds ? 'yes' : 'NO', condition, detail])
  return `${verdict} Policy revision ${policy_revision}.\n\n${renderTable(['holds', 'condition', 'detail'], rows, page)}`
}

/** What an invoked tool answered: its text as text, anything else as JSON. */
export function presentInvocation(body: unknown, page: Page): string {
  const { tool_id, result } = body as {
    tool_id: string
    result?: { content?: { type: string; text?: string }[] }
  }
  if (result === undefined)
    return `${printable(tool_id)} was accepted and counted. No provider is bound, so nothing was sent.`
  const texts = Array.isArray(result.content) && result.content.every((part) => part.type === 'text')
  if (texts) return printable((result.content ?? []).map((part) => part.text ?? '').join('\n'))
  return `${page.dim('result')}\n${printable(JSON.stringify(result, null, 2))}`
}
