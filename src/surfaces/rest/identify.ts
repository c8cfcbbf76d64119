import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import { anonymous, type Caller } from '../../platform/identity/caller.ts'
import { clientName } from '../../platform/identity/client-name.ts'
import { StorageUnavailable } from '../../platform/storage/database.ts'
import { judgeArrival } from './arrival.ts'
import { findOwnSession } from './owner-cookies.ts'

/** Who a request comes from, as far as its head tells. */
export interface Identity {
  /** Who the request's credentials prove the caller to be. */
  readonly caller: Caller
  /** Why the request may not come in, when it may not. */
  readonly refused: Refusal | undefined
  /** Whether it came in under a hosted name. */
  readonly hosted: boolean
  readonly address: string
}

/** Judges the head of a request: where it came from, and whom its credentials name. At once where that is known. */
export function identify(
  hub: Hub,
  authenticate: Authenticate,
  request: IncomingMessage,
): Identity | Promise<Identity> {
  const { headers, url: target, rawHeaders } = request
  const { host, origin, authorization } = headers
  const address = request.socket.remoteAddress ?? ''
  const { loopback, refused } = judgeArrival({ host, origin, target, rawHeaders, address }, hub.config)
  const client = clientName(headers['user-agent'])
  const identity = { caller: anonymous(client), refused, hosted: !loopback, address }
  if (refused) return identity
  const session = headers.cookie === undefined ? undefined : findOwnSession(request)
  const found = authenticate({ authorization, session, loopback, client })
  if (!(found instanceof Promise)) return { ...identity, caller: found }
  return found.then(
    (caller) => ({ ...identity, caller }),
    (error: Error) => {
      // Who cannot be checked stays outside, and hears that it is not their fault.
      hub.log.error({ fault: error.name }, 'authentication failed')
      const unavailable = error instanceof StorageUnavailable
      return { ...identity, refused: new Refusal(unavailable ? 'STORAGE_UNAVAILABLE' : 'RUNTIME_ERROR') }
    },
  )
}
