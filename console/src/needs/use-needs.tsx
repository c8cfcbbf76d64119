import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { requestsQuery } from '../api/agent-queries'
import { useHub } from '../api/hub'
import { pinReviewsQuery } from '../api/policy-queries'
import {
  alertsQuery,
  approvalsQuery,
  connectionsQuery,
  deadLettersQuery,
  doctorQuery,
  proposalsQuery,
} from '../api/queries'
import type { components } from '../api/schema'
import type { OwnerRequest } from '../api/shapes'
import type { IconName } from '../parts/icon'
import { Foreign, Name } from '../parts/words'

export const NEED_GROUPS = ['Answer now', 'Review', 'Let in', 'Alerts'] as const

/** One thing that waits for the owner: as a row of Home, as an entry of the inbox, and what is opened from both. */
export interface Need {
  /** Kind and id: what stands in the address of the inbox. */
  readonly key: string
  readonly group: (typeof NEED_GROUPS)[number]
  readonly icon: IconName
  readonly tone: 'wait' | 'no' | 'live' | 'fail'
  readonly title: ReactNode
  readonly note: ReactNode
  readonly at?: string
  readonly until?: string
  /** What the button that opens it says. */
  readonly open: string
}

export interface Needs {
  readonly items: readonly Need[]
  readonly faults: readonly Error[]
  /** Whether all was read that could need somebody. */
  readonly isComplete: boolean
}

/** What waits for the owner, most urgent first. */
export function useNeeds(): Needs {
  const hub = useHub()
  const approvals = useQuery(approvalsQuery(hub, 'waiting'))
  const alerts = useQuery(alertsQuery(hub))
  const proposals = useQuery(proposalsQuery(hub, 'proposed'))
  const connections = useQuery(connectionsQuery(hub))
  const letters = useQuery(deadLettersQuery(hub))
  const pins = useQuery(pinReviewsQuery(hub))
  const doctor = useQuery(doctorQuery(hub))
  const requests = useQuery(requestsQuery(hub))
  const asked: readonly UseQueryResult<unknown>[] = [
    approvals,
    alerts,
    proposals,
    connections,
    letters,
    doctor,
    requests,
  ]
  const items = [
    ...(approvals.data?.data ?? []).map(approvalNeed),
    ...(requests.data?.data ?? []).map(requestNeed),
    ...(alerts.data?.alerts ?? []).filter(({ acknowledged_at }) => acknowledged_at === null).map(alertNeed),
    ...(pins.data?.data ?? []).map(pinNeed),
    ...(doctor.data?.findings ?? []).filter(({ state }) => state === 'wrong').map(findingNeed),
    ...(proposals.data?.proposals ?? []).map(proposalNeed),
    ...(letters.data?.dead_letters ?? []).filter(({ replayed_at }) => replayed_at === null).map(letterNeed),
  ]
  return {
    items,
    faults: asked.flatMap(({ error }) => (error ? [error] : [])),
    isComplete: asked.every(({ data }) => data !== undefined),
  }
}

type ApprovalRow = Pick<
  components['schemas']['CallApproval'],
  'approval_id' | 'tool_id' | 'client' | 'flow_id' | 'flow_version' | 'created_at' | 'expires_at'
>

function approvalNeed(one: ApprovalRow): Need {
  return {
    key: `call:${one.approval_id}`,
    group: 'Answer now',
    icon: 'mail',
    tone: 'wait',
    title: (
      <>
        <Name text={one.client} /> wants to call <code>{one.tool_id}</code>
      </>
    ),
    note: `Held, under a grant of ${one.flow_id} ${one.flow_version}`,
    at: one.created_at,
    until: one.expires_at,
    open: 'Look and decide',
  }
}

function requestNeed({ request_id, asks_for, way, client_name, created_at, expires_at }: OwnerRequest): Need {
  return {
    key: `request:${request_id}`,
    group: 'Let in',
    icon: 'device',
    tone: 'live',
    title: asks_for === 'owner' ? 'A program asks to act for you' : 'A program asks to come in',
    note: (
      <>
        {way === 'code' ? 'Shows a code' : 'Opened a page in your browser'} · calls itself{' '}
        <Foreign text={client_name} />
      </>
    ),
    at: created_at,
    until: expires_at,
    open: way === 'code' ? 'Compare code' : 'Look',
  }
}

function pinNeed(one: { review_id: string; tool_id: string; opened_at: string }): Need {
  return {
    key: `pin:${one.review_id}`,
    group: 'Alerts',
    icon: 'tools',
    tone: 'no',
    title: (
      <>
        <code>{one.tool_id}</code> is not what you pinned
      </>
    ),
    note: 'Its server changed it. This tool is closed, the others go on.',
    at: one.opened_at,
    open: 'Compare',
  }
}

function findingNeed({ subject, detail }: { subject: string; detail: string }): Need {
  return {
    key: `finding:${subject}`,
    group: 'Alerts',
    icon: 'failed',
    tone: 'no',
    title: subject,
    note: <Name text={detail} />,
    open: 'Look',
  }
}

function alertNeed(one: components['schemas']['ToolboxAlert']): Need {
  const { agent_id, violations, last_violation_at } = one
  return {
    key: `alert:${agent_id}`,
    group: 'Alerts',
    icon: 'failed',
    tone: 'no',
    title: (
      <>
        <Name text={agent_id} /> is in Alert Mode
      </>
    ),
    note: `${violations} tries to get out of its seat`,
    at: last_violation_at,
    open: 'Look',
  }
}

function proposalNeed(one: components['schemas']['FlowProposalReview']): Need {
  const { proposal_id, flow_id, base_version, flow_version, intent, created_at, created_by } = one
  return {
    key: `proposal:${proposal_id}`,
    group: 'Review',
    icon: 'flows',
    tone: 'wait',
    title: (
      <>
        Proposal: {flow_id} {base_version !== null && `${base_version} → `}
        {flow_version}
      </>
    ),
    note: (
      <>
        by <Name text={created_by} /> <Foreign text={intent} />
      </>
    ),
    at: created_at,
    open: 'Review',
  }
}

function letterNeed(one: components['schemas']['BoundaryDeadLetter']): Need {
  return {
    key: `letter:${one.dead_letter_id}`,
    group: 'Alerts',
    icon: 'failed',
    tone: 'fail',
    title: 'An answer of an engine could not be kept',
    note: <Name text={one.dead_letter_id} />,
    at: one.created_at,
    open: 'Look',
  }
}
