import type { z } from 'zod'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { printable } from '../../../platform/basics/printable.ts'
import type { PendingOutput } from '../approvals/pending.ts'
import type { ExplainOutput } from './explain.ts'
import type { InvokeToolOutput } from './invoke-tool.ts'

/** Why a tool call is let through or refused. */
export function presentExplanation(
  { allowed, code, policy_revision, conditions }: z.output<typeof ExplainOutput>,
  page: Page,
): string {
  const verdict = allowed
    ? page.green('The call would be let through.')
    : page.red(`The call is refused; the agent sees ${code}.`)
  const rows = conditions.map(({ condition, holds, detail }) => [holds ? 'yes' : 'NO', condition, detail])
  return `${verdict} Policy revision ${policy_revision}.\n\n${renderTable(['holds', 'condition', 'detail'], rows, page)}`
}

/** What an invoked tool answered: its text as text, anything else as JSON. */
export function presentInvocation(
  answer: z.output<typeof InvokeToolOutput> | PendingOutput,
  page: Page,
): string {
  if ('approval_id' in answer)
    return `The call waits for the owner until ${answer.expires_at}; nothing was sent. \`knowtation approval show ${answer.approval_id}\` shows it. The same call again waits for the answer.`
  const { tool_id, result } = answer
  if (result === undefined)
    return `${printable(tool_id)} was accepted and counted. No provider is bound, so nothing was sent.`
  const texts = textsIn(result)
  if (texts) return printable(texts.join('\n'))
  return `${page.dim('result')}\n${printable(JSON.stringify(result, null, 2))}`
}

/** What a tool that answers in text alone has said; undefined for any other answer. */
function textsIn(result: unknown): string[] | undefined {
  if (typeof result !== 'object' || result === null || !('content' in result)) return undefined
  const { content } = result
  if (!Array.isArray(content) || !content.every((part) => part?.type === 'text')) return undefined
  return content.map((part) => part.text ?? '')
}
