import type { z } from 'zod'
import type { Page } from '../../../operations/present/page.ts'
import { cellOf, renderTable } from '../../../operations/present/table.ts'
import type { OwnerConnectorTemplateListOutput } from './template-list.ts'

/** The connectors, a line each, and what is wrong with those that cannot be used. */
export function presentConnectors(
  { data, faults }: z.output<typeof OwnerConnectorTemplateListOutput>,
  page: Page,
): string {
  const rows = data.map(({ connector_id, display_name, connection_count, setup_plan }) => [
    connector_id,
    display_name,
    setup_plan.support_state,
    setup_plan.next_step_kind,
    connection_count,
  ])
  const table = renderTable(['connector', 'name', 'support', 'first step', 'connections'], rows, page)
  const broken = faults.map(
    ({ connector, message }) => `${cellOf(connector)} cannot be used: ${cellOf(message)}`,
  )
  return [table, ...broken].join('\n')
}
