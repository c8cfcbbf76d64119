/** Within the library every issuer and audience is this one; outside it is the address under which a program came. */
export const ISSUER = 'http://hub.invalid'
export const RESOURCE = `${ISSUER}/mcp`

/** Beside a request is kept under which address of the hub the program asked: its answer comes from there. */
export const ISSUER_PARAMETER = 'hub_issuer'

/** The answer names who gives it (RFC 9207), by the address under which the program asked. */
export function withIssuer(location: string, issuer: string): string {
  const url = new URL(location)
  url.searchParams.set('iss', issuer)
  return url.href
}
