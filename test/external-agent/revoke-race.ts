import { expect } from 'vitest'
import { DATABASES, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { startGateHub } from './gate-hub.ts'
import { CROWD, type Hall, invokeAt, many, mintAt, revokeAt, tally } from './grant-crowd.ts'
import { toolFlow } from './tool-servers.ts'

const REVOKED = 'FLOW_EXTERNAL_GRANT_REVOKED'
const ROUNDS = 10
const CALLS = 40

/** Registers what becomes of calls that are under way when their grant is revoked. */
export function describeRevokeRace(): void {
  for (const database of DATABASES)
    verifies(
      'GATE-063',
      `nothing is accepted after the revoke, in the order of the record, on ${database}`,
      async () => {
        await using hub = await startGateHub('on', { database })
        await storeFlows(hub.hub, 'default', [toolFlow(CROWD.flow_id, ['web_search'])])
        const hall: Hall = { url: hub.url, token: hub.credentials.bearers.admin }
        for (let round = 0; round < ROUNDS; round++) {
          const { bearer, grant } = (await mintAt(hall)).body
          const calls = many(CALLS, () => invokeAt(hall, bearer))
          const revoked = await revokeAt(hall, grant.grant_id)
          const answers = await calls
          expect(revoked.status).toBe(200)
          expect([REVOKED, undefined]).toContain(tally(answers).codes[0])
          expect(await acceptedAfterRevoke(hub, grant.grant_id)).toBe(0)
        }
      },
      60_000,
    )
}

/** How many invokes stand as allowed in the log behind the revoke of the newest grant. */
async function acceptedAfterRevoke(hub: TestHub, grant_id: string): Promise<number> {
  const records = await auditRecords(hub)
  const revoke = records.find((one) => one.target_id === grant_id && one.outcome === 'allowed')
  expect(revoke?.operation).toBe('flow_external_grant_revoke')
  const later = records.filter(({ seq }) => seq > (revoke?.seq ?? 0))
  return later.filter((one) => one.operation === 'flow_external_tool_invoke' && one.outcome === 'allowed')
    .length
}
