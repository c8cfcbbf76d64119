import type { z } from 'zod'
import { nameCell, nameHeading } from '../../../operations/present/label-cells.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import type { GrantListOutput } from './grant-list.ts'
import type { Grant } from './grant-record.ts'

/** The grants, a line each. */
export function presentGrantList(
  { grants, labels }: Pick<z.output<typeof GrantListOutput>, 'grants' | 'labels'>,
  page: Page,
): string {
  if (grants.length === 0) return 'No grants.'
  const rows = grants.map((grant) => [
    grant.grant_id,
    ...nameCell(labels, grant.grant_id),
    `${grant.flow_id} ${grant.flow_version}`,
    grant.allowed_tools,
    `${grant.invocation_count} of ${grant.max_invocations || 'any'}`,
    grant.revoked_at ? `revoked ${grant.revoked_at}` : `until ${grant.expires_at}`,
  ])
  return renderTable(['grant', ...nameHeading(labels), 'flow', 'tools', 'used', 'state'], rows, page)
}

/** One grant in a line. */
export function presentGrant(body: z.output<typeof Grant>, page: Page): string {
  return presentGrantList({ grants: [body] }, page)
}
