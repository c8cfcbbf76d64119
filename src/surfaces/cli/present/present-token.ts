import { withNextPage } from './list-end.ts'
import type { Page } from './page.ts'
import { presentAny } from './present-any.ts'
import { renderBearer } from './secret-once.ts'
import { cellOf, renderTable } from './table.ts'

interface Token {
  token_id: string
  vault_id: string
  role: string
  label: string | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
}

/** A new token: its secret, which nobody can show again, and what to do with it. */
export function presentNewToken(body: unknown, page: Page): string {
  const { token, bearer } = body as { token: Token; bearer: string }
  const ends = token.expires_at === null ? 'does not expire' : `expires ${cellOf(token.expires_at)}`
  return [
    `Token ${cellOf(token.token_id)}: role ${cellOf(token.role)}, vault ${cellOf(token.vault_id)}, ${ends}.`,
    ...renderBearer(bearer, page),
    '',
    'Use it:',
    '  export KNOWTATION_TOKEN=<the token>',
    `  knowtation --url http://127.0.0.1:4747 --vault ${cellOf(token.vault_id)} flow list`,
    `Revoke it:`,
    `  knowtation token revoke ${cellOf(token.token_id)}`,
  ].join('\n')
}

/** The tokens, a line each, with what has become of them. */
export function presentTokenList(body: unknown, page: Page): string {
  const { tokens, next_cursor } = body as { tokens: Token[]; next_cursor: string | null }
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

/** A new grant: its secret, what it is good for, and how it is presented. */
export function presentNewGrant(body: unknown, page: Page): string {
  const { grant, bearer } = body as { grant: Record<string, unknown>; bearer: string }
  return [
    presentAny(grant, page),
    ...renderBearer(bearer, page),
    'The agent sends it in the header X-Flow-External-Bearer, beside a token of its own.',
    `Revoke it:\n  knowtation flow grant revoke ${cellOf(grant.grant_id)}`,
  ].join('\n')
}
