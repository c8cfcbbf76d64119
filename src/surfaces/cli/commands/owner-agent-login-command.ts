import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { printable } from '../../../platform/basics/printable.ts'
import { isCommandFailure, UsageError } from '../cli-errors.ts'
import { findFlag, type Invocation } from '../command.ts'
import { credentialPath, prepareCredential, saveCredential } from '../hub/owner-credential.ts'
import { hubAddress, oauthFailure, postForm, readSuccess } from '../hub/owner-oauth-client.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
const DEFAULT_CLIENT_ID = 'knowtation-cli'
const CLIENT_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/
const DEFAULT_INTERVAL_SECONDS = 5
const SLOW_DOWN_SECONDS = 5
/** However long the hub says a code lives, nobody waits longer. */
const WAIT_LIMIT_SECONDS = 1_800
const TEN_YEARS_SECONDS = 315_360_000

const Codes = z.looseObject({
  device_code: z.string().min(1),
  user_code: z.string().min(1),
  verification_uri_complete: z.string().min(1),
  interval: z.number().positive().max(WAIT_LIMIT_SECONDS).default(DEFAULT_INTERVAL_SECONDS),
  expires_in: z.number().positive(),
})
const Issued = z.looseObject({
  agent_id: z.string().min(1),
  access_token: z.string().min(1),
  expires_in: z.number().positive().max(TEN_YEARS_SECONDS),
})

/** `owner agent login`: asks to become an owner agent, waits for the owner's word, and keeps the bearer. */
export async function loginAgent(invocation: Invocation): Promise<number> {
  const { io, globals } = invocation
  const url = hubAddress(invocation)
  const client_id = findFlag(invocation, 'client-id') ?? DEFAULT_CLIENT_ID
  if (!CLIENT_ID.test(client_id))
    throw new UsageError('--client-id is not a plain name.', 'Use letters, digits and . _ : - only.')
  const path = credentialPath(invocation, url)
  prepareCredential(path)
  const client_name = findFlag(invocation, 'name') ?? `${client_id} on ${hostname()}`.slice(0, 64)
  const asked = await postForm(url, '/oauth/device_authorization', { client_id, client_name, scope: 'owner' })
  if (!asked.ok) throw oauthFailure(asked.body)
  const codes = readSuccess(Codes, asked.body)
  const { verification_uri_complete, user_code } = codes
  io.stderr.write(
    printable(`Open ${verification_uri_complete}\nand approve, if the page shows the code ${user_code}.\n`),
  )
  const { agent_id, access_token, expires_in } = await waitForBearer(url, client_id, codes)
  const expires_at = new Date(Date.now() + expires_in * 1_000).toISOString()
  try {
    saveCredential(path, { url, agent_id, client_id, access_token, expires_at })
  } catch (error) {
    // Nobody would have it, and it would count for months.
    await postForm(url, '/oauth/revoke', { token: access_token })
    throw error
  }
  const told = { agent_id, url, credential_file: path, expires_at }
  io.stdout.write(globals.json ? `${JSON.stringify(told)}\n` : printable(renderLogin(told)))
  return 0
}

function renderLogin(told: { agent_id: string; credential_file: string; expires_at: string }): string {
  const until = told.expires_at.slice(0, 10)
  return `Approved: ${told.agent_id}, until ${until}. The bearer is in ${told.credential_file} and is not shown.\n`
}

async function waitForBearer(
  url: string,
  client_id: string,
  { device_code, interval, expires_in }: z.output<typeof Codes>,
): Promise<z.output<typeof Issued>> {
  let pause_seconds = interval
  const limit_ms = Math.min(expires_in, WAIT_LIMIT_SECONDS) * 1_000
  const started = performance.now()
  const fields = { grant_type: GRANT_TYPE, client_id, device_code }
  for (;;) {
    await wait(pause_seconds * 1_000)
    const isOver = () => performance.now() - started > limit_ms
    const answer = await postForm(url, '/oauth/token', fields).catch((error: unknown) => {
      // A hub that is started again still knows the code.
      if (!isCommandFailure(error) || error.code !== 'HUB_UNREACHABLE' || isOver()) throw error
      return undefined
    })
    if (!answer) continue
    if (answer.ok) return readSuccess(Issued, answer.body)
    const { error } = answer.body
    if (error === 'slow_down') pause_seconds += SLOW_DOWN_SECONDS
    else if (error !== 'authorization_pending') throw oauthFailure(answer.body)
    if (isOver())
      throw oauthFailure({ error: 'expired_token', error_description: 'The owner did not answer in time.' })
  }
}
