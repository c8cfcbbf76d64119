import type { z } from 'zod'
import { withLeftOut } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import type { ConsentListOutput } from './consent-operations.ts'

/** What programs were allowed, a line each. */
export function presentConsents({ data, truncated }: z.output<typeof ConsentListOutput>, page: Page): string {
  if (data.length === 0) return 'No program has connected by its address yet.'
  const rows = data.map((one) => [
    one.consent_id,
    one.label,
    one.kind === 'grant'
      ? `${one.flow_id} ${one.flow_version}: ${one.tools.join(', ')}`
      : `${one.role} of ${one.vault_id}`,
    String(one.renewals),
    one.state === 'standing' ? `until ${one.standing_until}` : `${one.end_reason}`,
  ])
  const table = renderTable(['consent', 'name', 'allows', 'renewed', 'state'], rows, page)
  return withLeftOut(table, truncated, page)
}
