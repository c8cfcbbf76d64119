import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ownerConnectionList } from '../../../domains/control/connections/connection-list.ts'
import { ownerRunCancel, ownerRunLiveList } from '../../../domains/control/runs/run-cancel.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { callOf } from '../operation-call.ts'
import { faultOf, fieldOf, formToken, runForm } from './owner-forms.ts'
import { showSignInFirst } from './sign-in-pages.ts'
import { html } from './views/html.ts'
import { sendPage } from './views/page-layout.ts'
import { runsView, type ShownRun } from './views/run-view.ts'

const PATH = '/owner/runs'

/** Where the owner sees what is being collected at the moment, and stops it. */
export function addRunPages(pages: FastifyInstance, hub: Hub): void {
  pages.get(PATH, (request, reply) => showRuns(hub, request, reply, 200))
  pages.post(`${PATH}/cancel`, async (request, reply) => {
    const input = { run_id: fieldOf(request, 'run_id') }
    const answer = await runForm(hub, request, reply, ownerRunCancel, input)
    if (!answer.ok) return showRuns(hub, request, reply, answer.status, faultOf(answer))
    return reply.redirect(`${PATH}?told=cancel`, 303)
  })
}

async function showRuns(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  const { identity, headers, query } = request
  if (identity.caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const ask = (operation: Operation, input: object) =>
    runOperation(hub, callOf(operation, identity, headers, input, undefined))
  const answer = await ask(ownerRunLiveList, {})
  const { data = [] } = JSON.parse(answer.text) as { data?: ShownRun[] }
  const listed = data.length > 0 ? await ask(ownerConnectionList, { limit: 200 }) : undefined
  const connections = JSON.parse(listed?.text ?? '{}') as {
    data?: { connection_id: string; display_name: string }[]
  }
  const names = new Map(connections.data?.map((one) => [one.connection_id, one.display_name]))
  const { told } = query as { told?: string }
  return sendPage(reply, answer.ok ? status : answer.status, {
    title: 'Runs',
    lead: 'What is being collected at the moment. Cancelling stops one run; what it collected stays.',
    fault: fault ?? (answer.ok ? undefined : faultOf(answer)),
    told: fault === undefined && told === 'cancel' ? 'The run is told to stop.' : undefined,
    body: answer.ok ? runsView(formToken(hub, request, reply), data, names) : html``,
    wide: true,
    signed_in: true,
  })
}
