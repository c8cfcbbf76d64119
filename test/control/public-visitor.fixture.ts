import type { TestHub } from '../harness/test-hub.ts'
import { PASSWORD, type Visitor, visitorOf } from './owner-visitor.ts'

export const PUBLIC = 'https://hub.example.test'
export const NAME = 'hub.example.test'
export const PINNED = 'pinned.example.test'

/** The settings of a hub with an address of its own, behind a proxy on this machine. */
export const publicConfig = (failed_authentications_per_minute: number) => ({
  public_url: PUBLIC,
  trusted_proxies: ['127.0.0.1'],
  hosted_hostnames: [PINNED],
  rate_limits: { failed_authentications_per_minute },
})

/** What the proxy adds for somebody on the network. */
export const from = (client: string) => ({ 'x-forwarded-proto': 'https', 'x-forwarded-for': client })

/** A browser somewhere on the network. */
export const outside = (hub: TestHub, client = '192.0.2.7'): Visitor => visitorOf(hub, NAME, from(client))

/** Signs in with the password from somewhere on the network. */
export async function signInOutside(hub: TestHub, client?: string, password = PASSWORD) {
  const visitor = outside(hub, client)
  await visitor.get('/owner/sign-in')
  return { visitor, done: await visitor.post('/owner/sign-in', { password }) }
}
