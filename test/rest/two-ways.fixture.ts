import { type RequestOptions, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { authenticator } from '../../src/platform/identity/authenticate.ts'
import { followHubToken } from '../../src/platform/identity/hub-token.ts'
import { buildApp } from '../../src/surfaces/rest/build-app.ts'
import { registry } from '../harness/call.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'

/** One hub behind two servers: one that answers plain requests past the framework, and one that never does. */
export interface TwoWays {
  readonly hub: TestHub
  readonly ports: { readonly fast: number; readonly framework: number }
  /** The headers of somebody's request; `nonsense` has a bearer that nobody was given. */
  headersFor(who: string, extra: Record<string, string>): Record<string, string>
  close(): Promise<void>
}

export async function startTwoWays(): Promise<TwoWays> {
  const hub = await startTestHub({ clock: { now: new Date('2026-11-15T12:00:00Z') } })
  const hubToken = hub.credentials.bearers.hub ?? ''
  const { db, system, home } = hub.hub
  const followed = followHubToken(home.hubToken)
  const authenticate = authenticator({ db, now: system.now, hubToken: followed, verifyJwt: undefined })
  const framework = buildApp(hub.hub, registry, authenticate, { fast: false })
  await framework.listen({ host: '127.0.0.1', port: 0 })
  const bearers: Record<string, string | undefined> = { ...hub.credentials.bearers, nonsense: 'nonsense' }
  // The first to read brings the starter flows in, which is on record once.
  await fetch(`${hub.url}/api/v1/flows`, { headers: { authorization: `Bearer ${hubToken}` } })
  return {
    hub,
    ports: {
      fast: Number(new URL(hub.url).port),
      framework: (framework.server.address() as AddressInfo).port,
    },
    headersFor: (who, extra) => ({
      host: 'localhost',
      ...(who !== 'none' && { authorization: `Bearer ${bearers[who]}` }),
      ...extra,
    }),
    async close() {
      await framework.close()
      await hub.close()
    },
  }
}

export interface Told {
  status: number | undefined
  headers: object
  body: string
}

/** Every answer of the owner's surface has an id of its own. */
function withoutIds(answer: object): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/\b(req|trc)_[0-9a-f]{16}\b/g, '$1_'))
}

/** Sends a request, its body one piece after the other as a slow client does, and answers what came back. */
export function ask(options: RequestOptions, pieces: readonly Buffer[] = []): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', ...options }, (answer) => {
      let body = ''
      answer.on('data', (chunk) => (body += chunk))
      answer.on('end', () => {
        const { date: _date, ...headers } = answer.headers
        resolve({
          status: answer.statusCode,
          ...(withoutIds({ headers, body }) as Pick<Told, 'headers' | 'body'>),
        })
      })
    })
    sent.on('error', reject)
    const next = (at: number): void => {
      const piece = pieces[at]
      if (!piece) return void sent.end()
      sent.write(piece, () => setImmediate(() => next(at + 1)))
    }
    next(0)
  })
}
