import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { inject } from 'vitest'
import {
  installedPostgres,
  reachablePrograms,
  type ServerUser,
  serverFolder,
  serverUser,
} from './postgres-program.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
  }
}

const START_ATTEMPTS = 3
const READY = 'database system is ready to accept connections'

/** A PostgreSQL of our own on a loopback port, with text sorted by language so that byte order must be asked for. */
export async function startPostgres(
  native = installedPostgres(),
): Promise<{ url: string; stop(): Promise<void> }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(native)
    } catch (error) {
      if (attempt >= START_ATTEMPTS) throw new Error('The test PostgreSQL did not start.', { cause: error })
    }
  }
}

async function startOnce(native: string) {
  const user = serverUser()
  const folder = serverFolder(user)
  const place = { ...user, cwd: folder }
  const password = randomBytes(16).toString('hex')
  const port = await findFreePort()
  let server: ChildProcess | undefined
  const stop = async () => {
    if (server) await endOf(server)
    rmSync(folder, { recursive: true, force: true })
  }
  // However this process ends, the server is told to stop; what it leaves is removed as far as time allows.
  process.once('exit', () => server?.kill('SIGINT'))
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop().then(() => process.kill(process.pid, signal)))
  try {
    const programs = join(reachablePrograms(native, folder, user), 'bin')
    await initialise(programs, place, password)
    server = spawn(join(programs, 'postgres'), ['-D', 'data', '-p', `${port}`, ...SETTINGS], {
      ...place,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await readiness(server)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}`, stop }
}

// The tests never cut its power, so it need not wait for the disk.
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'max_connections=200',
].flatMap((setting) => ['-c', setting])

async function initialise(programs: string, place: ServerUser & { cwd: string }, password: string) {
  const { uid, gid, cwd } = place
  const file = join(cwd, 'password')
  writeFileSync(file, password, { mode: 0o600 })
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid)
  const words = ['--pgdata=data', '--username=postgres', '--auth=password', '--pwfile=password']
  const more = ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US', '--lc-messages=C']
  await promisify(execFile)(join(programs, 'initdb'), [...words, ...more, '--no-sync'], place)
  rmSync(file)
}

/** Waits until the server takes connections; what it said before it ended is the error. */
async function readiness(server: ChildProcess): Promise<void> {
  const said: string[] = []
  await new Promise<void>((ready, failed) => {
    server.once('error', failed)
    server.once('close', () => failed(new Error(said.join(''))))
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 1_000) said.push(text)
      if (text.includes(READY)) ready()
    })
  })
}

async function endOf(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGINT')
  await ended
}

async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening))
  const { port } = probe.address() as { port: number }
  await new Promise((closed) => probe.close(closed))
  return port
}

/** The address of a new, empty database on the run's one PostgreSQL. */
export async function freshPostgresUrl(): Promise<string> {
  const base = inject('postgresUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  const client = new pg.Client({ connectionString: `${base}/postgres` })
  await client.connect()
  try {
    await client.query(`CREATE DATABASE ${name}`)
  } finally {
    await client.end()
  }
  return `${base}/${name}`
}
