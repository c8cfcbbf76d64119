import { ATTACKS } from './all-attacks.ts'
import type { Attack } from './attack.ts'
import { makeWorld } from './make-world.ts'
import { runAsOrdinaryUser } from './ordinary-user.ts'
import { newOutcome, type Outcome, playControl, playRound } from './play-attack.ts'
import { openStage, type Stage } from './stage.ts'
import { wayOf } from './ways.ts'
import type { World } from './world.ts'

// The attacks at length, as a table: `npm run test:attack -- --rounds=200 --only=switch --controls=3`. As root
// they are played as root and then as an ordinary user.

const ROUNDS = 200
const CONTROLS = 3
const SHOWN = 3
const NAME_WIDTH = 76

interface Options {
  readonly rounds: number
  readonly controls: number
  readonly only: RegExp
}

function readOptions(words: readonly string[]): Options {
  const value = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)
  return {
    rounds: Number(value('rounds') ?? ROUNDS),
    controls: Number(value('controls') ?? CONTROLS),
    only: new RegExp(value('only') ?? ''),
  }
}

async function playAll(stage: Stage, attack: Attack, rounds: number): Promise<Outcome> {
  const outcome = newOutcome(attack)
  for (let round = 0; round < rounds; round++)
    await playRound(stage, attack, wayOf(attack, round), round, outcome)
  return outcome
}

async function countControls(world: World, attack: Attack, controls: number): Promise<number> {
  let won = 0
  for (let index = 0; index < controls; index++) won += (await playControl(world, attack)) ? 1 : 0
  return won
}

function renderRow(name: string, ...cells: (string | number)[]): string {
  return `${name.padEnd(NAME_WIDTH)}${cells.map((cell) => String(cell).padStart(10)).join('')}`
}

/** Plays all chosen attacks; gives how many broke something or have no control that wins. */
async function play({ rounds, controls, only }: Options): Promise<number> {
  using world = makeWorld()
  await using stage = openStage(world)
  let failed = 0
  console.log(`\nAs ${process.getuid?.() === 0 ? 'root' : 'an ordinary user'}:`)
  console.log(renderRow('attack', 'rounds', 'controls', 'acts', 'calls', 'breaches', 'seconds'))
  for (const attack of ATTACKS.filter(({ name }) => only.test(name))) {
    const begun = performance.now()
    const won = await countControls(world, attack, controls)
    stage.renew()
    const outcome = await playAll(stage, attack, rounds)
    const seconds = Math.round((performance.now() - begun) / 1000)
    const { acts, calls, breaches } = outcome
    console.log(
      renderRow(attack.name, outcome.rounds, `${won}/${controls}`, acts, calls, breaches.length, seconds),
    )
    for (const breach of breaches.slice(0, SHOWN)) console.log(`    ${breach}`)
    if (breaches.length > 0 || (won === 0 && controls > 0)) failed++
  }
  return failed
}

const words = process.argv.slice(2)
const failed = await play(readOptions(words))
const others = process.getuid?.() === 0 ? runAsOrdinaryUser(import.meta.filename, words) : 0
process.exitCode = failed > 0 || others !== 0 ? 1 : 0
