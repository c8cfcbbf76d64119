import { queryOptions } from '@tanstack/react-query'
import { answerOf } from './client'
import type { Hub } from './hub'

const APPROVED = /^proposal_approve|starter_flows|backup/

/** The reads of one flow: its versions, what differs between them, and its forms. */
export const flowToolsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['flow_tool_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/flows/tools', { signal })),
    meta: { follows: APPROVED },
  })

export const versionsQuery = ({ vault, client }: Hub, id: string) =>
  queryOptions({
    queryKey: ['flow_version_list', vault, id],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/flows/{id}/versions', { params: { path: { id } }, signal })),
    meta: { follows: APPROVED },
  })

/** The newest version, whole, as an edit begins with it. */
export const flowExportQuery = ({ vault, client }: Hub, id: string) =>
  queryOptions({
    queryKey: ['flow_export', vault, id],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/flows/{id}/export', { params: { path: { id } }, signal })),
    meta: { follows: APPROVED },
  })

export const compareQuery = ({ vault, client }: Hub, id: string, base: string, version: string) =>
  queryOptions({
    queryKey: ['flow_compare', vault, id, base, version],
    queryFn: ({ signal }) => {
      const params = { path: { id } }
      return answerOf(client.POST('/api/v1/flows/{id}/compare', { params, body: { base, version }, signal }))
    },
    meta: { follows: /policy/ },
  })

export const TEXT_FORMS = ['markdown', 'yaml', 'json'] as const
export const flowTextQuery = (
  { vault, client }: Hub,
  id: string,
  format: (typeof TEXT_FORMS)[number],
  version: string,
) =>
  queryOptions({
    queryKey: ['flow_text', vault, id, format, version],
    queryFn: ({ signal }) => {
      const query = { format, version }
      return answerOf(client.GET('/api/v1/flows/{id}/text', { params: { path: { id }, query }, signal }))
    },
  })

export const flowRunsQuery = ({ vault, client }: Hub, id: string) =>
  queryOptions({
    queryKey: ['flow_run_list', vault, id],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/flows/{id}/runs', { params: { path: { id } }, signal })),
    meta: { follows: /^flow_run/ },
  })
