import type { IncomingMessage } from 'node:http'

const COOKIES_LIMIT_CHARS = 8_192
const SAFE_METHODS = ['GET', 'HEAD']

/** Cookies know no ports, so two hubs on one machine tell theirs apart by name. */
function cookieName(what: 'owner' | 'visit', host: string | undefined): string {
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1] ?? '80'
  return `knowtation_${what}_${port}`
}

/** The value of one of our cookies; nothing when it is missing or there are two. */
export function findCookie(what: 'owner' | 'visit', { headers }: IncomingMessage): string | undefined {
  const { cookie = '', host } = headers
  if (cookie.length > COOKIES_LIMIT_CHARS) return undefined
  const start = `${cookieName(what, host)}=`
  const found = cookie.split(/; */).filter((pair) => pair.startsWith(start))
  return found.length === 1 ? found[0]?.slice(start.length) : undefined
}

/**
 * The session cookie, where the request can only come from a page of our own or from the owner's own hand.
 * Pages of other ports of this machine count as the same site for browsers, so SameSite alone is not enough.
 */
export function findOwnSession(request: IncomingMessage): string | undefined {
  return isSameOrigin(request) ? findCookie('owner', request) : undefined
}

/**
 * Whether no browser says that the request comes from elsewhere. With whatever changes something, browsers name the
 * page's origin, and where it stands to ours; a request with neither is no browser's, and was nobody's to forge.
 */
export function isSameOrigin({ method = 'GET', headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  const isSafe = SAFE_METHODS.includes(method)
  if (site !== undefined && site !== 'same-origin' && !(isSafe && site === 'none')) return false
  if (headers.origin === undefined) return isSafe || site === undefined
  return headers.origin === `http://${headers.host ?? ''}`
}

/** The header that puts a cookie into the browser. Scripts never see it, and other sites never send it. */
export function setCookie(
  what: 'owner' | 'visit',
  value: string,
  host: string | undefined,
  max_age_seconds?: number,
): string {
  const lifetime = max_age_seconds === undefined ? '' : `; Max-Age=${max_age_seconds}`
  return `${cookieName(what, host)}=${value}; Path=/; HttpOnly; SameSite=Strict${lifetime}`
}
