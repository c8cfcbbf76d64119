import { oauthErrors } from '../../../domains/control/consents/oauth-errors.ts'
import { Refusal } from '../../../operations/errors.ts'
import { ISSUER_PARAMETER, RESOURCE } from './issuer.ts'

const URIS_MAX = 10
const URI_CHARS = 2_048
const VALUE_CHARS = 4_096
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/
/** Schemes that a browser or the system does something else with than to hand an answer to a program. */
const NO_PROGRAM =
  /^(javascript|vbscript|data|blob|file|about|filesystem|ftp|ws|wss|view-source|mailto|tel|sms|intent|ldaps?|smb|ssh|telnet|search(-ms)?|chrome(-[a-z]+)?|edge|resource|jar|ms-[a-z-]+):$/
/** A name that a person can read in one line. */
const NAME = /^[\p{L}\p{N}\p{P}\p{S}\p{Zs}]{1,100}$/u
const PLAIN_URI = /^[\x21-\x7e]+$/

/** An address that an answer may be sent to: loopback over http, https anywhere, or a scheme of the program's own. */
function isGoodRedirect(uri: unknown): uri is string {
  if (typeof uri !== 'string' || uri.length > URI_CHARS || !PLAIN_URI.test(uri) || /[#\\]/.test(uri))
    return false
  const url = URL.parse(uri)
  if (!url || url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?]*@/i.test(uri)) return false
  if (url.protocol === 'http:') return LOOPBACK.test(url.hostname)
  // The page's policy names the host: in one of these signs alone it can say nothing else.
  if (url.protocol === 'https:') return /^[a-z0-9.-]+$/.test(url.hostname)
  return !NO_PROGRAM.test(url.protocol)
}

/** Whether the answer stays on this machine, so that a fault may be told there without anybody's word. */
export function isLoopbackRedirect(uri: string | undefined): boolean {
  const url = uri === undefined ? null : URL.parse(uri)
  return url?.protocol === 'http:' && LOOPBACK.test(url.hostname)
}

/** Where an answer goes, as the owner sees it and as a page may be allowed to lead there. */
export function addressOf(redirect_uri: string): string {
  const { protocol, origin, host } = new URL(redirect_uri)
  if (protocol === 'http:' || protocol === 'https:') return origin
  return host === '' ? protocol : `${protocol}//${host}`
}

/** Of a registration only what the sign-in needs: never a logo, a key, or an address that the hub would have to fetch. */
export function readRegistration(body: unknown): Readonly<Record<string, unknown>> {
  const wanted =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Fields) : refuseClient()
  const { redirect_uris, client_name = 'A program without a name', grant_types } = wanted
  if (typeof client_name !== 'string' || !NAME.test(client_name)) return refuseClient()
  const wantsDevice = Array.isArray(grant_types) && grant_types.includes(DEVICE_GRANT)
  if (
    wantsDevice &&
    (redirect_uris === undefined || (Array.isArray(redirect_uris) && redirect_uris.length === 0))
  )
    return { ...PUBLIC, client_name, redirect_uris: [], response_types: [], grant_types: ['refresh_token'] }
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > URIS_MAX)
    throw refusal('invalid_redirect_uri')
  if (!redirect_uris.every(isGoodRedirect)) throw refusal('invalid_redirect_uri')
  return { ...PUBLIC, client_name, redirect_uris }
}

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Programs on people's machines keep no secrets, whatever they ask for. */
const PUBLIC = { application_type: 'native', token_endpoint_auth_method: 'none' }

type Fields = Readonly<Record<string, unknown>>

function refuseClient(): never {
  throw refusal('invalid_client_metadata')
}

const ASKED = [
  'client_id',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
]

/**
 * The request for a sign-in as the library gets it: our scope and audience whatever else was named with them, and the
 * owner asked each time.
 */
export function readAuthorization(query: Fields, origin: string): URLSearchParams {
  const asked = ASKED.filter((name) => query[name] !== undefined).map((name): [string, string] => [
    name,
    oneValue(query[name]),
  ])
  checkResource(query.resource, origin)
  if (query.response_type !== 'code') throw refusal('unsupported_response_type')
  const ours = [[ISSUER_PARAMETER, origin]] as [string, string][]
  return new URLSearchParams([
    ...asked,
    ...ours,
    ['resource', RESOURCE],
    ['scope', 'mcp'],
    ['prompt', 'consent'],
  ])
}

const EXCHANGED = ['grant_type', 'client_id', 'code', 'redirect_uri', 'code_verifier', 'refresh_token']

/** The same for the exchange of a code or a refresh token. */
export function readExchange(fields: Fields, origin: string): URLSearchParams {
  checkResource(fields.resource, origin)
  const given = EXCHANGED.filter((name) => fields[name] !== undefined).map((name): [string, string] => [
    name,
    oneValue(fields[name]),
  ])
  return new URLSearchParams([...given, ['resource', RESOURCE]])
}

function oneValue(value: unknown): string {
  if (typeof value !== 'string' || value.length > VALUE_CHARS || value.includes('\0'))
    throw new Refusal('BAD_REQUEST', 'A parameter is repeated or too long.')
  return value
}

/** Tokens are for the `/mcp` that the program reached the hub by, under whichever of its names. */
function checkResource(resource: unknown, origin: string): void {
  const named = Array.isArray(resource) ? resource : resource === undefined ? [] : [resource]
  if (!named.every((one) => isOwnResource(one, origin))) throw refusal('invalid_target')
}

function isOwnResource(resource: unknown, origin: string): boolean {
  const url = typeof resource === 'string' ? URL.parse(resource) : null
  if (!url || url.search !== '' || url.hash !== '' || url.username + url.password !== '') return false
  const own = new URL(origin)
  const isSame = LOOPBACK.test(own.hostname)
    ? LOOPBACK.test(url.hostname) && url.port === own.port && url.protocol === own.protocol
    : url.origin === own.origin
  return isSame && ['/', '/mcp', '/mcp/'].includes(url.pathname)
}

function refusal(code: keyof typeof oauthErrors.table): Refusal {
  return new Refusal(code)
}
