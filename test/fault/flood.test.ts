import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setUpByLink } from '../control/owner-visitor.ts'
import {
  type HubProcess,
  hubTokenOf,
  runProgram,
  spawnHub,
  temporaryHome,
} from '../e2e/hub-process.fixture.ts'
import { JWT_SECRET, signGatewayJwt } from '../harness/callers.ts'
import {
  type Hostile,
  holdersRequests,
  ownersRequests,
  sendTimed,
  strangersRequests,
} from './hostile-requests.fixture.ts'

/** The long form floods for longer; the short one is part of all tests. */
const SECONDS = process.env.KNOWTATION_FAULTS === 'long' ? 20 : 4
const PER_SECOND = 10
const LOOKS_PER_SECOND = 20
const IDLE_LOOKS = 30
/** So many times its idle median may a look at the hub's health take while it is flooded. */
const FACTOR = 10
const HEALTH = { method: 'GET', path: '/healthz', headers: {}, body: '' }
const HOSTED = 'api.knowtation.store'

const at = temporaryHome()
let hub: HubProcess
const table: Record<string, object> = {}

beforeAll(async () => {
  hub = await spawnHub({ home: at.home.folder, env: { KNOWTATION_JWT_SECRET: JWT_SECRET } })
})
afterAll(async () => {
  await hub.end('SIGTERM')
  at[Symbol.dispose]()
  console.table(table)
})

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** How fast the hub answers undisturbed: right before each flood, since what else the machine does comes and goes. */
async function lookIdle(): Promise<number> {
  const looks: number[] = []
  for (let look = 0; look < IDLE_LOOKS; look++) {
    looks.push((await sendTimed(hub.url, HEALTH)).ms)
    await pause(1_000 / LOOKS_PER_SECOND)
  }
  return median(looks)
}

/** What the owner's browser sends with all it sends, once the owner has set the hub up. */
async function ownersHeaders(): Promise<Record<string, string>> {
  const { stdout } = await runProgram(['owner', 'login', '--json', '--home', at.home.folder])
  const link = new URL((JSON.parse(stdout) as { url: string }).url)
  const { cookies } = await setUpByLink({ url: hub.url, hub: { ownerName: link.hostname } }, link)
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return { host: link.host, origin: link.origin, cookie }
}

/** Floods the hub for a while and looks at its health beside it. It ends by itself. */
async function flood(requests: readonly Hostile[], host?: string): Promise<number[]> {
  const looks: number[] = []
  const answers: Promise<unknown>[] = []
  const ends = performance.now() + SECONDS * 1_000
  const attack = async () => {
    for (let sent = 0; performance.now() < ends; sent++) {
      answers.push(sendTimed(hub.url, requests[sent % requests.length] as Hostile, host))
      await pause(1_000 / PER_SECOND)
    }
  }
  const look = async () => {
    while (performance.now() < ends) {
      const { status, ms } = await sendTimed(hub.url, HEALTH)
      expect(status).toBe(200)
      looks.push(ms)
      await pause(1_000 / LOOKS_PER_SECOND)
    }
  }
  await Promise.all([attack(), look()])
  await Promise.all(answers)
  return looks.toSorted((a, b) => a - b)
}

test.each([
  ['a stranger', () => strangersRequests(), undefined],
  ['a stranger under the hosted name', () => strangersRequests(), HOSTED],
  ['the holder of a credential', () => holdersRequests(hubTokenOf(at.home)), undefined],
  ['the holder of one under the hosted name', async () => holdersRequests(await signGatewayJwt()), HOSTED],
  ['the owner, signed in', async () => ownersRequests(await ownersHeaders()), undefined],
])(
  'ten hostile requests a second of %s do not stall the hub',
  // What else this machine does in one of the two measurements is no stall of the hub.
  { retry: 2, timeout: SECONDS * 1_000 + 60_000 },
  async (who, requests, host) => {
    const all = await requests()
    const idle_ms = await lookIdle()
    const looks = await flood(all, host)
    const median_ms = median(looks)
    const told = { idle: idle_ms, flooded: median_ms, worst: looks.at(-1) ?? 0 }
    table[who] = Object.fromEntries(Object.entries(told).map(([name, ms]) => [`${name}_ms`, ms.toFixed(1)]))
    expect(median_ms).toBeLessThan(FACTOR * idle_ms)
  },
)
