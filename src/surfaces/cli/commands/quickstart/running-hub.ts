import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Hub } from '../../../../operations/hub.ts'
import { PACKAGE_FOLDER } from '../../../../platform/basics/package-folder.ts'
import { sql } from '../../../../platform/storage/database.ts'
import { CommandFailure } from '../../cli-errors.ts'
import type { Invocation } from '../../command.ts'
import { placeOfHome } from '../../hub/hub-place.ts'

const START_LIMIT_MS = 60_000
const LOOK_EVERY_MS = 100
const ASK_LIMIT_MS = 4_000
const readProbe = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'health_probe'`)

export interface FoundHub {
  readonly address: string
  /** The process that was started; none where a hub was running. */
  readonly pid: number | undefined
}

/** The hub of this home: the one that runs, or one that is started now and goes on when this command has ended. */
export async function ensureHub(hub: Hub, invocation: Invocation, port: string): Promise<FoundHub> {
  const address = await findHub(hub, invocation)
  return address === undefined ? startApart(hub, invocation, port) : { address, pid: undefined }
}

/**
 * Whether a hub of this home listens where the last one did. Asked for its health, a hub writes into its database: what
 * answers and has not written into ours is another program, and is told nothing.
 */
async function findHub(hub: Hub, invocation: Invocation): Promise<string | undefined> {
  const { address } = await placeOfHome(hub, invocation)
  const before = hub.system.now().getTime()
  try {
    const answer = await fetch(`${address}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ASK_LIMIT_MS),
    })
    if (!answer.ok) return undefined
  } catch {
    return undefined
  }
  const written = Date.parse((await hub.db.get(readProbe))?.value ?? '')
  // An answer serves a hub for a second.
  return written >= before - 2_000 ? address : undefined
}

async function startApart(hub: Hub, invocation: Invocation, port: string): Promise<FoundHub> {
  const file = join(hub.home.folder, 'hub.log')
  const log = openSync(file, 'w', 0o600)
  const words = ['serve', '--home', hub.home.folder, '--port', port, '--log', 'json']
  // A hub that npm started ends with npm.
  const env = { ...invocation.env, npm_lifecycle_event: undefined }
  const program = join(PACKAGE_FOLDER, 'bin/knowtation.js')
  const child = spawn(process.execPath, [program, ...words], {
    env,
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const ended = once(child, 'exit').then(() => true)
  const until = performance.now() + START_LIMIT_MS
  while (performance.now() < until) {
    if (await Promise.race([ended, pause(LOOK_EVERY_MS, false)])) throw notStarted(file)
    if (!readFileSync(file, 'utf8').includes('"event":"ready"')) continue
    child.unref()
    return { address: (await placeOfHome(hub, invocation)).address, pid: child.pid }
  }
  child.kill()
  throw notStarted(file)
}

function notStarted(file: string): CommandFailure {
  const [said = 'It said nothing.'] = /^Error .*$/m.exec(readFileSync(file, 'utf8')) ?? []
  return new CommandFailure('NOT_STARTED', `The hub did not start. ${said}`, `${file} has what it said.`)
}
