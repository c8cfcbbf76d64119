import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Hub } from '../../../operations/hub.ts'
import { PACKAGE_FOLDER } from '../../../platform/basics/package-folder.ts'
import { showSignInFirst } from '../owner/sign-in-pages.ts'
import { html } from '../owner/views/html.ts'
import { sendPage } from '../owner/views/page-layout.ts'

const CONSOLE_PATH = '/console'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** Names of built files hold a hash of what is in them, and nothing that could lead out of their folder. */
const ASSET_NAME = /^[A-Za-z0-9_-]{1,100}\.(?:js|css|svg)$/
/** A file of this name never changes. */
const FOR_GOOD = 'public, max-age=31536000, immutable'

/**
 * No inline script, no evaluation, no text that becomes markup: what agents wrote is shown by the application, and has
 * nowhere to become something else.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

interface ConsoleFile {
  readonly type: string
  readonly bytes: Buffer
}

/** Serves the application of the console. Any address below it is a page of the application's own. */
export function addConsole(pages: FastifyInstance, hub: Hub): void {
  const files = new Map<string, ConsoleFile | undefined>()
  const read = (name: string) => {
    if (!files.has(name)) files.set(name, readBuilt(name))
    return files.get(name)
  }
  pages.get(`${CONSOLE_PATH}/assets/:name`, (request, reply) => {
    const { name } = request.params as { name: string }
    const file = ASSET_NAME.test(name) ? read(join('assets', name)) : undefined
    if (!file) return reply.callNotFound()
    return reply.header('cache-control', FOR_GOOD).type(file.type).send(file.bytes)
  })
  const show = (request: FastifyRequest, reply: FastifyReply) => showConsole(hub, request, reply, read)
  pages.get(CONSOLE_PATH, show)
  pages.get(`${CONSOLE_PATH}/*`, show)
}

async function showConsole(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  read: (name: string) => ConsoleFile | undefined,
): Promise<FastifyReply> {
  // At another name than the owner's own the password leads there: who has not given it is not told the name.
  if (request.identity.caller.kind !== 'owner_session') return showSignInFirst(hub, request, reply, 200)
  const index = read('index.html')
  if (!index) return showNotBuilt(reply)
  reply.header('content-security-policy', POLICY).header('referrer-policy', 'same-origin')
  return reply.type('text/html; charset=utf-8').send(index.bytes)
}

function showNotBuilt(reply: FastifyReply): FastifyReply {
  return sendPage(reply, 503, {
    title: 'The console is not built',
    body: html`<div class="card plain">Run <code>npm run build</code> in the checkout, then load this page again.</div>`,
    signed_in: true,
  })
}

function readBuilt(name: string): ConsoleFile | undefined {
  try {
    const bytes = readFileSync(join(PACKAGE_FOLDER, 'dist/console', name))
    return { bytes, type: TYPES[extname(name)] ?? 'text/html; charset=utf-8' }
  } catch {
    return undefined
  }
}
