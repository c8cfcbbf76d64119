import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderPairs } from '../../../operations/present/present-any.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { printable, printableLine } from '../../../platform/basics/printable.ts'
import type { PowerChange } from './diff/power-changes.ts'
import type { ProposalListOutput } from './proposal-list.ts'
import type { Proposal, ProposalReview } from './proposal-record.ts'
import type { ProposalShowOutput } from './proposal-show.ts'

/** The proposals, a line each. */
export function presentProposalList(
  { proposals, next_cursor }: z.output<typeof ProposalListOutput>,
  page: Page,
): string {
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
export function presentProposal(shown: z.output<typeof ProposalShowOutput>, page: Page): string {
  const { proposal, diff, power, draft_digest } = shown
  const parts = [
    renderAbout(proposal, page),
    ...(power.length > 0 ? [power.map((change) => renderPower(change, page)).join('\n')] : []),
    renderDiff(diff.text, page),
    page.dim(`digest      ${draft_digest}`),
    renderNext(proposal, page),
  ]
  return parts.join('\n\n')
}

/** A change of what agents may do, apart from the words that make it. */
export function renderPower(
  { kind, opens, ordinal, before, after, allowlisted }: PowerChange,
  page: Page,
): string {
  const where = ordinal === null ? '' : ` (step ${ordinal})`
  const what = before !== null && after !== null ? `${before} becomes ${after}` : (after ?? before ?? '')
  const note = allowlisted === false ? ', not on the allowlist: no grant can include it' : ''
  const line = `${opens ? '!' : ' '} ${kind.replaceAll('_', ' ')}${where}: ${printableLine(what)}${note}`
  return opens ? page.red(line) : line
}

/** What a decision has made of a proposal. */
export function presentDecision(body: Proposal | ProposalReview, page: Page): string {
  return renderAbout(body as Proposal, page)
}

/** A proposal that was made just now tells only what it is; a review also what has become of it. */
type AboutProposal = Pick<ProposalReview, 'proposal_id' | 'flow_id' | 'base_version' | 'scope' | 'status'> &
  Partial<Omit<ProposalReview, 'schema'>>

function renderAbout(proposal: AboutProposal, page: Page): string {
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

export function renderDiff(text: string, page: Page): string {
  const paint = (line: string) => {
    if (line.startsWith('+')) return page.green(line)
    if (line.startsWith('-')) return page.red(line)
    return line.startsWith('@@') ? page.dim(line) : line
  }
  return printable(text.replace(/\n$/, '')).split('\n').map(paint).join('\n')
}

function renderNext({ proposal_id, status }: ProposalReview, page: Page): string {
  if (status !== 'proposed') return page.dim(`It was ${status}.`)
  return page.dim(`Decide: knowtation proposal approve ${proposal_id}   or   proposal discard ${proposal_id}`)
}
