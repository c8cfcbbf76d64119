import type { Alert } from '../../../../platform/alerts/alert-store.ts'
import type { ListedEvent } from '../../../../platform/alerts/event-store.ts'
import type { ChainedRecord } from '../../../../platform/audit/audit-record.ts'
import type { ChainReport } from '../../../../platform/audit/verify-chain.ts'
import { counted } from '../../../../platform/basics/printable.ts'
import { addressIn, vaultField, vaultForm } from '../owner-vault.ts'
import { type Html, html } from './html.ts'
import { shortWord, word } from './quoted-words.ts'
import { buttonForm, shownTime } from './sign-in-view.ts'

export const ACTIVITY_PATH = '/owner/activity'
/** A path or a call may be long; the command line has it whole. */
const PLACE_CHARS = 160

/** A part of the page, or all of it. */
export type ShownPart = 'all' | 'log' | 'alerts' | 'violations'

/** All that the page shows. A list that is missing was not asked for, or could not be read. */
export interface ActivityVisit {
  readonly part: ShownPart
  readonly vault: string
  readonly form_token: string
  readonly outcome: string | undefined
  readonly operation: string | undefined
  readonly agent_id: string | undefined
  readonly log: { records: ChainedRecord[]; next_before_seq: number | null } | undefined
  readonly alerts: { alerts: Alert[]; next_cursor: string | null } | undefined
  readonly violations: { violations: ListedEvent[]; next_before: string | null } | undefined
}

/** What needs a person first, then whether the log can be trusted, then the log. */
export function activityView(visit: ActivityVisit): Html {
  const { part, vault } = visit
  const back =
    part !== 'all' && html`<p class="plain"><a href="${addressIn(ACTIVITY_PATH, vault)}">All activity</a></p>`
  return html`${back}${part !== 'log' && watchPart(visit)}${(part === 'all' || part === 'log') && html`${chainPart(visit)}${logPart(visit)}`}${vaultForm(ACTIVITY_PATH, vault)}`
}

/** What checking the log found, as loud as the command line says it. */
export function describeChain({
  intact,
  records,
  first_seq,
  last_seq,
  checkpoints,
  fault,
}: ChainReport): string {
  const range = records > 0 ? `, ${first_seq} to ${last_seq}` : ''
  const counts = `${counted(records, 'record')}${range}; ${counted(checkpoints, 'checkpoint')}.`
  return intact
    ? `The audit log is intact: ${counts}`
    : `The audit log is not intact: ${fault} Sound before that: ${counts} Somebody changed the log: keep the database as evidence, and restore a backup.`
}

/** The agents of the toolbox, or one sentence where there is nothing to say of them. */
function watchPart(visit: ActivityVisit): Html {
  const { part, agent_id, alerts, violations } = visit
  const open = alerts?.alerts.filter(({ acknowledged_at }) => acknowledged_at === null) ?? []
  const events = violations?.violations ?? []
  const quiet = [
    ...(alerts && open.length === 0 ? ['No agent is in Alert Mode.'] : []),
    ...(violations && events.length === 0 ? [agent_id === undefined ? NO_EVENTS : NO_OWN_EVENTS] : []),
    ...((alerts || part === 'violations') && (violations || part === 'alerts') ? [] : [UNREAD]),
  ]
  return html`${open.length > 0 && alertsPart(visit, open)}${events.length > 0 && violationsPart(visit, events)}${quiet.length > 0 && html`<p class="empty">${quiet.join(' ')}</p>`}`
}

const NO_EVENTS = 'Nothing was refused to an agent of the toolbox.'
const NO_OWN_EVENTS = 'Nothing is kept of this agent.'
const UNREAD = 'What agents of the toolbox were refused cannot be shown now.'

function alertsPart({ vault, form_token, alerts }: ActivityVisit, open: readonly Alert[]): Html {
  const rows = open.map(({ agent_id, violations, raised_at, last_violation_at }) => {
    const acknowledge = {
      action: `${ACTIVITY_PATH}/acknowledge`,
      form_token,
      label: 'Acknowledge',
      kind: 'small',
      about: agent_id,
    }
    const own = addressIn(ACTIVITY_PATH, vault, { agent_id })
    return html`<li><div><b>${word(agent_id)}</b><span>since ${shownTime(raised_at)} · last ${shownTime(last_violation_at)}</span><span><a href="${own}" aria-label="${counted(violations, 'violation')} of ${agent_id}">${counted(violations, 'violation')}</a></span></div>${buttonForm(acknowledge, { agent_id, vault })}</li>`
  })
  // Open alerts come first: where the last one shown is seen already, none is left.
  const next = open.length === alerts?.alerts.length ? alerts.next_cursor : null
  return html`<section class="alarm"><h2>Agents in Alert Mode</h2><p>They keep going against the rules, and still work. Acknowledging says that you have looked; to stop one, lock it by its id on <a href="/owner/locks">Locks</a>.</p><ul class="list">${rows}</ul>${moreLink('More agents', vault, next === null ? undefined : { cursor: next })}</section>`
}

function violationsPart(
  { vault, agent_id, violations }: ActivityVisit,
  events: readonly ListedEvent[],
): Html {
  const title = agent_id === undefined ? html`In the toolbox` : html`Violations of ${word(agent_id)}`
  const next_before = violations?.next_before ?? null
  const own: Record<string, string> = agent_id === undefined ? {} : { agent_id }
  const next = next_before === null ? undefined : { ...own, before: next_before }
  return html`<section><h2>${title}</h2><p>What agents were refused, and what they did that is critical; newest first.</p><ul class="list calls">${events.map(eventRow)}</ul>${moreLink('Older violations', vault, next)}</section>`
}

function eventRow(event: ListedEvent): Html {
  const { agent_id, severity, violation_type, target_path, command_args, timestamp, repeats } = event
  const path = target_path !== null && html`<span>${shortWord(target_path, PLACE_CHARS)}</span>`
  const call = command_args.length > 0 && html`<span>${shortWord(command_args.join(' '), PLACE_CHARS)}</span>`
  const times = repeats === undefined ? '' : ` · ${repeats} times`
  return html`<li><div><b>${violation_type}</b><i class="ended ${severity === 'CRITICAL' && 'failed'}">${severity.toLowerCase()}</i></div>${call}${path}<span>${word(agent_id)} · ${shownMoment(timestamp)}${times}</span></li>`
}

function chainPart({ vault, form_token }: ActivityVisit): Html {
  const verify = { action: `${ACTIVITY_PATH}/verify`, form_token, label: 'Check the log' }
  return html`<section><h2>Is the log intact?</h2><p>Each record is chained to the one before. The check walks the log of all vaults; a long one takes a while.</p>${buttonForm(verify, { vault })}</section>`
}

function logPart(visit: ActivityVisit): Html {
  const { vault, outcome, operation, log } = visit
  const rows = operation === undefined ? foldedRows(log?.records ?? []) : (log?.records.map(recordRow) ?? [])
  const next = log?.next_before_seq ?? null
  // A call looks at so many records only, and there may be no wanted one among them.
  const none =
    next === null
      ? 'There is no such record.'
      : 'There is none among the newest of these. Look at older ones.'
  const list =
    rows.length > 0
      ? html`<ul class="list calls">${rows}</ul>`
      : html`<p class="empty">${log ? none : 'This cannot be shown now.'}</p>`
  const filter = { ...(outcome !== undefined && { outcome }), ...(operation !== undefined && { operation }) }
  const older = next === null ? undefined : { ...filter, before_seq: String(next) }
  return html`<section><h2>Audit log</h2><p>Every call in the vault ${vault}, newest first. Sign-ins and calls without a good credential belong to no vault: <code>knowtation audit list --outside-vaults</code> has them.</p>${filterForm(visit)}${list}${moreLink('Older records', vault, older)}</section>`
}

const OUTCOMES = ['allowed', 'denied', 'failed'] as const

function filterForm({ vault, outcome, operation }: ActivityVisit): Html {
  const options = OUTCOMES.map(
    (name) => html`<option value="${name}"${name === outcome && html` selected`}>${name}</option>`,
  )
  return html`<form class="row filter" method="get" action="${ACTIVITY_PATH}">${vaultField(vault)}<label>Ended<select name="outcome"><option value="">in any way</option>${options}</select></label><label>Operation<input name="operation" value="${operation ?? ''}" placeholder="any" maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false"></label><button>Show these</button></form>`
}

/** Looking here makes records too. They are kept together, so that they do not push away what they looked for. */
function foldedRows(records: readonly ChainedRecord[]): Html[] {
  const groups: ChainedRecord[][] = []
  for (const record of records) {
    const last = groups.at(-1)
    if (isOwnLook(record) && last?.[0]?.caller_id === record.caller_id && isOwnLook(last[0]))
      last.push(record)
    else groups.push([record])
  }
  return groups.flatMap((group) => {
    const rows = group.map(recordRow)
    const summary = html`Your own looks at this page: ${group.length} calls`
    return group.length === 1
      ? rows
      : [html`<li><details><summary>${summary}</summary><ul class="list calls">${rows}</ul></details></li>`]
  })
}

const LOOKS: readonly string[] = ['audit_list', 'alert_list', 'violation_list']

function isOwnLook({ caller_kind, outcome, operation }: ChainedRecord): boolean {
  return caller_kind === 'owner_session' && outcome === 'allowed' && LOOKS.includes(operation)
}

/** One call: what, how it ended, about which thing, by whom and when. */
function recordRow(record: ChainedRecord): Html {
  const { seq, at, operation, target_kind, target_id, outcome, code, duration_us, repeats } = record
  const target = target_id !== null && html`<span>${target_kind ?? ''} ${word(target_id)}</span>`
  const reason = code !== null && html`<span class="off">${word(code)}</span>`
  const facts = [
    shownMoment(at),
    ...(duration_us > 0 ? [shownLength(duration_us)] : []),
    ...(repeats > 1 ? [`${repeats} times`] : []),
    `no. ${seq}`,
  ]
  return html`<li><div><b>${word(operation)}</b><i class="ended ${outcome}">${outcome}</i></div>${reason}${target}<span>${record.caller_kind} ${word(record.caller_id)} · ${record.surface}, ${word(record.client)}</span><span>${facts.join(' · ')}</span></li>`
}

function moreLink(
  label: string,
  vault: string,
  query: Readonly<Record<string, string>> | undefined,
): Html | false {
  return (
    query !== undefined &&
    html`<p class="note"><a href="${addressIn(ACTIVITY_PATH, vault, query)}">${label}</a></p>`
  )
}

/** Calls follow each other fast: their moment is told to the second. */
function shownMoment(time: string): string {
  return `${time.slice(0, 19).replace('T', ' ')} UTC`
}

function shownLength(duration_us: number): string {
  if (duration_us >= 1_000_000) return `${(duration_us / 1_000_000).toFixed(1)} s`
  return `${(duration_us / 1_000).toFixed(duration_us < 10_000 ? 1 : 0)} ms`
}
