import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Home, homeAt } from '../../src/platform/basics/home.ts'
import { verifies } from '../requirements/verifies.ts'
import { codeOf, type Received, send } from '../rest/rest-hub.fixture.ts'
import { type HubProcess, hubTokenOf, runProgram, spawnHub, temporaryHome } from './hub-process.fixture.ts'

const PAGE_BYTES = 4_096
const FLOW = '/api/v1/flows/flow_research_brief'
const READS = ['/api/v1/flows', FLOW, `${FLOW}/export`, `${FLOW}/projection?harness=cli_runbook`]
/** A text of the flow that each stored form of it holds. */
const TITLE = 'Write a research brief with checked sources'

const at = temporaryHome()
let copies = 0
let sound: Received[]
beforeAll(async () => {
  sound = await withHub(at.home, ({ url }, bearer) => readAll(url, bearer))
  for (const { status } of sound) expect(status).toBe(200)
})
afterAll(() => at[Symbol.dispose]())

/** A process of its own each time: what another one has read and checked must not stand in for the file. */
async function withHub<Result>(home: Home, act: (hub: HubProcess, bearer: string) => Promise<Result>) {
  const hub = await spawnHub({ home: home.folder })
  try {
    return await act(hub, hubTokenOf(home))
  } finally {
    await hub.end('SIGTERM')
  }
}

async function readAll(url: string, bearer: string): Promise<Received[]> {
  const answers = []
  for (const path of READS) answers.push(await send(url, { path, bearer }))
  return answers
}

/** A copy of the sound home whose database was changed behind the hub's back. */
function damagedHome(damage: (bytes: Buffer) => Buffer): { home: Home; bytes: Buffer } {
  const folder = join(at.folder, `copy-${copies++}`)
  cpSync(at.home.folder, folder, { recursive: true })
  const home = homeAt(folder, {})
  const bytes = damage(readFileSync(home.database))
  writeFileSync(home.database, bytes)
  return { home, bytes }
}

const flipped = (bytes: Buffer, from: number, length = 1) => {
  for (let index = from; index < from + length; index++) bytes[index] = (bytes[index] ?? 0) ^ 0xff
  return bytes
}

const STRUCTURAL: [string, (bytes: Buffer) => Buffer][] = [
  ['the first bytes', (bytes) => flipped(bytes, 0, 16)],
  ['the page size', (bytes) => flipped(bytes, 16, 2)],
  ['the schema page', (bytes) => flipped(bytes, 100, 200)],
  ['the second page', (bytes) => flipped(bytes, PAGE_BYTES, 64)],
  [
    'a page in the middle',
    (bytes) => flipped(bytes, Math.floor(bytes.length / PAGE_BYTES / 2) * PAGE_BYTES, 64),
  ],
  ['the last page', (bytes) => flipped(bytes, bytes.length - PAGE_BYTES, 64)],
  ['the second half', (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2 / PAGE_BYTES) * PAGE_BYTES)],
  ['everything but a few bytes', (bytes) => bytes.subarray(0, 100)],
  ['all of it', () => Buffer.from('this is no database, but a text of some length')],
]

describe('a damaged database', () => {
  verifies(
    'FLOW-038',
    'stops the start by name, or answers 500 without detail, and is never written over',
    async () => {
      for (const [what, damage] of STRUCTURAL) {
        const { home, bytes } = damagedHome(damage)
        const exit = await runProgram(['serve', '--log', 'json', '--port', '0', '--home', home.folder])
        expect([what, exit.code, exit.stdout]).toEqual([what, 1, ''])
        expect(exit.stderr).toContain(home.database)
        expect(exit.stderr).not.toMatch(/\n {4}at |SQLITE_|node_modules/)
        expect([what, readFileSync(home.database).equals(bytes)]).toEqual([what, true])
      }
    },
    60_000,
  )

  verifies(
    'FLOW-038',
    'serves a stored flow as it was approved or answers 500, never changed text',
    async () => {
      const whole = readFileSync(at.home.database)
      const places = placesOf(whole, TITLE)
      expect(places.length).toBeGreaterThanOrEqual(2)
      let refusals = 0
      for (const place of places) {
        // Another letter, not another structure: still JSON, still a page that SQLite finds sound.
        const { home } = damagedHome((bytes) => {
          bytes[place] = 'X'.charCodeAt(0)
          return bytes
        })
        await withHub(home, async ({ url, output }, bearer) => {
          const answers = await readAll(url, bearer)
          for (const [index, answer] of answers.entries()) {
            if (answer.status === 200) expect(timeless(answer.text)).toBe(timeless(sound[index]?.text ?? ''))
            else expect([answer.status, codeOf(answer)]).toEqual([500, 'RUNTIME_ERROR'])
          }
          const failed = answers.filter(({ status }) => status === 500)
          refusals += failed.length
          if (failed.length > 0) expect(output.stderr).toContain('StorageDamaged')
          const others = await send(url, { path: '/api/v1/flows/flow_capture_to_note', bearer })
          expect(others.status).toBe(200)
        })
        expect(readFileSync(home.database).includes(TITLE.replace('W', 'X'))).toBe(true)
      }
      expect(refusals).toBeGreaterThanOrEqual(READS.length)
    },
    60_000,
  )

  test('whose audit log was changed is served, and the doctor says so', async () => {
    const { home } = damagedHome((bytes) => {
      const [place = 0] = placesOf(bytes, 'starter_flows_seeded')
      return flipped(bytes, place)
    })
    await withHub(home, async ({ url }, bearer) => {
      expect((await send(url, { path: FLOW, bearer })).status).toBe(200)
      const doctor = await runProgram(['doctor', '--json', '--home', home.folder])
      expect(JSON.parse(doctor.stdout)).toMatchObject({ healthy: false })
    })
  })
})

function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = []
  for (let from = bytes.indexOf(text); from !== -1; from = bytes.indexOf(text, from + 1)) places.push(from)
  return places
}

const timeless = (text: string) => text.replace(/"generated_at":"[^"]*"/, '')
