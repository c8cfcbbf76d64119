import type { z } from 'zod'
import { withNextPage } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderPairs } from '../../../operations/present/present-any.ts'
import { cellOf, renderTable } from '../../../operations/present/table.ts'
import type { OwnerIntentAuthorizeOutput } from './authorize-intent.ts'
import type { ShownIntent } from './intent-schemas.ts'
import type { OwnerIntentListOutput } from './intents.ts'

/** One intent: what it waits for, and the command or page that goes on. */
export function presentIntent(intent: ShownIntent, page: Page): string {
  const { next_step, fault } = intent
  const pairs: [string, unknown][] = [
    ['intent', intent.intent_id],
    ['connector', `${intent.connector_name} (${intent.connector_id})`],
    ['name', intent.display_name ?? '-'],
    ['state', intent.state],
    ['next step', next_step.kind],
    ['', next_step.reason],
    ...(intent.connection_id ? ([['connection', intent.connection_id]] as [string, unknown][]) : []),
    ...(fault ? ([['last try', fault]] as [string, unknown][]) : []),
  ]
  if (intent.state !== 'open') return renderPairs(pairs, page)
  pairs.push(['until', intent.expires_at])
  const where = next_step.url ?? next_step.dashboard_url
  if (where) pairs.push(['page', where])
  if (next_step.enrollment_code) pairs.push(['code', `${next_step.enrollment_code} (shown once)`])
  return `${renderPairs(pairs, page)}\n\n${howToGoOn(intent)}`
}

function howToGoOn({ intent_id, settings, setup_modality, next_step }: ShownIntent): string {
  if (setup_modality === 'local_collector')
    return `Go on with:\n  knowtation collector enroll --code ${next_step.enrollment_code ?? 'CODE'} --folder FOLDER`
  const verb = setup_modality === 'provider_authorization' ? 'open' : 'complete'
  const needed = settings.filter(({ required, kind }) => required || kind === 'file')
  // Where one of several is enough, the first shows how.
  const flags = (needed.length > 0 ? needed : settings.slice(0, 1)).map(({ name, kind }) =>
    kind === 'secret' || kind === 'file' ? ` --from ${name}=FILE` : ` --set ${name}=…`,
  )
  return `Go on with the page, or:\n  knowtation owner intent ${verb} ${intent_id}${flags.join('')}`
}

/** The intents of a list, one a line. */
export function presentIntents(
  { data, next_cursor }: z.output<typeof OwnerIntentListOutput>,
  page: Page,
): string {
  if (data.length === 0)
    return 'No connection was begun. `knowtation owner intent create <connector>` begins one.'
  const rows = data.map(({ intent_id, connector_id, display_name, state, next_step, expires_at }) => [
    intent_id,
    connector_id,
    display_name ?? '-',
    state,
    next_step.kind,
    expires_at,
  ])
  const table = renderTable(['intent', 'connector', 'name', 'state', 'next step', 'until'], rows, page)
  return withNextPage(table, '--cursor', next_cursor, page)
}

/** Where the owner goes, and how it goes on from there without a browser on this machine. */
export function presentAuthorization(
  { intent_id, authorization_url, expires_at }: z.output<typeof OwnerIntentAuthorizeOutput>,
  _page: Page,
): string {
  return [
    `Open this in a browser, and give access there until ${cellOf(expires_at)}:`,
    `  ${cellOf(authorization_url)}`,
    'The browser comes back to this hub by itself. Where it cannot, copy the address that it ends at:',
    `  knowtation owner intent complete ${cellOf(intent_id)} --callback-url 'ADDRESS'`,
  ].join('\n')
}
