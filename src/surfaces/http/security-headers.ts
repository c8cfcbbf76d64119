/** Sent with every answer: nothing here is to be cached, framed, sniffed or shared across origins. */
export const SECURITY_HEADERS: readonly (readonly [string, string])[] = [
  ['cache-control', 'no-store'],
  [
    'content-security-policy',
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  ],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
]

/** The same for the framework, which writes them together with the headers of the answer. */
export const SECURITY_HEADER_VALUES: Readonly<Record<string, string>> = Object.fromEntries(SECURITY_HEADERS)
