import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lockAdd } from '../../../domains/toolbox/watch/lock-add.ts'
import { lockList } from '../../../domains/toolbox/watch/lock-list.ts'
import { lockRelease } from '../../../domains/toolbox/watch/lock-release.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Answer, runOperation } from '../../../operations/run-operation.ts'
import type { Lock } from '../../../platform/locks/lock.ts'
import { callOf } from '../operation-call.ts'
import { faultOf, fieldOf, formToken, runForm } from './owner-forms.ts'
import { showSignInFirst } from './sign-in-pages.ts'
import { html } from './views/html.ts'
import { locksView } from './views/lock-view.ts'
import { sendPage } from './views/page-layout.ts'

const PATH = '/owner/locks'
const PAGE_LIMIT = 100

/** What the page says after something was done. */
const TOLD: Readonly<Record<string, string>> = {
  add: 'It is locked. That counts from the next call.',
  release: 'It is unlocked. Calls go on.',
}

/** Where the owner sees what is stopped, stops an agent, a service or everything, and lets it go on. */
export function addLockPages(pages: FastifyInstance, hub: Hub): void {
  pages.get(PATH, (request, reply) => showLocks(hub, request, reply, 200))
  pages.post(`${PATH}/add`, async (request, reply) => {
    const answer = await runForm(hub, request, reply, lockAdd, typedLock(request))
    return answer.ok ? reply.redirect(`${PATH}?told=add`, 303) : showFault(hub, request, reply, answer)
  })
  pages.post(`${PATH}/release`, async (request, reply) => {
    const kind = fieldOf(request, 'kind')
    const input = kind === 'all' ? { kind } : { kind, id: fieldOf(request, 'id') }
    const answer = await runForm(hub, request, reply, lockRelease, input)
    return answer.ok ? reply.redirect(`${PATH}?told=release`, 303) : showFault(hub, request, reply, answer)
  })
}

/** What was filled in. A space that a keyboard put behind a name would lock nobody. */
function typedLock(request: FastifyRequest): Record<string, string> {
  const fields = ['kind', 'id', 'reason'].map((name) => [name, fieldOf(request, name).trim()] as const)
  return Object.fromEntries(fields.filter(([, text]) => text !== ''))
}

function showFault(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  const isGone = answer.code === 'unknown_lock'
  return showLocks(hub, request, reply, answer.status, isGone ? 'This is not locked.' : faultOf(answer))
}

async function showLocks(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  const { identity, headers, query } = request
  if (identity.caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const { told, cursor } = query as { told?: string; cursor?: string }
  const input = { limit: PAGE_LIMIT, ...(cursor !== undefined && { cursor: String(cursor) }) }
  const answer = await runOperation(hub, callOf(lockList, identity, headers, input, undefined))
  const { locks = [], next_cursor = null } = JSON.parse(answer.text) as {
    locks?: Lock[]
    next_cursor?: string | null
  }
  const happened = typeof told === 'string' && Object.hasOwn(TOLD, told) ? TOLD[told] : undefined
  return sendPage(reply, answer.ok ? status : answer.status, {
    title: 'Locks',
    lead: 'What you have stopped. You yourself can always look around here, and unlock.',
    fault: fault ?? (answer.ok ? undefined : faultOf(answer)),
    told: fault === undefined ? happened : undefined,
    body: answer.ok ? locksView(formToken(hub, request, reply), locks, next_cursor) : html``,
    wide: true,
    signed_in: true,
  })
}
