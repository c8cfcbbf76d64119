import type { FastifyReply } from 'fastify'
import { type Html, html } from './owner-html.ts'

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
}

/** Pages of the owner's run one script of the hub's own and post to the hub alone. */
const PAGE_HEADERS: readonly (readonly [string, string])[] = [
  [
    'content-security-policy',
    "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  ],
  // With `no-referrer` browsers send forms with the origin `null`, which could be anybody's.
  ['referrer-policy', 'same-origin'],
]

/** Sends one of the owner's pages. */
export function sendPage(reply: FastifyReply, status: number, parts: PageParts): FastifyReply {
  for (const [name, value] of PAGE_HEADERS) reply.header(name, value)
  const path = reply.request.url.replace(/\?.*$/s, '')
  return reply.code(status).type('text/html; charset=utf-8').send(renderPage(parts, path).text)
}

function renderPage(parts: PageParts, path: string): Html {
  const { title, lead, fault, told, body, wide, signed_in, onwards } = parts
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Knowtation</title><link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/owner/style.css">${onwards !== undefined && html`<meta http-equiv="refresh" content="0;url=${onwards}">`}
<script src="/owner/script.js" defer></script></head>
<body><header><a class="brand" href="${signed_in ? '/owner' : '/'}"><i></i>Knowtation</a>${signed_in && waysFrom(path)}</header>
<main class="${wide ? 'wide' : 'narrow'}">
<h1>${title}</h1>
${lead !== undefined && html`<p class="lead">${lead}</p>`}
${fault !== undefined && html`<p class="fault" role="alert">${fault}</p>`}
${told !== undefined && html`<p class="told" role="status">${told}</p>`}
${body}
</main></body></html>`
}

const WAYS = [
  ['/owner', 'Account'],
  ['/owner/connections', 'Connections'],
  ['/owner/runs', 'Runs'],
  ['/owner/intents', 'Connect'],
  ['/owner/activity', 'Activity'],
  ['/owner/locks', 'Locks'],
  ['/owner/proposals', 'Proposals'],
  ['/owner/external-agents', 'External agents'],
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
