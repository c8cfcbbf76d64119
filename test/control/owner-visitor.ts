import { ownerLinkCreate } from '../../src/domains/control/owner/link-create.ts'
import { runOperation } from '../../src/operations/run-operation.ts'
import { localCaller } from '../../src/platform/identity/caller.ts'
import { askPresence, decidePresence } from '../../src/platform/identity/owner-presence.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { type Received, type Sent, send } from '../rest/rest-hub.fixture.ts'

export const PASSWORD = 'correct horse battery staple'

/** A browser without windows: it keeps cookies, reads forms and posts them from the page's own origin. */
export interface Visitor {
  readonly cookies: Map<string, string>
  /** The token of the page that was shown last. */
  form_token: string
  get(path: string): Promise<Received>
  /** Posts a form of the page; `changes` are headers that differ from what a browser sends. */
  post(path: string, fields: Record<string, string>, changes?: Record<string, string>): Promise<Received>
  ask(sent: Sent): Promise<Received>
}

/** A hub whose owner's name is known. */
type Named = { url: string; hub: Pick<TestHub['hub'], 'ownerName'> }

/** The address of the owner's pages of a hub. */
export function ownerOrigin({ url, hub }: Named): string {
  return `http://${hub.ownerName}:${new URL(url).port}`
}

/** A visitor of the owner's pages, or of the hub under another of its names; with what a TLS proxy adds, where one stands in front. */
export function visitorOf(
  hub: Named,
  host = new URL(ownerOrigin(hub)).host,
  passed_on?: Record<string, string>,
): Visitor {
  const { url } = hub
  const scheme = passed_on ? 'https' : 'http'
  const cookies = new Map<string, string>()
  const visitor: Visitor = {
    cookies,
    form_token: '',
    get: (path) => visitor.ask({ path }),
    post: (path, fields, changes = {}) => {
      const body = new URLSearchParams({ form_token: visitor.form_token, ...fields }).toString()
      const headers = {
        origin: `${scheme}://${host}`,
        'content-type': 'application/x-www-form-urlencoded',
        ...changes,
      }
      return visitor.ask({ method: 'POST', path, body, headers })
    },
    async ask({ headers, ...sent }) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const all = { host, 'user-agent': 'Mozilla/5.0', ...passed_on, ...(cookie && { cookie }), ...headers }
      const answer = await send(url, { ...sent, headers: all })
      for (const line of answer.headers['set-cookie'] ?? []) keepCookie(cookies, line)
      const token = /(?:name="form_token" value=|"form_token":)"([0-9a-f]{64})"/.exec(answer.text)?.[1]
      if (token) visitor.form_token = token
      return answer
    },
  }
  return visitor
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (value === '') cookies.delete(name)
  else cookies.set(name, value)
}

/** The path and query of a fresh one-time link, as `knowtation owner login` prints it. */
export async function makeLink({ hub }: Pick<TestHub, 'hub'>): Promise<{ path: string; link: string }> {
  const call = { operation: ownerLinkCreate, surface: 'cli', caller: localCaller('knowtation') } as const
  const presence = await confirmedPresence(hub, 'owner_link_create', {})
  const answer = await runOperation(hub, { ...call, address: 'local', vault: undefined, input: {}, presence })
  const { pathname, search, searchParams } = new URL((JSON.parse(answer.text) as { url: string }).url)
  return { path: `${pathname}${search}`, link: searchParams.get('link') as string }
}

/** What the owner has confirmed in the browser for a command, without the browser. */
export async function confirmedPresence(
  { db, home, env, system }: TestHub['hub'],
  operation: string,
  input: object,
) {
  const now = system.now()
  return db.transaction(async (tx) => {
    const asked = await askPresence(tx, { home, env, system }, { operation, vault_id: 'default', input })
    await decidePresence(tx, { ...asked, confirmed: true }, now)
    return { confirmed: asked.presence_id }
  })
}

/** Sets the owner up, and answers the signed-in visitor. */
export async function setUpOwner(hub: TestHub): Promise<Visitor> {
  return setUpByLink(hub, new URL((await makeLink(hub)).path, ownerOrigin(hub)))
}

/** The same with a link that was made already. */
export async function setUpByLink(hub: Named, { pathname, search, searchParams }: URL): Promise<Visitor> {
  const visitor = visitorOf(hub)
  await visitor.get(`${pathname}${search}`)
  const link = searchParams.get('link') as string
  const fields = { link, password: PASSWORD, password_again: PASSWORD }
  const done = await visitor.post('/owner/set-up', fields)
  if (done.status !== 303) throw new Error(`not set up: ${done.status} ${done.text}`)
  await visitor.get('/owner/form-token')
  return visitor
}

/** Signs in with the password in a new browser. */
export async function signIn(
  hub: TestHub,
  password = PASSWORD,
): Promise<{ visitor: Visitor; done: Received }> {
  const visitor = visitorOf(hub)
  await visitor.get('/owner/sign-in')
  return { visitor, done: await visitor.post('/owner/sign-in', { password }) }
}

/** What a program without a browser sends: a form, to one of the OAuth addresses. */
export async function oauth(
  { url }: Pick<TestHub, 'url'>,
  path: string,
  fields: Record<string, string>,
  bearer?: string,
): Promise<{ status: number; body: Record<string, unknown>; headers: Received['headers'] }> {
  const body = new URLSearchParams(fields).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await send(url, { method: 'POST', path, body, headers, bearer })
  return { status: answer.status, body: JSON.parse(answer.text), headers: answer.headers }
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** A program that asks to be an owner agent. */
export async function askForAgent(hub: Pick<TestHub, 'url'>, client_id = 'test-agent') {
  const { body } = await oauth(hub, '/oauth/device_authorization', { client_id, client_name: 'Test Agent' })
  const codes = body as { device_code: string; user_code: string; interval: number }
  const poll = () =>
    oauth(hub, '/oauth/token', { grant_type: DEVICE_GRANT, client_id, device_code: codes.device_code })
  return { ...codes, poll }
}

/** An approved owner agent's bearer. */
export async function makeAgent(hub: TestHub, owner: Visitor): Promise<{ bearer: string; agent_id: string }> {
  const { user_code, poll } = await askForAgent(hub)
  await owner.get(`/device?user_code=${user_code}`)
  const decided = await owner.post('/device/approve', { user_code })
  if (decided.status !== 200) throw new Error(`not approved: ${decided.text}`)
  const { body } = await poll()
  return { bearer: body.access_token as string, agent_id: body.agent_id as string }
}

/** Revokes an agent as the owner, by the operation's own route. */
export function revokeAgent(owner: Visitor, agent_id: string): Promise<Received> {
  return owner.ask({ method: 'DELETE', path: `/v1/owner/agents/${agent_id}` })
}
