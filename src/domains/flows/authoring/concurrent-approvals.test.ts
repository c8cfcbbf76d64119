import { describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { freshPostgresUrl } from '../../../../test/store/postgres-server.ts'
import { sql } from '../../../platform/storage/database.ts'
import { type FlowHub, openFlowHub, type Said } from '../flow-hub.fixture.ts'
import { approve, draft, propose, proposeEdit, publish } from './drafts.fixture.ts'

const AT_ONCE = 8
const countVersions = sql<{ version: string }>('SELECT version FROM flow_versions WHERE flow_id = ?')

/** How often each status came back. */
function tally(said: readonly Said[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of said) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe.for([
  ['SQLite', async (): Promise<string | undefined> => undefined],
  ['PostgreSQL', freshPostgresUrl],
] as const)('on %s', ([, findUrl]) => {
  const withHub = async (act: (hub: FlowHub) => Promise<void>) => {
    const hub = await openFlowHub(await findUrl())
    try {
      await act(hub)
    } finally {
      await hub.close()
    }
  }

  verifies('FLOW-066', 'of many edits on one base, approved at once, exactly one is taken', () =>
    withHub(async (hub) => {
      const base = await publish(hub, draft())
      const edits: Said[] = []
      for (let at = 1; at <= AT_ONCE; at++)
        edits.push(await proposeEdit(hub, base, draft({ version: `1.${at}.0` })))
      const answers = await hub.atOnce(edits.map((edit) => () => approve(hub, edit)))
      expect(tally(answers)).toEqual({ 200: 1, 409: AT_ONCE - 1 })
      expect(await hub.hub.db.all(countVersions, 'flow_own')).toHaveLength(2)
      const { proposals } = (await hub.ask('proposal_list', { status: 'approved' })).body
      expect(proposals).toHaveLength(2)
    }),
  )

  test('of many new flows with one id, approved at once, exactly one is taken', () =>
    withHub(async (hub) => {
      const drafts = Array.from({ length: AT_ONCE }, (_, at) => draft({ version: `${at + 1}.0.0` }))
      const made: Said[] = []
      for (const one of drafts) made.push(await propose(hub, one))
      expect(tally(await hub.atOnce(made.map((one) => () => approve(hub, one))))).toEqual({
        200: 1,
        409: AT_ONCE - 1,
      })
      expect(await hub.hub.db.all(countVersions, 'flow_own')).toHaveLength(1)
    }))

  test('one proposal, approved and discarded at once by many, is decided once', () =>
    withHub(async (hub) => {
      const made = await propose(hub, draft())
      const { proposal_id } = made.body
      const calls = Array.from(
        { length: AT_ONCE },
        (_, at) => () => (at % 2 ? approve(hub, made) : hub.ask('proposal_discard', { proposal_id })),
      )
      const answers = await hub.atOnce(calls)
      expect(tally(answers)).toEqual({ 200: 1, 409: AT_ONCE - 1 })
      const won = answers.find(({ status }) => status === 200)?.body.status
      const versions = await hub.hub.db.all(countVersions, 'flow_own')
      expect(versions).toHaveLength(won === 'approved' ? 1 : 0)
    }))
})
