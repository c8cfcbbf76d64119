import { expect, onTestFinished, test } from 'vitest'
import { type Clock, makeTestHome } from '../../../test/harness/test-hub.ts'
import { freshPostgresUrl } from '../../../test/store/postgres-server.ts'
import { type Hub, openHub } from '../../operations/hub.ts'
import { sql } from '../../platform/storage/database.ts'
import { otherHubFindings } from './findings/other-hubs.ts'
import { tellPolicies } from './known-hubs.ts'

const POLICY = { external_agent: { max_live_grants: 7 } }
const BEGUN = new Date('2026-11-02T10:00:00.000Z')

async function openTwo(clock: Clock) {
  const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl(), KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }
  const opened = []
  for (let made = 0; made < 2; made++) {
    const at = await makeTestHome({ env, clock, policy: POLICY })
    const hub = await openHub(at.options)
    onTestFinished(async () => {
      await hub.close()
      await at[Symbol.asyncDispose]()
    })
    opened.push({ at, hub })
  }
  return opened as [{ at: Awaited<ReturnType<typeof makeTestHome>>; hub: Hub }, (typeof opened)[number]]
}

test('hubs on one PostgreSQL whose policies differ are told, with the file and where the other one is', async () => {
  const clock: Clock = { now: BEGUN }
  const [one, two] = await openTwo(clock)
  const detail = async () =>
    (await otherHubFindings(one.hub)).map((finding) => [finding.state, finding.detail])
  await tellPolicies(one.hub)
  expect(await detail()).toEqual([['ok', 'no other hub serves this database']])
  await tellPolicies(two.hub)
  expect(await detail()).toEqual([['ok', 'the same as here']])

  two.at.write(two.at.home.vaultPolicy('default'), { external_agent: { max_live_grants: 8 } })
  two.at.write(two.at.home.vaultMembers('other'), {})
  await tellPolicies(two.hub)
  const place = two.at.home.folder
  expect(await detail()).toEqual([
    [
      'wrong',
      expect.stringMatching(
        new RegExp(`^policy\\.yaml of vault default is \\w+ here and \\w+ at .*${place}$`),
      ),
    ],
    [
      'wrong',
      expect.stringMatching(
        new RegExp(`^members\\.yaml of vault other is none here and \\w+ at .*${place}$`),
      ),
    ],
  ])
  // Each looks from its own side.
  await tellPolicies(one.hub)
  expect(await otherHubFindings(two.hub)).toHaveLength(2)

  clock.now = new Date(BEGUN.getTime() + 180_000)
  expect(await detail()).toHaveLength(2)
  clock.now = new Date(BEGUN.getTime() + 180_001)
  expect(await detail()).toEqual([['ok', 'no other hub serves this database']])
})

test('what is known is written once a minute, and forgotten after a day', async () => {
  const clock: Clock = { now: BEGUN }
  const [one, two] = await openTwo(clock)
  const notes = async () =>
    (
      await one.hub.db.all(
        sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key LIKE 'hub_policies:%' ORDER BY key`),
      )
    ).map(({ value }) => (JSON.parse(value) as { at: string }).at)
  await tellPolicies(one.hub)
  await tellPolicies(two.hub)
  clock.now = new Date(BEGUN.getTime() + 59_999)
  await tellPolicies(one.hub)
  expect(await notes()).toEqual([BEGUN.toISOString(), BEGUN.toISOString()])
  clock.now = new Date(BEGUN.getTime() + 60_000)
  await tellPolicies(one.hub)
  expect((await notes()).toSorted()).toEqual([BEGUN.toISOString(), clock.now.toISOString()])
  clock.now = new Date(BEGUN.getTime() + 86_400_001)
  await tellPolicies(one.hub)
  expect(await notes()).toEqual([clock.now.toISOString()])
})

test('on SQLite there are no other homes', async () => {
  const made = await makeTestHome()
  const hub = await openHub(made.options)
  onTestFinished(async () => {
    await hub.close()
    await made[Symbol.asyncDispose]()
  })
  await tellPolicies(hub)
  expect(await otherHubFindings(hub)).toEqual([])
})
