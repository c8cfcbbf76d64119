import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import {
  type Acknowledged,
  acknowledged,
  createToken,
  keepCalling,
  listFlows,
  whoami,
} from './clients.fixture.ts'
import { hubTokenOf, spawnHub, temporaryHome } from './hub-process.fixture.ts'
import { readStored } from './stored-state.fixture.ts'

const KILLS = 50
const WRITERS = 8
const READERS = 2
/** Bursts of different lengths meet the hub at different moments of its work. */
const burstMs = (round: number) => 15 + ((round * 37) % 90)
/** So many of a round's tokens are tried out after the restart; all of them are looked for at the end. */
const TRIED = 10

verifies(
  'FLOW-039',
  `a hub killed ${KILLS} times under load keeps every write it acknowledged, whole and on record`,
  async () => {
    using at = temporaryHome()
    // Only a hub that ends in peace leaves its compiled code for the next.
    await (await spawnHub({ home: at.home.folder })).end('SIGTERM')
    const made: Acknowledged[] = []
    let reads = 0
    let untried: Acknowledged[] = []
    for (let round = 0; round < KILLS; round++) {
      const hub = await spawnHub({ home: at.home.folder })
      const bearer = hubTokenOf(at.home)
      for (const token of untried.slice(-TRIED))
        expect((await whoami(hub.url, token.bearer)).status).toBe(200)
      untried = []
      const stop = new AbortController()
      const create = () => createToken(hub.url, bearer)
      const keep = (answer: Parameters<typeof acknowledged>[0]) => void untried.push(acknowledged(answer))
      const writers = Array.from({ length: WRITERS }, () => keepCalling(stop.signal, 201, create, keep))
      const list = () => listFlows(hub.url, bearer)
      const readers = Array.from({ length: READERS }, () => keepCalling(stop.signal, 200, list))
      await pause(burstMs(round))
      expect((await hub.end('SIGKILL')).signal).toBe('SIGKILL')
      stop.abort()
      await Promise.all(writers)
      reads += (await Promise.all(readers)).reduce((sum, count) => sum + count, 0)
      made.push(...untried)
    }
    const { chain, tokens, calls } = await readStored(at.home)
    expect(chain).toMatchObject({ intact: true, fault: null })
    expect(made.length).toBeGreaterThan(KILLS)
    expect(made.filter(({ token_id }) => !tokens.has(token_id))).toEqual([])
    // A token and the record of its making are one write: there are never more of one than of the other.
    expect(calls.token_create).toBe(tokens.size)
    expect(reads).toBeGreaterThan(0)
    expect(calls.flow_list).toBeGreaterThanOrEqual(reads)
    expect(calls.hub_started).toBe(KILLS + 1)
  },
  240_000,
)
