import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type Home, homeAt } from '../../src/platform/basics/home.ts'
import { type HubProcess, hubTokenOf, spawnHub } from '../e2e/hub-process.fixture.ts'
import { send } from '../rest/rest-hub.fixture.ts'

/** The long form tries each fault in many places; the short one, part of all tests, in a few. */
export const IS_LONG = process.env.KNOWTATION_FAULTS === 'long'
/** So many places of one kind of damage are tried. */
export const ROUNDS = IS_LONG ? 40 : 3

interface Tried {
  tried: number
  refused: number
  whole: number
  lost: number
}
const table = new Map<string, Tried>()

/** How a hub met a fault: it did not start and named the file, it had all that was acknowledged, or it had not. */
export type Outcome = 'refused' | 'whole' | 'lost'

/** Counts an outcome for the table. */
export function told(fault: string, outcome: Outcome): Outcome {
  const row = table.get(fault) ?? { tried: 0, refused: 0, whole: 0, lost: 0 }
  row.tried++
  row[outcome]++
  table.set(fault, row)
  return outcome
}

/** Prints the table at the end of the test file that asks for it. */
export function printTable(): void {
  afterAll(() => {
    if (IS_LONG) console.table(Object.fromEntries(table))
  })
}

/** A home whose hub was killed after it had acknowledged what is listed. */
export interface KilledHome {
  readonly home: Home
  readonly revoked: readonly string[]
}

/** Starts a hub, has tokens made and revoked one by one, and kills it: all of it is in the write-ahead log. */
export async function killedHome(folder: string, acts = 6): Promise<KilledHome> {
  const home = homeAt(join(folder, 'home'), {})
  const hub = await spawnHub({ home: home.folder })
  const bearer = hubTokenOf(home)
  const revoked: string[] = []
  for (let act = 0; act < acts; act++) revoked.push(await makeAndRevoke(hub, bearer))
  await hub.end('SIGKILL')
  return { home, revoked }
}

async function makeAndRevoke({ url }: HubProcess, bearer: string): Promise<string> {
  const body = JSON.stringify({ role: 'viewer' })
  const headers = { 'content-type': 'application/json' }
  const made = await send(url, { method: 'POST', path: '/api/v1/tokens', bearer, body, headers })
  const { token_id } = (JSON.parse(made.text) as { token: { token_id: string } }).token
  const gone = await send(url, { method: 'DELETE', path: `/api/v1/tokens/${token_id}`, bearer })
  if (gone.status !== 200) throw new Error(`The revoke was not acknowledged: ${gone.status}`)
  return token_id
}

/** A copy of the home, its files as they are. */
export function copyOf({ home, revoked }: KilledHome, folder: string): KilledHome {
  cpSync(home.folder, folder, { recursive: true })
  return { home: homeAt(folder, {}), revoked }
}

/** Starts a hub on a home and looks whether all that was revoked still is. */
export async function outcomeOf({ home, revoked }: KilledHome): Promise<{ outcome: Outcome; said: string }> {
  const before = bytesOf(home)
  let hub: HubProcess
  try {
    hub = await spawnHub({ home: home.folder })
  } catch (error) {
    const said = (error as Error).message
    const isNamed = said.includes(home.folder) && said.includes('accept-loss')
    const isUntouched = before.every(([path, bytes]) => readFileSync(path).equals(bytes))
    return { outcome: isNamed && isUntouched ? 'refused' : 'lost', said }
  }
  const answer = await send(hub.url, { path: '/api/v1/tokens?limit=200', bearer: hubTokenOf(home) })
  await hub.end('SIGKILL')
  const { tokens } = JSON.parse(answer.text) as { tokens: { token_id: string; revoked_at: string | null }[] }
  const isKept = revoked.every((id) => tokens.some((one) => one.token_id === id && one.revoked_at !== null))
  return { outcome: isKept ? 'whole' : 'lost', said: hub.output.stderr }
}

function bytesOf({ folder }: Home): [string, Buffer][] {
  return readdirSync(folder)
    .filter((name) => /^knowtation\.db(-wal)?$|^audit-witness$/.test(name))
    .map((name) => [join(folder, name), readFileSync(join(folder, name))])
}

/** The library that shows a process another time. */
export function fakeTime(offset: string): Record<string, string> {
  const path = [
    '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
    '/usr/lib/faketime/libfaketime.so.1',
  ].find((one) => existsSync(one))
  if (!path)
    throw new Error(`libfaketime is missing: apt-get install -y faketime. ${spawnSync('uname').stdout}`)
  return { LD_PRELOAD: path, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' }
}
