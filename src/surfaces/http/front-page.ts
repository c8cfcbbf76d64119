import type { FastifyInstance } from 'fastify'
import type { Hub } from '../../operations/hub.ts'
import { PACKAGE_VERSION } from '../../platform/basics/package-folder.ts'
import type { Lock } from '../../platform/locks/lock.ts'
import type { Identity } from './identify.ts'
import { onboardingOf } from './owner/discovery.ts'
import { stoppedBanner } from './owner/views/page-layout.ts'

/** What watches a hub often asks with HEAD alone. Operations have no such second form: each call is one act on record. */
export const HEAD_TOO = { exposeHeadRoute: true }

/** Metadata for programs, one plain page for people, at the same address. */
export function addFrontPage(app: FastifyInstance, hub: Hub): void {
  app.get('/', HEAD_TOO, async (request, reply) => {
    reply.header('vary', 'accept')
    if (!(request.headers.accept ?? '').includes('text/html'))
      return reply.send({ ...metadata(request.identity), ...(await onboardingOf(hub, request)) })
    const stopped =
      request.identity.caller.kind === 'owner_session' ? await hub.locks.find(undefined) : undefined
    return reply.type('text/html; charset=utf-8').send(renderPage(request.identity, stopped))
  })
  app.get('/icon.svg', (_request, reply) => reply.type('image/svg+xml').send(ICON))
  app.get('/style.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(STYLE))
}

function metadata(identity: Identity) {
  const links = Object.entries(LINKS).filter(([, path]) => isDoorAt(identity, path))
  return { name: 'knowtation', version: PACKAGE_VERSION, links: Object.fromEntries(links) }
}

const LINKS = {
  openapi: '/openapi.json',
  mcp: '/mcp',
  health: '/healthz',
  metrics: '/metrics',
  flows: '/api/v1/flows',
  owner: '/console',
}

/** The owner's pages are under names of their own, and counts on loopback alone. */
function isDoorAt({ hosted, pinned }: Identity, path: string): boolean {
  if (path === '/metrics') return !hosted
  return path !== '/console' || !pinned
}

const DOORS = [
  ['/console', 'Console', 'sign in as the owner: what needs you, what happens, who may do what'],
  ['/mcp', 'MCP', 'for agents and editors that speak MCP'],
  ['/api/v1/flows', 'REST', 'for programs, with the same operations'],
  ['/openapi.json', 'OpenAPI', 'the whole REST surface, described'],
  ['/healthz', 'Health', 'whether a call could be recorded right now'],
  ['/metrics', 'Metrics', 'counts and times for Prometheus'],
] as const

function renderPage(identity: Identity, stopped: Lock | undefined): string {
  const doors = DOORS.filter(([path]) => isDoorAt(identity, path))
    .map(
      ([path, name, use]) =>
        `<li><a href="${path}"><b>${name}</b> <code>${path}</code></a><span>${use}</span></li>`,
    )
    .join('')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Knowtation</title><link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/style.css"></head>
<body>${stopped ? stoppedBanner(stopped).text : ''}<main>
<p class="state"><i></i>running · ${PACKAGE_VERSION}</p>
<h1>Knowtation</h1>
<p class="lead">Agents get what you reviewed and granted, nothing else. Each call is checked by one path and kept in one log.</p>
<h2>Doors</h2><ul>${doors}</ul>
<h2>First steps</h2>
<pre>npx knowtation flow list
npx knowtation mcp config --client claude-code
npx knowtation audit list</pre>
<p class="note">Programs sign in with <code>Authorization: Bearer …</code>; the hub's own token is in <code>hub-token</code> in its home folder.</p>
</main></body></html>`
}

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#12835f" stroke-width="1.5"><circle cx="4" cy="8" r="2.5" fill="#12835f"/><path d="M6.5 8h3M10.500 2.500v11"/><circle cx="12" cy="8" r="2"/></svg>`

const STYLE = `:root{color-scheme:light dark;--ink:#171a18;--soft:#4f5751;--line:#dfe2db;--paper:#f4f5f2;--card:#fff;--mark:#0b6e4f}
@media(prefers-color-scheme:dark){:root{--ink:#e9edea;--soft:#a9b2ac;--line:#2a312d;--paper:#0e1110;--card:#151917;--mark:#5ad4a8}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
main{max-width:44rem;margin:0 auto;padding:4rem 1.5rem}
h1{font-size:2.4rem;letter-spacing:-.02em;margin:.2rem 0 .6rem}h2{font-size:.85rem;text-transform:uppercase;letter-spacing:.08em;color:var(--soft);margin:2.4rem 0 .7rem}
.lead{font-size:1.15rem;color:var(--soft);margin:0;max-width:34rem}
.state{font-size:.85rem;color:var(--soft);margin:0}.state i{display:inline-block;width:.6rem;height:.6rem;border-radius:50%;background:var(--mark);margin-right:.5rem}
ul{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:.7rem;background:var(--card);overflow:hidden}
li{display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:.75rem 1rem;border-top:1px solid var(--line)}li:first-child{border-top:0}
li a{color:inherit;text-decoration:none;min-width:14rem}li a:hover b{color:var(--mark)}li span{color:var(--soft);flex:1;min-width:14rem}
code,pre{font-family:ui-monospace,monospace;font-size:.88em}code{color:var(--soft)}
pre{background:var(--card);border:1px solid var(--line);border-radius:.7rem;padding:1rem;overflow:auto;margin:0}
.note{color:var(--soft);font-size:.92rem}`
