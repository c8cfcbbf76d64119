import { queryOptions } from '@tanstack/react-query'
import { answerOf } from './client'
import type { Hub } from './hub'

/** What a lock, or taking one away, is called in the log. */
const LOCKS = /^lock_/
export const RUNS = /run|connection|record/
/** The same for what is read of one source: one that was deleted has nothing to read. */
export const SOURCE = /run|record|connect(?:ion|or)_(?!delete)/

/** Every read of the console: which operation it asks, and after which kinds of change it is asked again. */
export const locksQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['lock_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/locks', { signal })),
    meta: { follows: LOCKS },
  })

export const whoamiQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['whoami', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/whoami', { signal })),
  })

export const doctorQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['doctor', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/doctor', { signal })),
    meta: { follows: /^lock_|policy|token|backup|owner_connection/ },
  })

export const histogramQuery = ({ vault, client }: Hub, minutes = 60) =>
  queryOptions({
    queryKey: ['audit_histogram', vault, minutes],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/audit/histogram', { params: { query: { minutes, bars: 60 } }, signal })),
    meta: { follows: /./ },
  })

export const proposalsQuery = ({ vault, client }: Hub, status: 'proposed' | 'approved' | 'discarded') =>
  queryOptions({
    queryKey: ['proposal_list', vault, status],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/proposals', { params: { query: { status } }, signal })),
    meta: { follows: /^(flow_propose|flow_import|proposal_)/ },
  })

/** One proposal with its draft and what it would change. */
export const proposalQuery = ({ vault, client }: Hub, proposal_id: string) =>
  queryOptions({
    queryKey: ['proposal_show', vault, proposal_id],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/proposals/{proposal_id}', { params: { path: { proposal_id } }, signal })),
    meta: { follows: /^(flow_propose|flow_import|proposal_|policy)/ },
  })

export const approvalsQuery = ({ vault, client }: Hub, state?: 'waiting') =>
  queryOptions({
    queryKey: ['owner_approval_list', vault, state],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/v1/owner/approvals', { params: { query: { ...(state && { state }) } }, signal })),
    meta: { follows: /approval|flow_external_tool_invoke/ },
  })

/** One held call, with all that its tool would be given. */
export const approvalQuery = ({ vault, client }: Hub, approval_id: string) =>
  queryOptions({
    queryKey: ['owner_approval_show', vault, approval_id],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/v1/owner/approvals/{approval_id}', { params: { path: { approval_id } }, signal }),
      ),
    meta: { follows: /approval|flow_external_tool_invoke/ },
  })

export const deadLettersQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['boundary_dead_letter_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/boundary/dead-letters', { signal })),
    meta: { follows: /^boundary_/ },
  })

export const alertsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['alert_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/toolbox/alerts', { signal })),
    meta: { follows: /./ },
  })

export const grantsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['flow_external_grant_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/flows/external-grants', { signal })),
    meta: { follows: /grant|invoke|consent|sign_in/ },
  })

export const connectionsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_connection_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/connections', { signal })),
    meta: { follows: RUNS },
  })

export const executionsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['boundary_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/boundary/executions', { signal })),
    meta: { follows: /^boundary_/ },
  })

export const flowsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['flow_list', vault],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/flows', { params: { query: { limit: 200 } }, signal })),
    meta: { follows: /^proposal_approve|starter_flows|backup/ },
  })

export const flowQuery = ({ vault, client }: Hub, id: string, version?: string) =>
  queryOptions({
    queryKey: ['flow_get', vault, id, version],
    queryFn: ({ signal }) => {
      const query = version === undefined ? {} : { version }
      return answerOf(client.GET('/api/v1/flows/{id}', { params: { path: { id }, query }, signal }))
    },
    meta: { follows: /^proposal_approve/ },
  })

export const PROJECTIONS = ['cursor_rule', 'cli_runbook', 'agent_bundle'] as const
export const projectionQuery = (
  { vault, client }: Hub,
  id: string,
  harness: (typeof PROJECTIONS)[number],
  version: string,
) =>
  queryOptions({
    queryKey: ['flow_project', vault, id, harness, version],
    queryFn: ({ signal }) => {
      const query = { harness, version }
      return answerOf(
        client.GET('/api/v1/flows/{id}/projection', { params: { path: { id }, query }, signal }),
      )
    },
    meta: { follows: /^proposal_approve|policy/ },
  })

export const consentsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_consent_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/consents', { signal })),
    meta: { follows: /consent|sign_in|oauth/ },
  })

export const seatsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['tool_session_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/tool-sessions', { signal })),
    meta: { follows: /^tool_session/ },
  })

export const ownerAgentsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_agent_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/agents', { signal })),
    meta: { follows: /owner_agent|owner_device/ },
  })

export const tokensQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['token_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/tokens', { signal })),
    meta: { follows: /^token_/ },
  })

export interface RecordFilter {
  outcome?: 'allowed' | 'denied' | 'failed'
  operation?: string
  called_by?: string
  grant?: string
  flow?: string
  tool?: string
  since?: string
  until?: string
  hide_own_reads?: boolean
}

export const recordsQuery = ({ vault, client }: Hub, filter: RecordFilter & { limit?: number }) =>
  queryOptions({
    queryKey: ['audit_list', vault, filter],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/audit', { params: { query: filter }, signal })),
    meta: { follows: /./ },
  })

export const explainQuery = ({ vault, client }: Hub, record: number) =>
  queryOptions({
    queryKey: ['explain', vault, record],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/explain', { params: { query: { record } }, signal })),
    meta: { follows: /grant|policy|lock_|token|proposal/ },
  })

export const chainQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['audit_verify', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/audit/verify', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** A record with its neighbours, newest first. */
export const recordQuery = ({ vault, client }: Hub, seq: number) =>
  queryOptions({
    queryKey: ['audit_record', vault, seq],
    queryFn: async ({ signal }) => {
      const query = { before_seq: seq + 2, limit: 3 }
      const { records } = await answerOf(client.GET('/api/v1/audit', { params: { query }, signal }))
      return records
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
