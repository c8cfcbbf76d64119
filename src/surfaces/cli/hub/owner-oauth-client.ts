import type { z } from 'zod'
import { homeAt } from '../../../platform/basics/home.ts'
import { PACKAGE_VERSION } from '../../../platform/basics/package-folder.ts'
import { readHubConfig } from '../../../platform/policy/hub-config.ts'
import { CommandFailure } from '../cli-errors.ts'
import type { Invocation } from '../command.ts'
import { USUAL_ADDRESS } from './hub-place.ts'
import { checkAddress, readBounded } from './remote-connection.ts'
import { unreachableHub } from './unreachable-hub.ts'

const TIMEOUT_MS = 30_000
const ANSWER_LIMIT_BYTES = 65_536

/** What one of the hub's OAuth addresses answered. */
export interface OauthAnswer {
  readonly ok: boolean
  readonly body: Readonly<Record<string, unknown>>
}

/** The hub that a command is about, checked before anything is sent there. */
export function hubAddress({ globals, env }: Invocation): string {
  const url = globals.url ?? (env.KNOWTATION_URL || USUAL_ADDRESS)
  return checkAddress(url, readHubConfig(homeAt(globals.home, env)))
}

/** Posts a form to one of the hub's OAuth addresses. */
export async function postForm(
  url: string,
  path: string,
  fields: Record<string, string>,
  bearer?: string,
): Promise<OauthAnswer> {
  const identity = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'user-agent': `knowtation/${PACKAGE_VERSION}`, accept: 'application/json', ...identity },
      body: new URLSearchParams(fields),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { ok: response.ok, body: readBody(await readBounded(response, ANSWER_LIMIT_BYTES)) }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw await unreachableHub(url, error as Error, TIMEOUT_MS)
  }
}

function readBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body === 'object' && body !== null) return { ...body }
  } catch {
    // Told below.
  }
  throw notAHub()
}

/** What a hub says when all is well. Another program may well answer 200, and JSON, to whatever it is asked. */
export function readSuccess<Shape extends z.ZodType>(
  shape: Shape,
  body: OauthAnswer['body'],
): z.output<Shape> {
  const { success, data } = shape.safeParse(body)
  if (!success) throw notAHub()
  return data
}

function notAHub(): CommandFailure {
  return new CommandFailure(
    'HUB_UNEXPECTED',
    'What answered there is not a Knowtation hub.',
    'Check --url: it is the address that `knowtation serve` printed.',
  )
}

/** The failure that a refusal means, with the words of the hub. */
export function oauthFailure({ error, error_description }: OauthAnswer['body']): CommandFailure {
  const code = typeof error === 'string' ? error : 'HUB_UNEXPECTED'
  return new CommandFailure(code, String(error_description ?? 'The hub refused this.'), HINTS[code])
}

const HINTS: Readonly<Record<string, string>> = {
  access_denied: 'The owner said no. Ask them, and log in again.',
  expired_token: 'Run the command again and approve within five minutes.',
}
