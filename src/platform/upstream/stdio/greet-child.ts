import { setTimeout as pause } from 'node:timers/promises'
import {
  type Ask,
  canGoUngreeted,
  INITIALIZE_PARAMS,
  LISTEN,
  type Manner,
  paramsFor,
  requireVersion,
  tellsOfChanges,
} from '../mcp/mcp-client.ts'
import type { UpstreamFailure } from '../upstream-failure.ts'
import type { RpcLink } from './rpc-link.ts'

interface Greeting {
  readonly link: Pick<RpcLink, 'notify' | 'subscribe'>
  readonly ask: Ask
  /** A child that says nothing for so long to a question of 2026-07-28 is greeted as well. */
  readonly patience_ms: number
}

/** Finds out how a child is to be spoken to, and greets it where it wants that. */
export async function greetChild(greeting: Greeting, wants_greeting: boolean): Promise<Manner> {
  if (wants_greeting) return sayHello(greeting)
  const discovered = discover(greeting)
  // Nobody waits for it where the greeting is answered first.
  discovered.catch(() => {})
  const soon = await Promise.race([
    discovered,
    pause(greeting.patience_ms, 'silent' as const, { ref: false }),
  ])
  if (soon === 'unknown') return sayHello(greeting)
  if (soon === 'ungreeted') return soon
  // It is slow to start, or says nothing to what it does not know: the first good answer counts.
  const hello = sayHello(greeting)
  const late = discovered.then((found) => (found === 'ungreeted' ? found : hello))
  return Promise.any([hello, late]).catch(() => hello)
}

/** Whether it can be asked without a greeting. Servers from before say in many ways that they know no such question. */
async function discover({ link, ask }: Greeting): Promise<'ungreeted' | 'unknown'> {
  const itself = await ask('server/discover', paramsFor('ungreeted', {})).catch((error: UpstreamFailure) => {
    if (error.reason !== 'protocol') throw error
  })
  if (!canGoUngreeted(itself)) return 'unknown'
  if (tellsOfChanges(itself)) link.subscribe(LISTEN.method, paramsFor('ungreeted', LISTEN.params))
  return 'ungreeted'
}

async function sayHello({ link, ask }: Greeting): Promise<'greeted'> {
  requireVersion(await ask('initialize', INITIALIZE_PARAMS))
  link.notify('notifications/initialized')
  return 'greeted'
}
