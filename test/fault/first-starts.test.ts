import { expect, test } from 'vitest'
import { openHub } from '../../src/operations/hub.ts'
import { findAuditKey } from '../../src/operations/opening/home-audit-key.ts'
import { homeWitness } from '../../src/operations/opening/home-witness.ts'
import type { Home } from '../../src/platform/basics/home.ts'
import { plainLog } from '../../src/platform/basics/plain-log.ts'
import { realSystem as system } from '../../src/platform/basics/system.ts'
import type { Database } from '../../src/platform/storage/database.ts'
import { runProgramMeanwhile, temporaryHome } from '../e2e/hub-process.fixture.ts'

const HUBS = 4
const ROUNDS = 10
const log = plainLog(() => {}, system.now)
const keys: [string, Record<string, string>][] = [
  ['in the home', {}],
  ['in the environment', { KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }],
]

test.each(keys)(
  'hubs that open a fresh home at the same moment all open it, with the key %s',
  async (_, env) => {
    for (let round = 0; round < ROUNDS; round++) {
      using fresh = temporaryHome()
      const opening = Array.from({ length: HUBS }, () => openHub({ home: fresh.home, env, system, log }))
      const opened = await Promise.allSettled(opening)
      await Promise.all(opened.map((one) => one.status === 'fulfilled' && one.value.close()))
      expect(opened.map((one) => (one.status === 'fulfilled' ? 'open' : String(one.reason)))).toEqual(
        Array.from({ length: HUBS }, () => 'open'),
      )
    }
  },
  120_000,
)

const env = { KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }
const witnessOf = (home: Home) =>
  homeWitness({ home, key: findAuditKey(home, env), system, log, accept_loss: false, is_restored: false })

test('a hub that looked for the witness before another one made it takes it for neither damaged nor gone', async () => {
  using fresh = temporaryHome()
  const witness = witnessOf(fresh.home)
  const other = await openHub({ home: fresh.home, env, system, log })
  await expect(witness.check(other.db)).resolves.toBeUndefined()
  await other.close()
})

test('what another process commits between two looks at the store is not taken for a loss', async () => {
  using fresh = temporaryHome()
  const { home } = fresh
  const other = await openHub({ home, env, system, log })
  let commands = 0
  const interrupted: Database = {
    ...other.db,
    async get(statement, ...values) {
      const found = await other.db.get(statement, ...values)
      const isEnd = statement.text.includes('FROM audit_head')
      if (isEnd && commands++ === 0) runProgramMeanwhile(['flow', 'list', '--home', home.folder], env)
      return found
    },
  }
  await expect(witnessOf(home).check(interrupted)).resolves.toBeUndefined()
  expect(commands).toBeGreaterThan(0)
  await other.close()
}, 120_000)
