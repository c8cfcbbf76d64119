import { expect } from 'vitest'
import { openSource } from '../../src/domains/control/connections/open-source.ts'
import type { Source } from '../../src/domains/control/connectors/connector.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type Clock, type DatabaseName, startTestHub, type TestHub } from '../harness/test-hub.ts'
import type { Received } from '../rest/rest-hub.fixture.ts'
import { eventsOf, LOOPBACK_SOURCES, meet, type People } from './intents.fixture.ts'
import { giveAccess, startProvider, type TestProvider } from './oauth-provider.fixture.ts'
import type { Visitor } from './owner-visitor.ts'

export const INTENTS = '/v1/owner/connections/intents'
const findRow = sql<{ connection_id: string; settings_json: string; status: string }>(
  'SELECT connection_id, settings_json, status FROM connections WHERE connection_id = ?',
)

/** A hub, the people who use it, and a provider that knows the hub. */
export interface OAuthStage extends AsyncDisposable {
  readonly clock: Clock
  readonly hub: TestHub
  readonly people: People
  readonly provider: TestProvider
}

export async function openStage(database: DatabaseName): Promise<OAuthStage> {
  const clock: Clock = {}
  const hub = await startTestHub({ database, clock, config: LOOPBACK_SOURCES })
  const people = await meet(hub)
  const provider = await startProvider([callbackOf(hub)])
  const dispose = async () => {
    await provider[Symbol.asyncDispose]()
    await hub.close()
  }
  return { clock, hub, people, provider, [Symbol.asyncDispose]: dispose }
}

/** Where the hub wants the owner sent back to. */
export function callbackOf({ url }: TestHub): string {
  return `http://localhost:${new URL(url).port}/oauth/callback`
}

/** What the owner fills in for the list of the provider. */
export function valuesOf({ provider }: OAuthStage, more: object = {}) {
  const { list_url: url, issuer, client_id } = provider
  return { url, issuer, client_id, scope: 'openid items', ...more }
}

/** The owner goes to the provider, as the console has it: the provider's address is what the hub answers. */
export async function goToProvider(
  stage: OAuthStage,
  intent_id: string,
  more: object = {},
): Promise<{ status: number; text: string; url: string }> {
  const values = valuesOf(stage, more)
  const { status, body } = await stage.people.asOwner('POST', `/_ref/intents/${intent_id}/authorize`, {
    values,
  })
  return { status, text: JSON.stringify(body), url: String(body.authorization_url ?? '') }
}

function onwardsIn(text: string): string {
  return /http-equiv="refresh" content="0;url=([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
}

/** The browser comes back: the callback page leads on to the one that finishes. */
export async function comeBack(
  { people }: OAuthStage,
  callback: URL,
  visitor: Visitor = people.owner,
): Promise<Received> {
  const tiny = await visitor.ask({
    path: `${callback.pathname}${callback.search}`,
    headers: { 'sec-fetch-site': 'cross-site' },
  })
  expect(tiny.status).toBe(200)
  return visitor.ask({ path: onwardsIn(tiny.text), headers: { 'sec-fetch-site': 'same-origin' } })
}

/** The code of the last refusal in the owner's record of events. */
export async function lastFailure({ hub }: OAuthStage): Promise<string | undefined> {
  const failed = (await eventsOf(hub)).filter(({ status }) => status === 'failed').at(-1)
  return (failed?.data as { error: { code: string } } | undefined)?.error.code
}

/** A connection, made as an owner makes it. */
export async function connect(stage: OAuthStage): Promise<string> {
  const { intent_id } = await stage.people.begin('json_api')
  const { url } = await goToProvider(stage, intent_id)
  const done = await comeBack(stage, await giveAccess(url))
  expect([done.status, done.headers.location]).toEqual([303, `/console/data/connect/${intent_id}`])
  const { body } = await stage.people.asAgent('GET', `${INTENTS}/${intent_id}`)
  return body.connection_id as string
}

/** A connection as its collector gets it. */
export async function sourceOf({ hub }: OAuthStage, connection_id: string): Promise<Source> {
  const row = await hub.hub.db.get(findRow, connection_id)
  if (!row) throw new Error('no connection')
  return openSource(hub.hub, row, { checkpoint: null, signal: new AbortController().signal })
}
