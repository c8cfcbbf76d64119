import { afterEach, expect } from 'vitest'
import { type HubProcess, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { readStored } from '../e2e/stored-state.fixture.ts'
import { verifies } from '../requirements/verifies.ts'
import {
  hallOf,
  invokeAt,
  many,
  mintAt,
  publishCrowd,
  revokeAt,
  tally,
  writeHomePolicy,
} from './grant-crowd.ts'

/** What is left of a hub's word when it is killed in the middle of its work. */
export function describeKilledHub(): void {
  const children: HubProcess[] = []
  afterEach(async () => void (await Promise.all(children.splice(0).map((hub) => hub.end('SIGKILL')))))

  verifies(
    'GATE-063',
    'loses no mint and no revoke that it acknowledged',
    async () => {
      using at = temporaryHome()
      writeHomePolicy(at.home)
      const revoked: string[] = []
      const kept: string[] = []
      for (let round = 0; round < 3; round++) {
        const child = await spawnHub({ home: at.home.folder })
        children.push(child)
        const hall = hallOf(child, at.home)
        if (round === 0) await publishCrowd(hall)
        const worker = async () => {
          for (;;) {
            const [first, second] = [await mintAt(hall), await mintAt(hall)]
            kept.push(first.body.bearer)
            const { status } = await revokeAt(hall, second.body.grant.grant_id)
            if (status === 200) revoked.push(second.body.bearer)
          }
        }
        const work = Array.from({ length: 4 }, () => worker().catch(() => {}))
        await new Promise((go) => setTimeout(go, 250 + round * 60))
        await child.end('SIGKILL')
        await Promise.all(work)
      }
      const last = await spawnHub({ home: at.home.folder })
      children.push(last)
      const hall = hallOf(last, at.home)
      expect(revoked.length).toBeGreaterThan(5)
      const codes = await many(
        revoked.length,
        async (index) => (await invokeAt(hall, revoked[index] ?? '')).body.code,
      )
      expect(new Set(codes)).toEqual(new Set(['FLOW_EXTERNAL_GRANT_REVOKED']))
      const live = await many(kept.length, (index) => invokeAt(hall, kept[index] ?? ''))
      expect(tally(live)).toEqual({ passed: kept.length, codes: [] })
      await last.end('SIGTERM')
      expect((await readStored(at.home)).chain).toMatchObject({ intact: true })
    },
    90_000,
  )
}
