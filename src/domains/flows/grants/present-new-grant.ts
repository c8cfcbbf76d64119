import type { z } from 'zod'
import type { Page } from '../../../operations/present/page.ts'
import { presentAny } from '../../../operations/present/present-any.ts'
import { renderBearer } from '../../../operations/present/secret-once.ts'
import { cellOf } from '../../../operations/present/table.ts'
import type { GrantMintOutput } from './grant-mint.ts'

/** A new grant: its secret, what it is good for, and how it is presented. */
export function presentNewGrant(
  { grant, bearer, budgets, pins }: z.output<typeof GrantMintOutput>,
  page: Page,
): string {
  return [
    presentAny(grant, page),
    ...(budgets ? ['Its calls are bounded by the policy:', presentAny(budgets, page)] : []),
    ...(pins ? ['Its tools count as they were reviewed:', presentAny(pins, page)] : []),
    ...renderBearer(bearer, page),
    'The agent sends it in the header X-Flow-External-Bearer, beside a token of its own.',
    `Revoke it:\n  knowtation flow grant revoke ${cellOf(grant.grant_id)}`,
  ].join('\n')
}
