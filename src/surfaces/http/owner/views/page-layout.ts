import type { FastifyReply } from 'fastify'
import { type Lock, UNREADABLE_LOCK } from '../../../../platform/locks/lock.ts'
import { type Html, html } from './html.ts'
import { shownTime } from './sign-in-view.ts'

/** What a page of the owner's shows around its own part. */
export interface PageParts {
  readonly title: string
  /** One sentence under the title. */
  readonly lead?: string | undefined
  /** What went wrong, or well, with what was just asked. */
  readonly fault?: string | undefined
  readonly told?: string | undefined
  readonly body: Html
  /** Whether the page needs room for lists. */
  readonly wide?: boolean
  /** Whether the owner is signed in, and so sees the way around. */
  readonly signed_in?: boolean
  /** Where the page goes on to by itself. */
  readonly onwards?: string | undefined
  /** Where a form of the page may lead beside the hub itself: such a page runs no script at all. */
  readonly form_action?: string | undefined
}

/** Pages of the owner's run one script of the hub's own and post to the hub alone. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
const PAGE_HEADERS: readonly (readonly [string, string])[] = [
  ['content-security-policy', `${PAGE_POLICY}script-src 'self'; connect-src 'self'; form-action 'self'`],
  // With `no-referrer` browsers send forms with the origin `null`, which could be anybody's.
  ['referrer-policy', 'same-origin'],
]

/** Sends one of the owner's pages. */
export function sendPage(reply: FastifyReply, status: number, parts: PageParts): FastifyReply {
  for (const [name, value] of PAGE_HEADERS) reply.header(name, value)
  const { form_action } = parts
  if (form_action !== undefined)
    reply.header('content-security-policy', `${PAGE_POLICY}form-action 'self' ${form_action}`.trim())
  const path = reply.request.url.replace(/\?.*$/s, '')
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(renderPage(parts, path, reply.request.stopped).text)
}

/** What the owner must not overlook: that nothing goes on, since when, and how it goes on. */
export function stoppedBanner(lock: Lock): Html {
  if (lock === UNREADABLE_LOCK)
    return html`<p class="stopped" role="alert"><b>Everything is stopped:</b> the locks cannot be read, so all calls count as locked. <code>knowtation doctor</code> says why.</p>`
  return html`<p class="stopped" role="alert"><b>Everything is stopped</b> since ${shownTime(lock.locked_at)}${lock.reason !== null && html` (${lock.reason})`}: no agent, token or grant gets anything done. Let it go on in <a href="/console">the console</a>, or run <code>knowtation lock release all</code>.</p>`
}

function renderPage(parts: PageParts, path: string, stopped: Lock | undefined): Html {
  const { title, lead, fault, told, body, wide, signed_in, onwards: next, form_action } = parts
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Knowtation</title><link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/owner/style.css">${next !== undefined && html`<meta http-equiv="refresh" content="0;url=${next}">`}
${form_action === undefined && html`<script src="/owner/script.js" defer></script>`}</head>
<body><header><a class="brand" href="${signed_in ? '/console' : '/'}"><i></i>Knowtation</a>${signed_in && waysFrom(path)}</header>
${stopped && stoppedBanner(stopped)}<main class="${wide ? 'wide' : 'narrow'}">
<h1>${title}</h1>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${fault !== undefined && html`<p class="fault" role="alert">${fault}</p>`}
${told !== undefined && html`<p class="told" role="status">${told}</p>`}
${body}
</main></body></html>`
}

const WAYS = [
  ['/console', 'Console'],
  ['/device', 'Approve an agent'],
] as const

/** The way around, with a mark at the page that is shown or that the shown one belongs to. */
function waysFrom(path: string): Html {
  const here = WAYS.findLast(([to]) => path === to || path.startsWith(`${to}/`))?.[0]
  const links = WAYS.map(([to, name]) => {
    const mark = to === here && html` aria-current="${path === to ? 'page' : 'true'}"`
    return html`<a href="${to}"${mark}>${name}</a>`
  })
  return html`<nav aria-label="Pages">${links}</nav>`
}

/** A page that goes on by itself, with a link for whoever does not want to wait. */
export function onwards(url: string, text: string, label: string): Html {
  return html`<div class="card plain"><p>${text}</p><p><a href="${url}">${label}</a></p></div>`
}
