import { mkdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Home } from '../../src/platform/basics/home.ts'
import { type Acknowledged, acknowledged, createToken, keepCalling } from '../e2e/clients.fixture.ts'
import { hubTokenOf, runProgram, spawnHub, startProgram, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { readStored } from '../e2e/stored-state.fixture.ts'
import type { Received } from '../rest/rest-hub.fixture.ts'
import { seededChance } from '../store/faulty-database.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { IS_LONG, printTable, told } from './fault-home.fixture.ts'

printTable()
const ROUNDS = IS_LONG ? 25 : 3
/** A home is begun anew every so many rounds: a first start has more to make than others. */
const ROUNDS_OF_A_HOME = IS_LONG ? 5 : 2
const VICTIMS = 2
const SURVIVORS = 2
const WRITERS = 3
const chance = seededChance(20_261_119)

/** Where the hubs of one store live. */
interface Place {
  readonly env: Record<string, string>
  /** The home of the first of them. */
  readonly home: Home
  homeOf(hub: number): Home
}

const KEY = { KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }

const PLACES: [string, (one: Home, two: Home) => Promise<Place>][] = [
  ['one home on SQLite', async (home) => ({ env: {}, home, homeOf: () => home })],
  ['one home on PostgreSQL', async (home) => ({ env: await onPostgres(), home, homeOf: () => home })],
  [
    'homes of their own on one PostgreSQL',
    async (home, other) => ({
      env: { ...KEY, ...(await onPostgres()) },
      home,
      homeOf: (hub) => (hub % 2 === 0 ? home : other),
    }),
  ],
]

async function onPostgres(): Promise<Record<string, string>> {
  return { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
}

/** Starts a hub and kills it at some moment of its start or soon after; answers what it said if it ended before that. */
async function startAndKill({ folder }: Home, env: Record<string, string>): Promise<string> {
  const { child, exited } = startProgram(['serve', '--port', '0', '--home', folder], env)
  await pause(Math.floor(chance() * 1_500))
  child.kill('SIGKILL')
  const { code, stderr } = await exited
  return code === null ? '' : stderr
}

/** Some hubs start together, some of them are killed meanwhile, and a command is at work; the others take writes. */
async function playRound({ env, homeOf }: Place): Promise<Acknowledged[]> {
  const killed = Array.from({ length: VICTIMS }, (_, at) => startAndKill(homeOf(at + 1), env))
  const command = runProgram(['token', 'list', '--home', homeOf(0).folder], env)
  const starting = Array.from({ length: SURVIVORS }, (_, at) => spawnHub({ home: homeOf(at).folder, env }))
  const hubs = await Promise.all(starting)
  expect(await command).toMatchObject({ code: 0 })
  const stop = new AbortController()
  const made: Acknowledged[] = []
  const keep = (answer: Received) => void made.push(acknowledged(answer))
  const writing = hubs.flatMap(({ url }, at) => {
    const create = () => createToken(url, hubTokenOf(homeOf(at)))
    return Array.from({ length: WRITERS }, () => keepCalling(stop.signal, 201, create, keep))
  })
  const more = Array.from({ length: VICTIMS }, (_, at) => startAndKill(homeOf(at), env))
  expect((await Promise.all([...killed, ...more])).filter((said) => said !== '')).toEqual([])
  await Promise.all(hubs.map((hub) => hub.end('SIGKILL')))
  stop.abort()
  await Promise.all(writing)
  return made
}

test.each(PLACES)(
  'hubs that start and are killed together at %s call nothing damaged and lose nothing',
  async (name, prepare) => {
    for (let round = 0; round < ROUNDS; round += ROUNDS_OF_A_HOME) {
      using one = temporaryHome()
      using two = temporaryHome()
      for (const { home } of [one, two]) mkdirSync(home.folder, { mode: 0o700 })
      const place = await prepare(one.home, two.home)
      const made: Acknowledged[] = []
      for (let turn = 0; turn < ROUNDS_OF_A_HOME; turn++) made.push(...(await playRound(place)))
      const { chain, tokens, calls } = await readStored(place.home, place.env)
      expect(made.length).toBeGreaterThan(0)
      const lost = made.filter(({ token_id }) => !tokens.has(token_id))
      told(`hubs started and killed together, ${name}`, lost.length === 0 && chain.intact ? 'whole' : 'lost')
      expect([chain.fault, lost, calls.token_create]).toEqual([null, [], tokens.size])
    }
  },
  IS_LONG ? 1_200_000 : 180_000,
)
