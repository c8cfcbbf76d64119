import type { FastifyInstance } from 'fastify'
import { queryOf } from './owner-vault.ts'

/** Where each page that the hub once rendered is now, with what its address named. */
const FORMER: readonly (readonly [string, string, (id: string) => Readonly<Record<string, string>>])[] = [
  ['/owner', '/console', () => ({})],
  ['/owner/activity', '/console/activity', () => ({})],
  ['/owner/approvals', '/console/inbox', () => ({})],
  ['/owner/approvals/:id', '/console/inbox', (id) => ({ item: `call:${id}` })],
  ['/owner/proposals', '/console/inbox', () => ({})],
  ['/owner/proposals/:id', '/console/inbox', (id) => ({ item: `proposal:${id}` })],
  ['/owner/connections', '/console/data', () => ({})],
  ['/owner/runs', '/console/data', () => ({})],
  ['/owner/intents', '/console/data/connect', () => ({})],
  ['/owner/locks', '/console', () => ({})],
  ['/owner/consents', '/console/agents', () => ({ tab: 'consents' })],
]
/** Ids of the hub's own; any other text leads to the page without it. */
const ID = /^[a-z]{1,8}_[a-z0-9_]{1,64}$/

/** Leads old addresses, kept as bookmarks or told in messages, to the pages of the console. */
export function addFormerPages(pages: FastifyInstance): void {
  for (const [former, now, queryFor] of FORMER)
    pages.get(former, (request, reply) => {
      const { id = '' } = request.params as { id?: string }
      const vault = queryOf(request, 'vault')
      const named = id === '' || ID.test(id) ? queryFor(id) : {}
      const query = new URLSearchParams({ ...(vault !== undefined && { vault }), ...named }).toString()
      return reply.redirect(query === '' ? now : `${now}?${query}`, 303)
    })
  pages.get('/owner/intents/:id', (request, reply) => {
    const { id } = request.params as { id: string }
    return reply.redirect(ID.test(id) ? `/console/data/connect/${id}` : '/console/data/connect', 303)
  })
}
