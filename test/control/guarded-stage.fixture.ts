import { expect } from 'vitest'
import { type DatabaseName, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { type GuardedOptions, type GuardedServer, startGuardedServer } from './guarded-server.fixture.ts'
import { LOOPBACK_SOURCES, meet, type People } from './intents.fixture.ts'
import { giveAccess } from './oauth-provider.fixture.ts'

/** A hub with its owner, and a server that wants tokens of a real provider. */
export interface Stage {
  readonly hub: TestHub
  readonly people: People
  readonly server: GuardedServer
}

/** Stages, and whatever else has to be ended after a test. */
export function openStages() {
  const ends: (() => Promise<unknown>)[] = []
  return {
    ends,
    async endAll() {
      for (const end of ends.splice(0).toReversed()) await end()
    },
    async openStage(
      database: DatabaseName = 'sqlite',
      options: GuardedOptions = {},
      config: object = LOOPBACK_SOURCES,
    ): Promise<Stage> {
      const server = await startGuardedServer(options)
      ends.push(async () => server[Symbol.asyncDispose]())
      const hub = await startTestHub({ database, config })
      ends.push(() => hub.close())
      return { server, hub, people: await meet(hub) }
    },
  }
}

/** The owner begins a connection to the server and gives access at its provider; answers the last step. */
export async function authorise({ people, server }: Stage, more: { begin?: object; values?: object } = {}) {
  const { intent_id } = await people.begin('tool_provider', more.begin)
  const values = { url: server.url, ...more.values }
  const asked = await people.asOwner('POST', `/_ref/intents/${intent_id}/authorize`, { values })
  if (asked.status !== 200) return asked
  const callback = await giveAccess(String(asked.body.authorization_url))
  const path = `/_ref/intents/${intent_id}/complete`
  return people.asOwner('POST', path, { callback_url: callback.href })
}

/** The connection that comes of it. */
export async function connected(stage: Stage, begin: object = {}): Promise<string> {
  const { status, body } = await authorise(stage, { begin })
  expect([status, body.state]).toEqual([200, 'completed'])
  return String(body.connection_id)
}
