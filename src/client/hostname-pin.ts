/** The only hosted names a client talks to. */
export const HOSTED_HOSTNAMES: readonly string[] = ['api.knowtation.store']

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The base address, if a client may send its credentials there: loopback, or a pinned name over https. */
export function requirePinnedBase(base: string, pinned: readonly string[] = HOSTED_HOSTNAMES): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError('The address of the hub must be a plain http or https URL.')
  }
  if (LOOPBACK_NAMES.has(url.hostname)) return url
  if (url.protocol !== 'https:' || url.port !== '' || !pinned.includes(url.hostname)) {
    throw new TypeError('The address is neither loopback nor a pinned hosted name. Nothing was sent.')
  }
  return url
}
