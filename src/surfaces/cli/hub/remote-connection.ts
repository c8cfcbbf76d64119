import type { Operation } from '../../../operations/define-operation.ts'
import { homeAt } from '../../../platform/basics/home.ts'
import { PACKAGE_VERSION } from '../../../platform/basics/package-folder.ts'
import { type HubConfig, readHubConfig } from '../../../platform/policy/hub-config.ts'
import { CommandFailure, UsageError } from '../cli-errors.ts'
import type { Globals, Invocation } from '../command.ts'
import type { CallAnswer, Connection } from './connection.ts'
import { readErrorBody } from './error-body.ts'
import { placeOfRemote, USUAL_ADDRESS } from './hub-place.ts'
import { presentedBy } from './presented.ts'
import { restRequest } from './rest-request.ts'
import { speaksTls, speaksTlsInstead, unreachableHub } from './unreachable-hub.ts'

const TIMEOUT_MS = 30_000
/** What runs tests, reads a whole project or calls somebody else's tool may take its time; after five minutes fetch itself would give up. */
const LASTING_TIMEOUT_MS = 290_000
const LASTING = ['knowledge_index', 'knowledge_export', 'knowledge_import', 'flow_external_tool_invoke']
const ANSWER_LIMIT_BYTES = 64 * 1_048_576

/** Talks to a running hub over the operations' REST bindings. */
export function connectRemotely(
  url: string,
  { globals, env }: Pick<Invocation, 'globals' | 'env'>,
): Connection {
  const base = checkAddress(url, readHubConfig(homeAt(globals.home, env)))
  const headers = headersOf(globals, env)
  return {
    async call(operation, input) {
      const answer = await callOver(base, headers, operation, input)
      return { ...answer, place: placeOfRemote(base, globals.vault) }
    },
    close: async () => {},
  }
}

/** Checks an address before anything is sent there: this machine, or the public or a pinned name over https. */
export function checkAddress(
  url: string,
  config: Pick<HubConfig, 'hosted_hostnames' | 'public_url'>,
): string {
  const hint = `Give the address of the hub, such as --url ${USUAL_ADDRESS}`
  const parsed = URL.parse(url)
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new UsageError('--url is not a web address.', hint)
  if (parsed.username || parsed.password) {
    throw new UsageError('--url must not hold a user name or password.', 'Use --token or KNOWTATION_TOKEN.')
  }
  if (!isLoopback(parsed.hostname)) checkHosted(parsed, config)
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}

/** A credential must not cross a network in clear text, nor go to a host that the owner never named. */
function checkHosted(
  { protocol, hostname, origin }: URL,
  { hosted_hostnames, public_url }: Pick<HubConfig, 'hosted_hostnames' | 'public_url'>,
): void {
  if (protocol !== 'https:') {
    throw new UsageError(
      'The token would cross the network in clear text.',
      'Use an https:// address; plain http:// is for this machine only.',
    )
  }
  if (origin !== public_url && !hosted_hostnames.includes(hostname)) {
    throw new UsageError(
      'This host is not pinned, so nothing was sent to it.',
      'List it under hosted_hostnames in config.yaml of the home, if it is yours.',
    )
  }
}

/** Whether a host name can only mean this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function headersOf({ token, vault }: Globals, env: NodeJS.ProcessEnv): Record<string, string> {
  const { external_bearer, grant_id } = presentedBy(env)
  const credentials = {
    token,
    vault,
    KNOWTATION_GRANT_BEARER: external_bearer,
    KNOWTATION_GRANT_ID: grant_id,
  }
  for (const [name, value] of Object.entries(credentials)) checkHeaderText(name, value)
  return {
    accept: 'application/json',
    'user-agent': `knowtation/${PACKAGE_VERSION}`,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(vault !== undefined && { 'x-vault-id': vault }),
    ...(external_bearer !== undefined && { 'x-flow-external-bearer': external_bearer }),
    ...(grant_id !== undefined && { 'x-flow-grant-id': grant_id }),
  }
}

/** Told apart from a hub that does not answer, and without a word of what was given. */
function checkHeaderText(name: string, value: string | undefined): void {
  if (/^[\x20-\x7e]*$/.test(value?.trim() ?? '')) return
  throw new UsageError(
    `The ${name} holds a sign that no request can carry.`,
    'Give it as it was shown: letters, digits and plain signs on one line.',
  )
}

async function callOver(
  base: string,
  headers: Record<string, string>,
  operation: Operation,
  input: Record<string, unknown>,
): Promise<CallAnswer> {
  const { method, path, body } = restRequest(operation, input)
  const timeout_ms = timeoutOf(operation)
  try {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      // A redirect would carry the token to an address nobody checked.
      redirect: 'error',
      signal: AbortSignal.timeout(timeout_ms),
      ...(body !== undefined && { body }),
    })
    // What has been done and needs no words is an empty document to programs.
    return await answerOf(base, response, response.status === 204 ? '{}' : await readBounded(response))
  } catch (error) {
    throw error instanceof CommandFailure ? error : await unreachableHub(base, error as Error, timeout_ms)
  }
}

function timeoutOf({ name, authority }: Operation): number {
  return authority.kind === 'seat' || LASTING.includes(name) ? LASTING_TIMEOUT_MS : TIMEOUT_MS
}

async function answerOf(base: string, response: Response, text: string): Promise<CallAnswer> {
  const wait = Number(response.headers.get('retry-after'))
  const code = response.ok ? null : readErrorBody(text).code
  if (!isJson(text) || code === undefined) {
    // Some servers answer 400 in plain words to whoever does not speak TLS.
    if (response.status === 400 && (await speaksTls(base))) throw speaksTlsInstead(base)
    throw new CommandFailure(
      'HUB_UNEXPECTED',
      `What answered there is not a Knowtation hub (status ${response.status}).`,
      'Check --url: it is the address that `knowtation serve` printed.',
    )
  }
  return { ok: response.ok, text, code, retry_after_seconds: wait > 0 ? wait : undefined }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The text of an answer, read no further than it may go. */
export async function readBounded(response: Response, limit_bytes = ANSWER_LIMIT_BYTES): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > limit_bytes) throw new CommandFailure('HUB_UNEXPECTED', 'The answer is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
