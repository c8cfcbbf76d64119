import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  connectionReactivate,
  connectionRename,
  connectionRevoke,
} from '../../../domains/control/connections/connection-changes.ts'
import { connectionDelete } from '../../../domains/control/connections/connection-delete.ts'
import { ownerConnectionList } from '../../../domains/control/connections/connection-list.ts'
import { connectionRun } from '../../../domains/control/runs/run-connection.ts'
import { showRun } from '../../../domains/control/runs/run-shapes.ts'
import { listRuns } from '../../../domains/control/runs/run-store.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { BEFORE_NEWEST } from '../../../operations/page-cursor.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { callOf } from '../operation-call.ts'
import { faultOf, fieldOf, formToken, runForm } from './owner-forms.ts'
import { showSignInFirst } from './sign-in-pages.ts'
import { connectionsView, type ShownConnection } from './views/connection-view.ts'
import { html } from './views/html.ts'
import { sendPage } from './views/page-layout.ts'

const PATH = '/owner/connections'

/** What the page says after something was done. */
const TOLD: Readonly<Record<string, string>> = {
  rename: 'The connection has its new name.',
  run: 'It is being collected. The page Runs shows how far it is, and this one how it ended.',
  revoke: 'The connection is revoked. It collects no more; what it collected is still there.',
  reactivate: 'The connection is active again.',
  delete: 'The connection is deleted, with all that it collected.',
}

/** Where the owner sees the connections, names them, runs them, stops them and deletes them. */
export function addConnectionPages(pages: FastifyInstance, hub: Hub): void {
  pages.get(PATH, (request, reply) => showConnections(hub, request, reply, 200))
  addAct(pages, hub, 'rename', connectionRename[0], ['display_name'])
  addAct(pages, hub, 'run', connectionRun[0])
  addAct(pages, hub, 'revoke', connectionRevoke[0])
  addAct(pages, hub, 'reactivate', connectionReactivate[0])
  addAct(pages, hub, 'delete', connectionDelete[0])
}

function addAct(
  pages: FastifyInstance,
  hub: Hub,
  act: string,
  operation: Operation,
  fields: readonly string[] = [],
): void {
  pages.post(`${PATH}/${act}`, async (request, reply) => {
    const named = ['connection_id', ...fields].map((name) => [name, fieldOf(request, name)])
    const answer = await runForm(hub, request, reply, operation, Object.fromEntries(named))
    if (!answer.ok) return showConnections(hub, request, reply, answer.status, faultOf(answer))
    return reply.redirect(`${PATH}?told=${act}`, 303)
  })
}

async function showConnections(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  fault?: string,
): Promise<FastifyReply> {
  const { identity, headers, query } = request
  if (identity.caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, status, fault)
  const { told, cursor } = query as { told?: string; cursor?: string }
  const input = cursor === undefined ? {} : { cursor: String(cursor) }
  const answer = await runOperation(hub, callOf(ownerConnectionList, identity, headers, input, undefined))
  const { data = [], next_cursor = null } = JSON.parse(answer.text) as {
    data?: ShownConnection[]
    next_cursor?: string | null
  }
  const happened = typeof told === 'string' && Object.hasOwn(TOLD, told) ? TOLD[told] : undefined
  return sendPage(reply, answer.ok ? status : answer.status, {
    title: 'Connections',
    lead: 'Where this hub collects from, in your name and only with your word.',
    fault: fault ?? (answer.ok ? undefined : faultOf(answer)),
    told: fault === undefined ? happened : undefined,
    body: answer.ok
      ? connectionsView(formToken(hub, request, reply), await withLastRuns(hub, data), next_cursor)
      : html``,
    wide: true,
    signed_in: true,
  })
}

/** Each connection with its newest run: whoever connected something here sees here what became of it. */
function withLastRuns(hub: Hub, connections: readonly ShownConnection[]) {
  const now = hub.system.now()
  return Promise.all(
    connections.map(async (connection) => {
      const wanted = { connection_id: connection.connection_id, after: BEFORE_NEWEST, limit: 1 }
      const [newest] = await listRuns(hub.db, wanted)
      return { ...connection, last_run: newest && showRun(newest, now) }
    }),
  )
}
