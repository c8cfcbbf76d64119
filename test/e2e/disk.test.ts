import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { homeAt } from '../../src/platform/basics/home.ts'
import { codeOf, type Received, send } from '../rest/rest-hub.fixture.ts'
import { acknowledged, createToken, listFlows, whoami } from './clients.fixture.ts'
import { type HubProcess, hubTokenOf, runProgram, spawnHub } from './hub-process.fixture.ts'
import { readStored } from './stored-state.fixture.ts'

const DISK_BYTES = 8 * 1_048_576
const BLOCK_BYTES = 4_096
const RECOVERY_TRIES = 100
const RECOVERY_PAUSE_MS = 50

let disk: string
let hub: HubProcess | undefined
beforeEach(() => {
  disk = mkdtempSync(join(tmpdir(), 'knowtation-disk-'))
  mount('-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`, 'tmpfs', disk)
})
afterEach(async () => {
  await hub?.end('SIGKILL')
  hub = undefined
  execFileSync('umount', [disk])
  rmdirSync(disk)
})

function mount(...args: string[]): void {
  try {
    execFileSync('mount', args, { stdio: 'pipe' })
  } catch (error) {
    throw new Error(
      `This test needs a small disk of its own and may not mount one (run it as root): ${(error as Error).message}`,
      { cause: error },
    )
  }
}

const homeOnDisk = () => homeAt(join(disk, 'home'), {})
const fillerOf = () => join(disk, 'filler')

/** Takes every block that is left. */
function fillDisk(): void {
  const file = openSync(fillerOf(), 'w')
  const block = Buffer.alloc(BLOCK_BYTES)
  try {
    for (let written = 0; written <= DISK_BYTES; written += BLOCK_BYTES) writeSync(file, block)
    throw new Error('The disk is larger than it should be.')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}

async function eventually(status: number, ask: () => Promise<Received>): Promise<void> {
  for (let at = 0; at < RECOVERY_TRIES; at++) {
    if ((await ask()).status === status) return
    await pause(RECOVERY_PAUSE_MS)
  }
  expect((await ask()).status).toBe(status)
}

test('on a full disk nothing is done, everything says so, and all recovers by itself', async () => {
  const home = homeOnDisk()
  hub = await spawnHub({ home: home.folder })
  const { url } = hub
  const bearer = hubTokenOf(home)
  const before = acknowledged(await createToken(url, bearer))
  const health = () => send(url, { path: '/healthz' })
  expect((await listFlows(url, bearer)).status).toBe(200)
  expect((await health()).status).toBe(200)

  fillDisk()
  // The log may have room in its last block for a call or two.
  await eventually(503, () => listFlows(url, bearer))
  const acts: [string, () => Promise<Received>][] = [
    ['a change', () => createToken(url, bearer)],
    ['a read', () => listFlows(url, bearer)],
    ['a revoke', () => send(url, { method: 'DELETE', path: `/api/v1/tokens/${before.token_id}`, bearer })],
    ['a refusal', () => whoami(url, 'nobody')],
    ['a bad request', () => send(url, { path: '/api/v1/flows?scope=galaxy', bearer })],
  ]
  for (const [what, act] of acts) {
    const answer = await act()
    expect([what, answer.status, codeOf(answer)]).toEqual([what, 503, 'STORAGE_UNAVAILABLE'])
  }
  await eventually(503, health)
  expect(hub.child.exitCode).toBeNull()

  rmSync(fillerOf())
  await eventually(200, () => listFlows(url, bearer))
  await eventually(200, health)
  expect((await whoami(url, before.bearer)).status).toBe(200)
  const after = acknowledged(await createToken(url, bearer))
  expect((await hub.end('SIGTERM')).code).toBe(0)
  const { chain, tokens } = await readStored(home)
  expect(chain).toMatchObject({ intact: true, fault: null })
  expect(tokens).toEqual(new Set([before.token_id, after.token_id]))
}, 60_000)

test('a hub starts on no disk that is full or read-only, says which, and changes nothing', async () => {
  const home = homeOnDisk()
  hub = await spawnHub({ home: home.folder })
  const token = acknowledged(await createToken(hub.url, hubTokenOf(home)))
  await hub.end('SIGTERM')
  const stored = readFileSync(home.database)
  const refused = async () => {
    const exit = await runProgram(['serve', '--log', 'json', '--port', '0', '--home', home.folder])
    expect(exit.code).toBe(1)
    expect(exit.stdout).toBe('')
    expect(exit.stderr).toContain(home.database)
    expect(exit.stderr).not.toContain('    at ')
    expect(readFileSync(home.database).equals(stored)).toBe(true)
  }

  mount('-o', 'remount,ro', disk)
  await refused()
  mount('-o', 'remount,rw', disk)
  fillDisk()
  await refused()
  rmSync(fillerOf())

  hub = await spawnHub({ home: home.folder })
  expect((await whoami(hub.url, token.bearer)).status).toBe(200)
}, 60_000)
