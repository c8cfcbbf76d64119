import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import { anonymous, type Caller } from '../../platform/identity/caller.ts'
import { clientName } from '../../platform/identity/client-name.ts'
import { StorageUnavailable } from '../../platform/storage/database.ts'
import { arrivalJudge } from './arrival.ts'
import { originOf } from './operation-call.ts'
import { findOwnSession } from './owner/owner-cookies.ts'

/** Who a request comes from, as far as its head tells. */
export interface Identity {
  /** Who the request's credentials prove the caller to be. */
  readonly caller: Caller
  /** Why the request may not come in, when it may not. */
  readonly refused: Refusal | undefined
  /** Whether it came in under a name of the owner's pages, the public one included: only there a session counts. */
  readonly named: boolean
  /** Whether it came in from the network: under a hosted name, or the public one. */
  readonly hosted: boolean
  /** Whether it came in under a hosted name, where gateways' callers alone count. */
  readonly pinned: boolean
  /** The hub's own address as the request names it; arrival has checked the name. */
  readonly origin: string
  readonly address: string
  /** Asks again, for a call that takes long, whether the credentials still prove the same caller. */
  readonly stillCounts: () => Promise<boolean>
}

export type Identify = (request: IncomingMessage) => Promise<Identity>

/** Builds what judges the head of a request: where it came from, and whom its credentials name. */
export function identifier(hub: Hub, authenticate: Authenticate): Identify {
  const judge = arrivalJudge(hub.config)
  return async (request) => {
    const { headers, url: target, rawHeaders, socket } = request
    const tls = (socket as TLSSocket).encrypted === true
    const head = { headers, target, rawHeaders, address: socket.remoteAddress ?? '', tls }
    const { loopback, named, refused, address } = judge(head, hub.ownerName)
    const origin = originOf(!loopback, headers)
    const client = clientName(headers['user-agent'])
    const session = named && headers.cookie !== undefined ? findOwnSession(request, origin) : undefined
    const place = loopback ? 'loopback' : named ? 'public' : 'hosted'
    const credentials = { authorization: headers.authorization, session, place, client } as const
    const stillCounts = async () => (await authenticate(credentials)).kind !== 'anonymous'
    const identity = {
      caller: anonymous(client),
      refused,
      named,
      hosted: !loopback,
      pinned: !loopback && !named,
      origin,
      address,
      stillCounts,
    }
    if (refused) return identity
    try {
      return { ...identity, caller: await authenticate(credentials) }
    } catch (error) {
      // Who cannot be checked stays outside, and hears that it is not their fault.
      hub.log.error({ fault: (error as Error).name }, 'authentication failed')
      const unavailable = error instanceof StorageUnavailable
      return { ...identity, refused: new Refusal(unavailable ? 'STORAGE_UNAVAILABLE' : 'RUNTIME_ERROR') }
    }
  }
}
