import type { z } from 'zod'
import { withNextPage } from '../../operations/present/list-end.ts'
import type { Page } from '../../operations/present/page.ts'
import { renderBearer } from '../../operations/present/secret-once.ts'
import { cellOf, renderTable } from '../../operations/present/table.ts'
import type { TokenCreateOutput } from './token-create.ts'
import type { TokenListOutput } from './token-list.ts'

/** A new token: its secret, which nobody can show again, and what to do with it. */
export function presentNewToken({ token, bearer }: z.output<typeof TokenCreateOutput>, page: Page): string {
  const ends = token.expires_at === null ? 'does not expire' : `expires ${cellOf(token.expires_at)}`
  return [
    `Token ${cellOf(token.token_id)}: role ${cellOf(token.role)}, vault ${cellOf(token.vault_id)}, ${ends}.`,
    ...renderBearer(bearer, page),
    '',
    'Use it:',
    '  export KNOWTATION_TOKEN=<the token>',
    `  knowtation --url ${page.address} --vault ${cellOf(token.vault_id)} flow list`,
    `Revoke it:`,
    `  knowtation token revoke ${cellOf(token.token_id)}`,
  ].join('\n')
}

/** The tokens, a line each, with what has become of them. */
export function presentTokenList(
  { tokens, next_cursor }: z.output<typeof TokenListOutput>,
  page: Page,
): string {
  if (tokens.length === 0) return 'No tokens. `knowtation token create --role viewer` makes one.'
  const rows = tokens.map((token) => [
    token.token_id,
    token.role,
    token.label,
    token.created_at,
    token.revoked_at ? `revoked ${token.revoked_at}` : (token.expires_at ?? 'never'),
  ])
  const table = renderTable(['token', 'role', 'label', 'created', 'ends'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}
