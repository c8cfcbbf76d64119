import type { OwnedHub } from '../control/connection-samples.ts'
import type { Visitor } from '../control/owner-visitor.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { type Received } from './rest-hub.fixture.ts'

export const AGENTS = '/owner/external-agents'

/** The sentence at the top of a page that says what went wrong. */
export const faultIn = ({ text }: Received) => /<p class="fault" role="alert">([^<]*)</.exec(text)?.[1]

/** What the hub says at an address, to its owner. */
export async function readAsOwner(hub: OwnedHub, path: string, headers: Record<string, string> = {}) {
  return JSON.parse((await sendAsOwner(hub, { path, headers })).text)
}

export async function grantsOf(
  hub: OwnedHub,
): Promise<{ grant_id: string; issued_at: string; expires_at: string }[]> {
  return (await readAsOwner(hub, '/api/v1/flows/external-grants')).grants
}

/** The fields of the form for a grant, as the page gives them out. */
export async function mintFields(visitor: Visitor): Promise<Record<string, string>> {
  const { text } = await visitor.get(`${AGENTS}?flow=flow_granted`)
  const once = /name="once" value="([0-9a-f]{32})"/.exec(text)?.[1] ?? ''
  return { once, flow_id: 'flow_granted', flow_version: '1.0.0', ttl_seconds: '900', 'tool.0': 'web_search' }
}
