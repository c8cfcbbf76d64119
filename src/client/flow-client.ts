import { requirePinnedBase } from './hostname-pin.ts'

export interface FlowClientOptions {
  /** `http://127.0.0.1:4747`, or the hosted address. */
  base: string
  /** The credential of the transport. */
  token: string
  vault_id?: string
  /** A grant's bearer; sent beside the credential, never instead of it. */
  grant_bearer?: string
  timeout_ms?: number
}

/** What a hub refused, by its code. */
export class FlowClientError extends Error {
  override readonly name = 'FlowClientError'
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export interface ProjectionEnvelope {
  schema: string
  vault_id: string
  projection: { flow_id: string; flow_version: string; harness: string; rendered: string; fidelity: object }
  staleness: { stale: boolean; projection_version: string; latest_version: string }
  generator: { generator_version: string; content_hash: string; generated_at: string }
}

export interface FlowClient {
  /** The flow rendered for a harness, in its envelope. */
  project(flow_id: string, harness: string, version?: string): Promise<ProjectionEnvelope>
  /** Whether a projection is behind the latest version the caller may see. */
  projectionStaleness(
    flow_id: string,
    harness: string,
    version?: string,
  ): Promise<ProjectionEnvelope['staleness']>
  /** The flows there are to project. */
  listProjections(): Promise<{ flow_id: string; version: string; title: string }[]>
  /** Invokes a granted tool for the version that the grant is pinned to. */
  invoke(tool_id: string, use: { flow_id: string; flow_version: string; payload?: object }): Promise<unknown>
}

const TIMEOUT_MS = 30_000
const ANSWER_LIMIT_BYTES = 8 * 1_048_576

/** Makes a client for one hub. An address that is not pinned is refused here, before anything is sent. */
export function createFlowClient(options: FlowClientOptions): FlowClient {
  const base = requirePinnedBase(options.base)
  checkHeaderTexts(options)
  const ask = <Body>(method: string, path: string, body?: object) =>
    request<Body>(base, options, method, path, body)
  const project: FlowClient['project'] = (flow_id, harness, version) => {
    const query = new URLSearchParams({ harness, ...(version !== undefined && { version }) })
    return ask('GET', `/api/v1/flows/${encodeURIComponent(flow_id)}/projection?${query}`)
  }
  return {
    project,
    projectionStaleness: async (...which) => (await project(...which)).staleness,
    listProjections: async () =>
      (await ask<{ flows: { flow_id: string; version: string; title: string }[] }>('GET', '/api/v1/flows'))
        .flows,
    invoke: (tool_id, use) =>
      ask('POST', `/api/v1/flows/external-tools/${encodeURIComponent(tool_id)}/invoke`, use),
  }
}

async function request<Body>(
  base: URL,
  options: FlowClientOptions,
  method: string,
  path: string,
  body?: object,
): Promise<Body> {
  const answer = await fetch(new URL(path, base), {
    method,
    headers: headersOf(options, body !== undefined),
    // A redirect could carry the credentials to a host that was never pinned.
    redirect: 'error',
    signal: AbortSignal.timeout(options.timeout_ms ?? TIMEOUT_MS),
    ...(body && { body: JSON.stringify(body) }),
  })
  const parsed = readAnswer<Body>(answer.status, await readBounded(answer))
  if (answer.ok) return parsed
  const { code, error } = parsed
  const says = typeof error === 'string' ? error : 'The hub refused.'
  throw new FlowClientError(answer.status, typeof code === 'string' ? code : 'UNKNOWN', says)
}

/** The whole answer; one that is too large is given up before it is all here. */
async function readBounded(answer: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size] = ['', 0]
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > ANSWER_LIMIT_BYTES)
      throw new FlowClientError(answer.status, 'TOO_LARGE', 'The answer is too large.')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function readAnswer<Body>(status: number, text: string): Body & { error?: unknown; code?: unknown } {
  const parsed = parse(text)
  if (typeof parsed === 'object' && parsed !== null) return parsed as Body & object
  throw new FlowClientError(status, 'UNEXPECTED', 'What answered is not a hub.')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What no header can carry is refused here: the error of the connection itself would quote the credential. */
function checkHeaderTexts({ token, grant_bearer = '', vault_id = '' }: FlowClientOptions): void {
  for (const [name, value] of Object.entries({ token, grant_bearer, vault_id })) {
    if (!/^[\x20-\x7e]*$/.test(value.trim()))
      throw new TypeError(`${name} holds a sign that no header can carry. Nothing was sent.`)
  }
}

function headersOf(
  { token, vault_id, grant_bearer }: FlowClientOptions,
  hasBody: boolean,
): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(vault_id !== undefined && { 'x-vault-id': vault_id }),
    ...(grant_bearer !== undefined && { 'x-flow-external-bearer': grant_bearer }),
  }
}
