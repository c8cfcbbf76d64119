import type { IncomingMessage } from 'node:http'

const COOKIES_LIMIT_CHARS = 8_192
const SAFE_METHODS = ['GET', 'HEAD']

/** Cookies know no ports, so two hubs on one machine tell theirs apart by name. Over TLS no other host can set them. */
function cookieName(what: 'owner' | 'visit', origin: string): string {
  const secure = origin.startsWith('https:')
  const port = /:(\d{1,5})$/.exec(origin)?.[1] ?? (secure ? '443' : '80')
  return `${secure ? '__Host-' : ''}knowtation_${what}_${port}`
}

/** The value of one of our cookies; undefined when it is missing or there are two. */
export function findCookie(
  what: 'owner' | 'visit',
  { headers }: IncomingMessage,
  origin: string,
): string | undefined {
  const { cookie = '' } = headers
  if (cookie.length > COOKIES_LIMIT_CHARS) return undefined
  const start = `${cookieName(what, origin)}=`
  const found = cookie.split(/; */).filter((pair) => pair.startsWith(start))
  return found.length === 1 ? found[0]?.slice(start.length) : undefined
}

/**
 * The session cookie, where the request can only come from a page of our own or from the owner's own hand.
 * Pages of other ports of this machine count as the same site for browsers, so SameSite alone is not enough.
 */
export function findOwnSession(request: IncomingMessage, origin: string): string | undefined {
  return isSameOrigin(request, origin) ? findCookie('owner', request, origin) : undefined
}

/**
 * Whether no browser says that the request comes from elsewhere. With whatever changes something, browsers name the
 * page's origin, and where it stands to ours; a request with neither is no browser's, and was nobody's to forge.
 */
export function isSameOrigin({ method = 'GET', headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  const isSafe = SAFE_METHODS.includes(method)
  if (site !== undefined && site !== 'same-origin' && !(isSafe && site === 'none')) return false
  if (headers.origin === undefined) return isSafe || site === undefined
  return headers.origin === origin
}

/** The header that puts a cookie into the browser. Scripts never see it, and other sites never send it. */
export function setCookie(
  what: 'owner' | 'visit',
  value: string,
  origin: string,
  max_age_seconds?: number,
): string {
  const lifetime = max_age_seconds === undefined ? '' : `; Max-Age=${max_age_seconds}`
  const secure = origin.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(what, origin)}=${value}; Path=/; HttpOnly; SameSite=Strict${secure}${lifetime}`
}
