import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toolNames } from '../toolbox/surface-hub.fixture.ts'
import { ATTACKS } from './all-attacks.ts'
import { makeWorld } from './make-world.ts'
import { newOutcome, playControl, playRound } from './play-attack.ts'
import { openStage, type Stage } from './stage.ts'
import { AIMS } from './tool-visits.ts'
import { wayOf } from './ways.ts'
import type { World } from './world.ts'

// `npm run test:attack` plays the same at length.

/** One way each, and another one for the next attack. */
const ROUNDS = 1
const LIMIT_MS = 180_000
/** Kin of others, which are played at length only. */
const AT_LENGTH =
  /^in the whole project, (?!a switch of branches writes an|a folder)|(?:lies|goes on) in (?:outside|home)|to (?:outside|git) when|and files make a bare repository below|to a file of a sibling/
const PLAYED = ATTACKS.filter(({ name }) => !AT_LENGTH.test(name))

let world: World
let stage: Stage
beforeAll(() => {
  world = makeWorld()
  stage = openStage(world)
}, LIMIT_MS)
afterAll(async () => {
  await stage[Symbol.asyncDispose]()
  world[Symbol.dispose]()
}, LIMIT_MS)

const visited = new Set<string>()

describe('agent code that attacks beside the tools', () => {
  test.each(PLAYED.map((attack, index) => ({ attack, index, name: attack.name })))(
    '$name',
    { timeout: LIMIT_MS },
    async ({ attack, index }) => {
      expect(await playControl(world, attack), 'the attack beats a careless program').toBe(true)
      stage.renew()
      const outcome = newOutcome(attack)
      for (let round = 0; round < ROUNDS; round++) {
        const turn = round + index * ROUNDS
        await playRound(stage, attack, wayOf(attack, round + index, true), turn, outcome)
      }
      for (const tool of outcome.tools) visited.add(tool)
      expect(outcome.breaches).toEqual([])
    },
  )

  test('every tool that there is was attacked', () => {
    expect(Object.keys(AIMS).toSorted()).toEqual(toolNames.toSorted())
    expect([...visited].toSorted()).toEqual(toolNames.toSorted())
  })
})
