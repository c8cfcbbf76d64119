import createClient from 'openapi-fetch'
import type { paths } from './schema'

/** What the hub said instead of doing what was asked. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  constructor(status: number, code: string, message: string, hint?: string) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
  }
}

/** Speaks to the hub about one vault. The session is a cookie that no script can read. */
export function openClient(vault: string) {
  const headers = { 'x-vault-id': vault }
  return createClient<paths>({ baseUrl: location.origin, headers, credentials: 'same-origin' })
}
export type Client = ReturnType<typeof openClient>

interface Fetched<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** The answer of a call, or its refusal thrown. */
export async function answerOf<Data>(call: Promise<Fetched<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch(() => {
    throw new Refused(0, 'UNREACHABLE', 'The hub does not answer.')
  })
  if (response.ok) return data as Data
  throw refusalOf(response.status, error)
}

/** Both envelopes of the hub: `{error, code}` and, on the owner's surface, `{error: {code, message}}`. */
export function refusalOf(status: number, body: unknown): Refused {
  const { error, code, hint } = Object(body) as { error?: unknown; code?: unknown; hint?: unknown }
  const said = typeof hint === 'string' ? hint : undefined
  if (typeof error === 'string') return new Refused(status, String(code ?? status), error, said)
  const own = Object(error) as { code?: unknown; message?: unknown }
  return new Refused(status, String(own.code ?? status), String(own.message ?? 'The hub refused.'), said)
}

/** Whether the session has ended, so that the owner has to sign in again. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof Refused && error.status === 401
}
