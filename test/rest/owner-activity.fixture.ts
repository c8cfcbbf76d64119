import { NO_REFERENCES } from '../../src/platform/audit/audit-record.ts'
import type { OwnedHub } from '../control/connection-samples.ts'
import { violate } from '../toolbox/watch-hub.fixture.ts'
import type { Received } from './rest-hub.fixture.ts'

export const ACTIVITY = '/owner/activity'

/** A record as the hub keeps it, in the vault `kept` where nothing else happens. */
export function keepRecord({ hub }: Pick<OwnedHub, 'hub'>, changes: object = {}): Promise<void> {
  return hub.audit.append({
    at: '2026-11-01T12:00:07.000Z',
    vault_id: 'kept',
    surface: 'rest',
    caller_kind: 'token',
    caller_id: 'tok_kept',
    client: 'curl',
    operation: 'flow_list',
    target_kind: null,
    target_id: null,
    outcome: 'allowed',
    code: null,
    duration_us: 1_234,
    policy_revision: 'none',
    repeats: 1,
    ...NO_REFERENCES,
    ...changes,
  })
}

/** Has an agent go against the rules until it is in Alert Mode. */
export async function alarm(
  { hub }: Pick<OwnedHub, 'hub'>,
  agent_id: string,
  more: Parameters<typeof violate>[2] = {},
): Promise<void> {
  for (let count = 0; count < 6; count++) await violate(hub, agent_id, more)
}

/** The sentence at the top of a page that says what went well. */
export const toldIn = ({ text }: Received) => /<p class="told" role="status">([^<]*)</.exec(text)?.[1]
