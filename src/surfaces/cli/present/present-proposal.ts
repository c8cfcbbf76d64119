import { withNextPage } from './list-end.ts'
import type { Page } from './page.ts'
import { renderPairs } from './present-any.ts'
import { printable } from './printable.ts'
import { renderTable } from './table.ts'

interface Proposal {
  proposal_id: string
  flow_id: string
  flow_version: string
  kind: string
  base_version: string | null
  scope: string
  status: string
  evaluation_status: string
  evaluation_comment: string | null
  intent: string
  created_at: string
  created_by: string
}

/** The proposals, a line each. */
export function presentProposalList(body: unknown, page: Page): string {
  const { proposals, next_cursor } = body as { proposals: Proposal[]; next_cursor: string | null }
  if (proposals.length === 0) return 'No proposals.'
  const rows = proposals.map((one) => [
    one.proposal_id,
    one.flow_id,
    one.flow_version,
    one.kind,
    one.scope,
    one.status,
    one.evaluation_status,
    one.intent,
  ])
  const headings = ['proposal', 'flow', 'version', 'kind', 'scope', 'status', 'evaluation', 'intent']
  return withNextPage(renderTable(headings, rows, page), '--cursor', next_cursor, page)
}

/** A proposal to decide on: who wants what, and the lines it changes. What it says is shown, never obeyed. */
export function presentProposal(body: unknown, page: Page): string {
  const { proposal, diff } = body as { proposal: Proposal; diff: { text: string } }
  return `${renderAbout(proposal, page)}\n\n${renderDiff(diff.text, page)}\n\n${renderNext(proposal, page)}`
}

/** What a decision has made of a proposal. */
export function presentDecision(body: unknown, page: Page): string {
  return renderAbout(body as Proposal, page)
}

function renderAbout(proposal: Proposal, page: Page): string {
  const { evaluation_status, evaluation_comment } = proposal
  const builds = proposal.base_version ? `on ${proposal.base_version}` : 'a new flow'
  return renderPairs(
    [
      ['proposal', proposal.proposal_id],
      ['flow', `${proposal.flow_id} ${proposal.flow_version ?? ''} (${proposal.scope}, ${builds})`],
      ['status', proposal.status],
      ...(evaluation_status
        ? ([['evaluation', [evaluation_status, evaluation_comment].filter(Boolean).join(': ')]] as const)
        : []),
      ...(proposal.intent
        ? ([
            ['intent', proposal.intent],
            ['from', `${proposal.created_by}, ${proposal.created_at}`],
          ] as const)
        : []),
    ],
    page,
  )
}

function renderDiff(text: string, page: Page): string {
  const paint = (line: string) => {
    if (line.startsWith('+')) return page.green(line)
    if (line.startsWith('-')) return page.red(line)
    return line.startsWith('@@') ? page.dim(line) : line
  }
  return printable(text.replace(/\n$/, '')).split('\n').map(paint).join('\n')
}

function renderNext({ proposal_id, status }: Proposal, page: Page): string {
  if (status !== 'proposed') return page.dim(`It was ${status}.`)
  return page.dim(`Decide: knowtation proposal approve ${proposal_id}   or   proposal discard ${proposal_id}`)
}
