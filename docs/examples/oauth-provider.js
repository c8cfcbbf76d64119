// An OAuth provider with a paged JSON API behind it, on this machine: authorisation code with PKCE, refresh and
// revocation. It asks nobody and gives access at once, so it is good for trying things out and nothing else.
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { text } from 'node:stream/consumers'

const CLIENT = 'knowtation'
const CALLBACK = /^http:\/\/(localhost|127\.0\.0\.1):\d+\/oauth\/callback$/
const CODE_SECONDS = 60
const TOKEN_SECONDS = 60
/** The lists: how many records a page has, how many pages there are, and how long each takes. */
const LISTS = {
  '/issues': { size: 25, pages: 8, page_ms: 400 },
  '/archive': { size: 10, pages: 2_000, page_ms: 500 },
}

const codes = new Map()
const access = new Map()
const refresh = new Set()
const secret = () => randomBytes(24).toString('base64url')
const inSeconds = (seconds) => Date.now() + seconds * 1_000

function metadata(issuer) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  }
}

/** The owner would be asked here. */
function authorize({ searchParams: asked }, response) {
  const isKnown = asked.get('client_id') === CLIENT && CALLBACK.test(asked.get('redirect_uri'))
  if (!isKnown || asked.get('code_challenge_method') !== 'S256') return send(response, 400, {})
  const code = secret()
  const [challenge, redirect_uri] = [asked.get('code_challenge'), asked.get('redirect_uri')]
  codes.set(code, { challenge, redirect_uri, until: inSeconds(CODE_SECONDS) })
  const back = new URL(redirect_uri)
  back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' })
  response.writeHead(302, { location: back.href }).end()
}

/** A code counts once, for the client that can show the verifier behind its challenge. */
function isGranted(sent) {
  if (sent.get('grant_type') === 'refresh_token') return refresh.delete(sent.get('refresh_token'))
  const kept = codes.get(sent.get('code'))
  codes.delete(sent.get('code'))
  const shown = createHash('sha256')
    .update(sent.get('code_verifier') ?? '')
    .digest('base64url')
  return (
    kept?.challenge === shown && kept.until > Date.now() && kept.redirect_uri === sent.get('redirect_uri')
  )
}

function giveTokens(sent, response) {
  if (!isGranted(sent)) return send(response, 400, { error: 'invalid_grant' })
  const [access_token, refresh_token] = [secret(), secret()]
  access.set(access_token, inSeconds(TOKEN_SECONDS))
  refresh.add(refresh_token)
  console.log(`gave tokens for ${sent.get('grant_type')}`)
  send(response, 200, { access_token, refresh_token, token_type: 'bearer', expires_in: TOKEN_SECONDS })
}

function takeBack(sent, response) {
  const token = sent.get('token')
  if (access.delete(token) || refresh.delete(token)) console.log(`took back: ${sent.get('token_type_hint')}`)
  send(response, 200, {})
}

async function sendPage({ pathname, searchParams }, authorization, response) {
  const until = access.get(authorization?.replace('Bearer ', '')) ?? 0
  if (until < Date.now()) return send(response, 401, {})
  const { size, pages, page_ms } = LISTS[pathname]
  const page = Number(searchParams.get('cursor') ?? 0)
  await pause(page_ms)
  const data = Array.from({ length: size }, (_, n) => ({
    id: page * size + n,
    title: `Number ${page * size + n}`,
  }))
  send(response, 200, { data, next_cursor: page + 1 < pages ? String(page + 1) : null })
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const server = createServer(async (request, response) => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const url = new URL(request.url, issuer)
  const { pathname } = url
  if (pathname === '/.well-known/oauth-authorization-server') return send(response, 200, metadata(issuer))
  if (pathname === '/authorize') return authorize(url, response)
  if (pathname in LISTS) return sendPage(url, request.headers.authorization, response)
  const sent = new URLSearchParams(await text(request))
  if (pathname === '/token') return giveTokens(sent, response)
  if (pathname === '/revoke') return takeBack(sent, response)
  send(response, 404, {})
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
