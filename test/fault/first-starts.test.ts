import { expect, test } from 'vitest'
import { findAuditKey } from '../../src/operations/home-audit-key.ts'
import { homeWitness } from '../../src/operations/home-witness.ts'
import { openHub } from '../../src/operations/hub.ts'
import { plainLog } from '../../src/platform/basics/plain-log.ts'
import { realSystem as system } from '../../src/platform/basics/system.ts'
import { temporaryHome } from '../e2e/hub-process.fixture.ts'

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
  60_000,
)

test('a hub that looked for the witness before another one made it takes it for neither damaged nor gone', async () => {
  using fresh = temporaryHome()
  const { home } = fresh
  const env = { KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }
  const wishes = { home, key: findAuditKey(home, env), system, log, accept_loss: false, is_restored: false }
  const witness = homeWitness(wishes)
  const other = await openHub({ home, env, system, log })
  await expect(witness.check(other.db)).resolves.toBeUndefined()
  await other.close()
})
