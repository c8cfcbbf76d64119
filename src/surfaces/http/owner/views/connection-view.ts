import { counted } from '../../../../platform/basics/printable.ts'
import { type Html, html } from './html.ts'
import { buttonForm, shownTime, tokenField } from './sign-in-view.ts'

/** What the page needs of a connection, as the list has it. */
export interface ShownConnection {
  readonly connection_id: string
  readonly connector_id: string
  readonly display_name: string
  readonly status: string
  readonly created_at: string
  readonly schedule: { enabled: boolean; next_run_at: string | null } | null
  readonly supported_actions: readonly { family: string; status: string }[]
}

/** What the page tells of the newest run of a connection. */
export interface LastRun {
  readonly status: string
  readonly queued_at: string
  readonly ended_at: string | null
  readonly fault: { readonly message: string } | null
  readonly progress: { readonly records: number }
}

/** The owner's connections, and the way to a new one. */
export function connectionsView(
  form_token: string,
  connections: readonly (ShownConnection & { last_run: LastRun | undefined })[],
  next_cursor: string | null,
): Html {
  const rows = connections.map((one) => connectionPart(form_token, one, one.last_run))
  const more = next_cursor !== null && html`<p class="note"><a href="?cursor=${next_cursor}">More</a></p>`
  return html`${rows.length > 0 ? rows : html`<p class="empty">There is none yet.</p>`}${more}
<p class="plain"><a class="button" href="/owner/intents">Connect a source</a></p>`
}

function connectionPart(form_token: string, connection: ShownConnection, last?: LastRun): Html {
  const { connection_id, connector_id, display_name, status, created_at } = connection
  const button = (act: string, label: string, kind: string) =>
    buttonForm(
      { action: `/owner/connections/${act}`, form_token, label, kind, about: display_name },
      { connection_id },
    )
  const stop =
    status === 'revoked'
      ? button('reactivate', 'Take up again', 'small')
      : button('revoke', 'Revoke', 'small')
  return html`<section><h2>${display_name}</h2><p>${connector_id} · ${status} · ${scheduleText(connection)}</p>
<dl><dt>Connection</dt><dd><code>${connection_id}</code></dd><dt>Since</dt><dd>${shownTime(created_at)}</dd><dt>Last run</dt><dd>${last ? lastRunText(last) : 'none yet'}</dd></dl>
<form class="row" method="post" action="/owner/connections/rename">${tokenField(form_token)}<input type="hidden" name="connection_id" value="${connection_id}">
<label>Name<input name="display_name" value="${display_name}" maxlength="200" required></label><button aria-label="Rename: ${display_name}">Rename</button></form>
<div class="acts">${can(connection, 'run_connection') && button('run', 'Collect now', 'small')}${stop}${can(connection, 'delete_connection') && deletePart(display_name, button('delete', 'Delete for good', 'bad small'))}</div></section>`
}

/** Two steps: nothing that was erased comes back. */
function deletePart(name: string, button: Html): Html {
  return html`<details><summary aria-label="Delete: ${name}">Delete</summary><p>All that it collected is erased with it.</p>${button}</details>`
}

function can({ supported_actions }: ShownConnection, wanted: string): boolean {
  return supported_actions.some(({ family, status }) => family === wanted && status === 'supported')
}

function lastRunText({ status, queued_at, ended_at, fault, progress }: LastRun): string {
  const told = `${status} · ${counted(progress.records, 'record')} · ${shownTime(ended_at ?? queued_at)}`
  return fault ? `${told} · ${fault.message}` : told
}

function scheduleText({ schedule }: ShownConnection): string {
  if (!schedule) return 'no schedule'
  if (!schedule.enabled) return 'schedule paused'
  return schedule.next_run_at === null ? 'scheduled' : `next ${shownTime(schedule.next_run_at)}`
}
