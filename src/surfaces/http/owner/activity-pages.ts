import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { auditList } from '../../../domains/admin/audit-list.ts'
import { auditVerify } from '../../../domains/admin/audit-verify.ts'
import { alertAcknowledge } from '../../../domains/toolbox/watch/alert-acknowledge.ts'
import { alertList } from '../../../domains/toolbox/watch/alert-list.ts'
import { violationList } from '../../../domains/toolbox/watch/violation-list.ts'
import type { Operation } from '../../../operations/define-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { Answer } from '../../../operations/run-operation.ts'
import type { ChainReport } from '../../../platform/audit/verify-chain.ts'
import { inputReader } from '../route-input.ts'
import { fieldOf, formToken, runForm } from './owner-forms.ts'
import { addressIn, askIn, queryOf, sentenceOf, vaultNamed, vaultOfPage } from './owner-vault.ts'
import { showSignInFirst } from './sign-in-pages.ts'
import {
  ACTIVITY_PATH,
  type ActivityVisit,
  activityView,
  describeChain,
  type ShownPart,
} from './views/activity-view.ts'
import { sendPage } from './views/page-layout.ts'

const RECORDS_SHOWN = 30
const VIOLATIONS_SHOWN = 5
/** There is more room where nothing else is shown. */
const VIOLATIONS_ALONE = 30
const ALERTS_SHOWN = 20

/** What the address may say of each part, in the words of its operation. */
const ASKED: Readonly<Record<Exclude<ShownPart, 'all'>, readonly string[]>> = {
  log: ['operation', 'outcome', 'before_seq'],
  violations: ['agent_id', 'before'],
  alerts: ['cursor'],
}

/** What is told beside the lists. */
interface Outcome {
  readonly status: number
  readonly fault?: string | undefined
  readonly told?: string | undefined
}

/** Where the owner sees what happened, and whether the record of it can be trusted. */
export function addActivityPages(pages: FastifyInstance, hub: Hub): void {
  pages.get(ACTIVITY_PATH, (request, reply) => {
    const told = queryOf(request, 'told') === 'acknowledge' ? 'It is acknowledged.' : undefined
    return showActivity(hub, request, reply, { status: 200, told })
  })
  // The answer to the form is the page with the result: it is true of this moment, and of no address.
  pages.post(`${ACTIVITY_PATH}/verify`, async (request, reply) => {
    const answer = await runForm(hub, request, reply, auditVerify, {})
    return showActivity(hub, request, reply, answer.ok ? chainOutcome(answer) : faultOutcome(answer))
  })
  pages.post(`${ACTIVITY_PATH}/acknowledge`, async (request, reply) => {
    const vault = vaultNamed(request)
    const input = { agent_id: fieldOf(request, 'agent_id') }
    const answer = await runForm(hub, request, reply, alertAcknowledge, input, { vault })
    if (!answer.ok) return showActivity(hub, request, reply, faultOutcome(answer))
    return reply.redirect(addressIn(ACTIVITY_PATH, vault, { told: 'acknowledge' }), 303)
  })
}

function chainOutcome({ text }: Answer): Outcome {
  const report = JSON.parse(text) as ChainReport
  return { status: 200, [report.intact ? 'told' : 'fault']: describeChain(report) }
}

function faultOutcome(answer: Answer): Outcome {
  return { status: answer.status, fault: sentenceOf(answer) }
}

async function showActivity(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, fault, told }: Outcome,
): Promise<FastifyReply> {
  if (request.identity.caller.kind !== 'owner_session')
    return showSignInFirst(hub, request, reply, status, fault)
  const page = vaultOfPage(request)
  const part = partIn(request)
  const read = await readParts(hub, request, page.vault, part)
  const visit: ActivityVisit = {
    ...read.lists,
    part,
    vault: page.vault,
    form_token: formToken(hub, request, reply),
    outcome: askedIn(request, 'outcome'),
    operation: askedIn(request, 'operation'),
    agent_id: askedIn(request, 'agent_id'),
  }
  const wrong = fault ?? page.fault ?? (read.failed && faultOfLists(read.failed))
  const good = page.fault === undefined ? status : 400
  return sendPage(reply, read.failed?.status ?? good, {
    title: 'Activity',
    lead: 'Who did what, what was refused, and which agents go against the rules.',
    fault: wrong,
    told: wrong === undefined ? told : undefined,
    body: activityView(visit),
    wide: true,
    signed_in: true,
  })
}

/** What cannot be read may be so because somebody changed it, and the page has the way to know. */
function faultOfLists(failed: Answer): string {
  const hint =
    failed.status >= 500 ? ' Check whether the log is intact: one that was changed is not used.' : ''
  return `${sentenceOf(failed)}${hint}`
}

/** One value of the address. An operation is typed, and a space that a keyboard put behind it names none. */
function askedIn(request: FastifyRequest, name: string): string | undefined {
  const value = queryOf(request, name)
  return name === 'operation' ? value?.trim() || undefined : value
}

/** Which part of the page an address is about: one that says something of a part is about that alone. */
function partIn(request: FastifyRequest): ShownPart {
  const parts = ['log', 'violations', 'alerts'] as const
  return parts.find((part) => ASKED[part].some((name) => askedIn(request, name) !== undefined)) ?? 'all'
}

/** Asks for what is shown, and for no more: each look is a call, and a record of the log. */
async function readParts(hub: Hub, request: FastifyRequest, vault: string, part: ShownPart) {
  const ask = async (name: Exclude<ShownPart, 'all'>, operation: Operation, limit: number) => {
    if (part !== 'all' && part !== name) return undefined
    const query = Object.fromEntries(
      ASKED[name].flatMap((key) => {
        const value = askedIn(request, key)
        return value === undefined ? [] : [[key, value]]
      }),
    )
    const input = inputReader(operation)({ params: {}, query }) as object
    return askIn(hub, request, vault, operation, { ...input, limit })
  }
  // The log first, so that it does not begin with the looks of this very page.
  const log = await ask('log', auditList, RECORDS_SHOWN)
  const alerts = await ask('alerts', alertList, ALERTS_SHOWN)
  const violations = await ask(
    'violations',
    violationList,
    part === 'all' ? VIOLATIONS_SHOWN : VIOLATIONS_ALONE,
  )
  const lists = { log: listIn(log), alerts: listIn(alerts), violations: listIn(violations) }
  const failed = [log, alerts, violations].find((answer) => answer?.ok === false)
  return { lists: lists as Pick<ActivityVisit, 'log' | 'alerts' | 'violations'>, failed }
}

function listIn(answer: Answer | undefined): unknown {
  return answer?.ok ? JSON.parse(answer.text) : undefined
}
