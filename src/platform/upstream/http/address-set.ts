import { BlockList, isIPv4 } from 'node:net'

/**
 * Tells whether an address is one of these, or in one of these ranges. Each family has its own list: one list would
 * take every IPv4 address for a member of ::/3.
 */
export function addressSet(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => false
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    const family = familyOf(address)
    if (prefix === undefined) lists[family].addAddress(address, family)
    else lists[family].addSubnet(address, Number(prefix), family)
  }
  return (address) => lists[familyOf(address)].check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6'
}
