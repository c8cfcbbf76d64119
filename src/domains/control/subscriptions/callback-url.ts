import { isIP } from 'node:net'
import { isPublicAddress } from '../../../platform/upstream/http/address-rules.ts'

/** A longer address is none that a receiver needs. */
export const CALLBACK_LIMIT_BYTES = 2_048
/** The hosts that are this machine by their very name. */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Below this only the web's own ports on other machines: what listens on the rest speaks something else. */
const FREE_PORTS_FROM = 1_024
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443])

/** What speaks against sending events to an address, in words that may be shown. Names are judged when they are used. */
export function findCallbackFault(text: string, { hosted = false } = {}): string | undefined {
  if (Buffer.byteLength(text) > CALLBACK_LIMIT_BYTES)
    return `The address is longer than ${CALLBACK_LIMIT_BYTES} bytes.`
  const url = URL.parse(text)
  // A parser leaves some of them out, and so what is shown would not be what is asked.
  if (!url || /\p{Cc}/u.test(text)) return 'The address is not a URL.'
  if (url.username !== '' || url.password !== '') return 'The address must not hold a name or password.'
  if (text.includes('#')) return 'The address must not have a fragment.'
  const isLoopback = LOOPBACK_HOSTS.has(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))
    return 'The address must be https; http is for localhost, 127.0.0.1 and [::1] alone.'
  if (isLoopback && hosted) return 'The loopback of the hub is not that of a caller from elsewhere.'
  return findPlaceFault(url, isLoopback)
}

function findPlaceFault({ hostname, port }: URL, isLoopback: boolean): string | undefined {
  if (isLoopback) return undefined
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'The address is not a public one.'
  const number = Number(port || '443')
  if (number < FREE_PORTS_FROM && !WEB_PORTS.has(number)) return 'The port is not one of the web.'
  return undefined
}
