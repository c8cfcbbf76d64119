import { appendFileSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Home, homeAt } from '../../src/platform/basics/home.ts'
import { runProgram, spawnHub } from '../e2e/hub-process.fixture.ts'
import { temporaryFolder } from '../store/temporary-folder.ts'
import { printTable, told } from './fault-home.fixture.ts'
import { bodyOf, type TestAuthority, testAuthority } from './time-stamp-authority.fixture.ts'

printTable()
const LIMIT_MS = 120_000

let authority: TestAuthority
beforeAll(async () => {
  authority = await testAuthority()
})
afterAll(() => authority.close())

interface Sending {
  readonly home: Home
  /** The owner's file, outside of the home. */
  readonly file: string
}

function newHome(more: Record<string, unknown> = {}): Sending {
  const folder = temporaryFolder()
  const [home, file] = [homeAt(join(folder, 'home'), {}), join(folder, 'ends.jsonl')]
  const send_ends = { file, ...more }
  mkdirSync(home.folder, { mode: 0o700 })
  writeFileSync(home.config, JSON.stringify({ audit: { send_ends } }), { mode: 0o600 })
  return { home, file }
}

const linesIn = (file: string) => readFileSync(file, 'utf8').split('\n').filter(Boolean)

/** Runs a hub until it has sent an end, with one record more than before in it. */
async function sendOne({ home, file }: Sending): Promise<void> {
  await run(home, 'token', 'create', '--role', 'viewer')
  const hub = await spawnHub({ home: home.folder })
  const { length: before } = linesOrNone(file)
  await expect.poll(() => linesOrNone(file).length, { timeout: 20_000 }).toBeGreaterThan(before)
  await hub.end('SIGTERM')
}

function linesOrNone(file: string): string[] {
  try {
    return linesIn(file)
  } catch {
    return []
  }
}

async function run(home: Home, ...args: string[]) {
  return runProgram([...args, '--home', home.folder])
}

interface Verified {
  intact: boolean
  fault: string | null
  ends: { checked: number; pruned: number; unreadable: number; stamped: number } | null
}

async function verified(home: Home, ...args: string[]): Promise<Verified & { code: number | null }> {
  const { stdout, code } = await run(home, 'audit', 'verify', '--json', ...args)
  return { ...(JSON.parse(stdout) as Verified), code }
}

test(
  'an older copy of the whole home, witness included, is told by the ends in the owner’s file',
  async () => {
    const sending = newHome()
    const { home, file } = sending
    await sendOne(sending)
    expect(await verified(home)).toMatchObject({ intact: true, code: 0, ends: { checked: 1 } })
    const older = `${home.folder}.older`
    cpSync(home.folder, older, { recursive: true })
    await sendOne(sending)
    expect(await verified(home)).toMatchObject({ intact: true, ends: { checked: 2 } })

    rmSync(home.folder, { recursive: true })
    renameSync(older, home.folder)
    const found = await verified(home)
    told('older copy of the whole home', found.intact ? 'lost' : 'refused')
    expect(found).toMatchObject({ intact: false, code: 1 })
    expect(found.fault).toContain('more were sent by')
    const doctor = await run(home, 'doctor', '--json')
    expect(doctor.stdout).toContain(`By ${file}, the audit log ends at record`)

    // However far it grows: another record stands where the sent one stood, and the hub puts that on record by itself.
    const { length: sent } = linesIn(file)
    const hub = await spawnHub({ home: home.folder })
    await expect.poll(() => hub.output.stderr, { timeout: 20_000 }).toContain('not as it was written')
    for (let times = 0; times < 12; times++) await run(home, 'audit', 'list')
    await hub.end('SIGTERM')
    expect((await verified(home)).fault).toContain('another one than was sent')
    expect(linesIn(file)).toHaveLength(sent)
    const list = await run(home, 'audit', 'list', '--json', '--operation', 'audit_fault_found')
    expect(JSON.parse(list.stdout)).toMatchObject({ records: [{ code: 'AUDIT_CHANGED' }] })
  },
  LIMIT_MS,
)

test(
  'each end is stamped and sent to a webhook, and verifies when it comes back from there',
  async () => {
    const got: string[] = []
    const server = createServer(async (request, response) => {
      got.push((await bodyOf(request)).toString())
      response.end()
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ends?key=private`
    const { url, ca_file } = authority
    const sending = newHome({ webhook, time_stamps: { url, ca_file } })
    const { home, file } = sending
    await sendOne(sending)
    await sendOne(sending)
    server.close()
    expect(got).toEqual(linesIn(file))

    const back = join(temporaryFolder(), 'back.jsonl')
    writeFileSync(back, got.join('\n'))
    const ends = ['--ends', back, '--time-stamp-ca', ca_file]
    expect(await verified(home, ...ends)).toMatchObject({
      intact: true,
      ends: { checked: 2, stamped: 2, unreadable: 0 },
    })
    const words = await run(home, 'audit', 'verify', ...ends)
    expect(words.stdout).toContain('all 2 ends')

    // A stamp of one end, put to another, is seen, and so is an end that somebody made up.
    const [first, second] = got.map((text) => JSON.parse(text) as Record<string, unknown>)
    const wrong: [string, object][] = [
      ['for something else', { ...second, time_stamp: first?.time_stamp }],
      ['not signed with the key', { ...second, seq: 1 }],
      ['not signed with the key', { ...second, at: '2020-01-01T00:00:00.000Z' }],
    ]
    for (const [fault, line] of wrong) {
      writeFileSync(back, JSON.stringify(line))
      expect((await verified(home, ...ends)).fault).toContain(fault)
    }

    // A line that was torn is told, and the next one stands by itself.
    appendFileSync(file, String(linesIn(file)[0]).slice(0, 60))
    await sendOne(sending)
    expect(await verified(home)).toMatchObject({ intact: true, ends: { unreadable: 1, checked: 3 } })
    expect((await run(home, 'doctor')).stdout).toContain('127.0.0.1')
    expect((await run(home, 'doctor')).stdout).not.toContain('private')
  },
  LIMIT_MS,
)

test(
  'a place that takes nothing, or an authority that stamps nothing right, is told by the doctor',
  async () => {
    const { url, ca_file } = authority
    const sending = newHome({ time_stamps: { url, ca_file } })
    const { home, file } = sending
    authority.spoil((answer) => answer.subarray(0, 30))
    await sendOne(sending)
    expect(JSON.parse(linesIn(file)[0] ?? '')).toMatchObject({ time_stamp: null })
    const doctor = await run(home, 'doctor', '--json')
    expect(doctor.stdout).toContain('The answer of the time-stamp authority cannot be read.')
    authority.spoil(undefined)
    await sendOne(sending)
    expect((await run(home, 'doctor', '--json')).stdout).toMatch(/audit ends sent","state":"ok"/)

    const gone = `${file}.gone`
    renameSync(file, gone)
    expect((await verified(home)).fault).toContain(`${file} cannot be read (ENOENT)`)
    expect(await verified(home, '--ends', gone)).toMatchObject({ intact: true })
  },
  LIMIT_MS,
)

test('a configuration that names no place, or one that is none, is refused by name', async () => {
  for (const send_ends of [
    {},
    { file: 'ends.jsonl' },
    { webhook: 'ftp://example.test' },
    { every_minutes: 5 },
  ]) {
    const { home } = newHome()
    writeFileSync(home.config, JSON.stringify({ audit: { send_ends } }), { mode: 0o600 })
    const started = await run(home, 'serve', '--port', '0')
    expect(started.code).not.toBe(0)
    expect(started.stderr).toContain('send_ends')
  }
})
