import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { createRequire } from 'node:module'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Agent, buildConnector } from 'undici'
import { type AddressRule, addressRule } from './address-rules.ts'

// Loaded with the first call that needs it: it takes longer than most commands run.
const require = createRequire(import.meta.url)
const loadUndici = () => require('undici') as typeof import('undici')

const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 30_000
const MAX_CONNECTIONS = 32
const MAX_HEADER_BYTES = 32_768
const MAX_AGENTS = 64

/** The connection was not made because of where it would have ended. */
export class AddressRefused extends Error {
  constructor() {
    super('address refused')
    this.name = 'AddressRefused'
  }
}

export interface Agents {
  /** The connections of one upstream: never shared with a policy of other rules. */
  agentFor(policy_url: string, allow_addresses: readonly string[]): Agent
  close(): Promise<void>
}

export function guardedAgents(lookup: LookupFunction = systemLookup as LookupFunction): Agents {
  const known = new Map<string, Agent>()
  return {
    agentFor(policy_url, allow_addresses) {
      // By the whole address: where one upstream of an origin hangs, the others still have connections of their own.
      const key = JSON.stringify([new URL(policy_url).href, ...allow_addresses])
      const agent = known.get(key) ?? startAgent(addressRule(policy_url, allow_addresses), lookup)
      known.delete(key)
      known.set(key, agent)
      for (const [oldest, idle] of known) {
        if (known.size <= MAX_AGENTS) break
        known.delete(oldest)
        void idle.close()
      }
      return agent
    },
    async close() {
      await Promise.all([...known.values()].map((agent) => agent.destroy()))
      known.clear()
    },
  }
}

function startAgent(rule: AddressRule, lookup: LookupFunction): Agent {
  const undici = loadUndici()
  return new undici.Agent({
    connect: guardedConnector(undici.buildConnector, rule, lookup),
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Every call has its own deadline, which counts from before the connection is made.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/**
 * Checks an address written as such, every address a name stands for, and at last the address the
 * socket is really connected to: between check and use there is no gap for the name to change.
 */
function guardedConnector(
  build: typeof buildConnector,
  rule: AddressRule,
  lookup: LookupFunction,
): buildConnector.connector {
  return (options, callback) => {
    const { hostname } = options
    const port = options.port || (options.protocol === 'https:' ? '443' : '80')
    const isAllowed = (address: string) => rule(address, hostname, port)
    if (isIP(hostname) !== 0 && !isAllowed(hostname)) return callback(new AddressRefused(), null)
    const connect = build({
      timeout: CONNECT_TIMEOUT_MS,
      allowH2: false,
      lookup: guardedLookup(lookup, isAllowed),
    })
    connect(options, (error, socket) => {
      if (error) return callback(error, null)
      if (isAllowed((socket as Socket).remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      callback(new AddressRefused(), null)
    })
  }
}

function guardedLookup(lookup: LookupFunction, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname, options, (error, found, family) => {
      if (error) return callback(error, found, family)
      const addresses = typeof found === 'string' ? [{ address: found }] : (found as LookupAddress[])
      // One closed address among open ones is a name that should not be trusted at all.
      if (addresses.every(({ address }) => isAllowed(address))) return callback(null, found, family)
      callback(new AddressRefused(), '', 0)
    })
  }
}
