import type { FastifyRequest } from 'fastify'
import type { RequestId } from '../../../domains/control/consents/consent-decide.ts'
import { ownerDeviceShow } from '../../../domains/control/owner/device.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { findDeviceGrant } from '../../../platform/identity/owner-device-grants.ts'
import { findUserCode } from '../../../platform/identity/owner-user-code.ts'
import { callOf } from '../operation-call.ts'
import { fieldOf } from '../owner/owner-forms.ts'
import { queryOf } from '../owner/owner-vault.ts'
import { addressOf } from './check-request.ts'
import type { SignIn } from './oauth-routes.ts'

/** A program that waits for the owner's word, by whichever of the two ways it came. */
export interface Waiting {
  readonly id: RequestId
  /** Where the page is, and its forms. */
  readonly path: string
  readonly user_code: string | undefined
  readonly client_id: string
  readonly client_name: string
  /** Where its answer goes; a program with a code fetches its own. */
  readonly redirect_uri: string | undefined
  readonly address: string
}

const DEVICE_PATH = '/oauth/consent/device-with-a-code'
const REQUEST = /^[\w-]{16,64}$/

/** Where the owner decides about a program that shows a code. */
export function deviceConsentPath(user_code: string): string {
  return `${DEVICE_PATH}?user_code=${encodeURIComponent(user_code)}`
}

/** The request that a page is about, while it waits. */
export async function findWaiting(signIn: SignIn, request: FastifyRequest): Promise<Waiting | undefined> {
  const { request: id = '' } = request.params as { request?: string }
  const path = `/oauth/consent/${id}`
  if (path === DEVICE_PATH) return findDevice(signIn, request)
  if (!REQUEST.test(id)) return undefined
  const found = await (await signIn.server()).findWaiting(id)
  if (!found) return undefined
  const address = addressOf(found.redirect_uri)
  return { ...found, id: { request: id }, path, user_code: undefined, address }
}

/** Codes are short: each try at one is counted, as on the page where they are typed. */
async function findDevice({ hub }: SignIn, request: FastifyRequest): Promise<Waiting | undefined> {
  const { identity, headers } = request
  const user_code = findUserCode(fieldOf(request, 'user_code') || (queryOf(request, 'user_code') ?? ''))
  if (user_code === undefined) return undefined
  const shown = await runOperation(hub, callOf(ownerDeviceShow, identity, headers, { user_code }, undefined))
  const grant = shown.ok && (await findDeviceGrant(hub.db, user_code, hub.system.now(), 'mcp_pending'))
  if (!grant) return undefined
  const { client_id, client_name, grant_id } = grant
  const id = { device_grant_id: grant_id }
  return {
    id,
    path: DEVICE_PATH,
    user_code,
    client_id,
    client_name,
    redirect_uri: undefined,
    address: 'the program that shows the code',
  }
}
