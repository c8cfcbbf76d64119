import { isIP } from 'node:net'
import { addressSet } from './address-set.ts'

/** Addresses that no public service has: private, local, shared, test, multicast, reserved, metadata. */
const CLOSED_V4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  // The host agent of one cloud answers on an address that looks public.
  '168.63.129.16/32',
]
/**
 * All but global unicast (2000::/3), and what lies in it for tunnels, tests and protocols. That covers
 * the forms that carry an IPv4 address: mapped, compatible, NAT64, 6to4 and Teredo.
 */
const CLOSED_V6 = ['::/3 4000::/2 8000::/1', '2001::/23 2001:db8::/32 2002::/16 3fff::/20']
const closed = addressSet([...CLOSED_V4, ...CLOSED_V6].flatMap((ranges) => ranges.split(' ')))
const LOOPBACK = ['127.0.0.0/8', '::1']

/** Whether a host at this address could be on the open internet. */
export function isPublicAddress(address: string): boolean {
  return isPlainAddress(address) && !closed(address)
}

/** May a connection to this host and port end at this address? */
export type AddressRule = (address: string, hostname: string, port: string) => boolean

/**
 * The rule of one policy. Its own url may name a closed address, for that host and port alone: a
 * redirect to another port of the same machine has not been named. `allow_addresses` count everywhere.
 */
export function addressRule(policy_url: string, allow_addresses: readonly string[]): AddressRule {
  const url = new URL(policy_url)
  const own_host = bareHost(url.hostname)
  const own_port = portOf(url)
  const isNamed = addressSet(own_host === 'localhost' ? LOOPBACK : isIP(own_host) ? [own_host] : [])
  const isListed = addressSet(allow_addresses)
  return (address, hostname, port) => {
    if (!isPlainAddress(address)) return false
    if (!closed(address) || isListed(address)) return true
    return hostname === own_host && port === own_port && isNamed(address)
  }
}

// A zone (`fe80::1%eth0`) belongs to a local link, and is never what a policy means.
function isPlainAddress(address: string): boolean {
  return isIP(address) !== 0 && !address.includes('%')
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80')
}

function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
