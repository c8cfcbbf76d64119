import { counted } from '../../../../platform/basics/printable.ts'
import { type Html, html } from './html.ts'
import { buttonForm, shownTime } from './sign-in-view.ts'

/** A run as the owner's surface tells it, as far as the page shows it. */
export interface ShownRun {
  readonly run_id: string
  readonly connection_id: string
  readonly status: string
  readonly queued_at: string
  readonly run_at: string
  readonly attempt: number
  readonly fault: { readonly message: string } | null
  readonly progress: {
    readonly records: number
    readonly total: number | null
    readonly records_per_second: number
    readonly seconds_left: number | null
  }
}

/** The runs that are under way or wait, each with a way to stop it. */
export function runsView(
  form_token: string,
  runs: readonly ShownRun[],
  names: ReadonlyMap<string, string>,
): Html {
  if (runs.length === 0) return html`<p class="empty">Nothing is being collected at the moment.</p>`
  const rows = runs.map((run) => {
    const { run_id, connection_id, status } = run
    const about = names.get(connection_id) ?? connection_id
    const cancel = { action: '/owner/runs/cancel', form_token, label: 'Cancel', kind: 'bad small', about }
    return html`<li><div><b>${about}</b><span>${describeRun(run)} · ${run_id}</span></div>${status !== 'cancelling' && buttonForm(cancel, { run_id })}</li>`
  })
  return html`<section><ul class="list">${rows}</ul><p class="plain"><a href="/owner/runs">Look again</a></p></section>`
}

function describeRun({ status, queued_at, run_at, attempt, fault, progress }: ShownRun): string {
  const { records, total, records_per_second, seconds_left } = progress
  const far = total === null ? counted(records, 'record') : `${records} of ${counted(total, 'record')}`
  const parts = [
    status,
    `since ${shownTime(queued_at)}`,
    ...(records > 0 ? [far, `${records_per_second} a second`] : []),
    ...(seconds_left === null ? [] : [`${seconds_left} s left`]),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(fault ? [fault.message] : []),
    ...(fault && status === 'queued' ? [`next try ${shownTime(run_at)}`] : []),
  ]
  return parts.join(' · ')
}
