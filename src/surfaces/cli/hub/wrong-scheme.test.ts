import { once } from 'node:events'
import { createServer as createPlainServer, type Server } from 'node:http'
import { createServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createRawServer,
  type Server as RawServer,
} from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { makeSelfSigned } from '../../../../test/harness/self-signed.ts'
import { startTestHub } from '../../../../test/harness/test-hub.ts'
import { cliAt, temporaryFolder } from '../run-cli.fixture.ts'

/** Every command that asks a running hub goes one of these two ways. */
const LINES = ['flow list --token canary-secret', 'owner agent login']

async function listen(server: Server | RawServer): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each(LINES)('https:// to a hub without TLS: `%s` says what to do', async (line) => {
  await using hub = await startTestHub()
  const { host } = new URL(hub.url)
  const { exit, stdout, stderr } = await cliAt(temporaryFolder())(`${line} --url https://${host}`)
  expect([exit, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`Error (HUB_UNREACHABLE): What answers at https://${host} does not speak TLS`)
  expect(stderr).toContain(`use http://${host};`)
  expect(stderr).toContain('put TLS in front of it')
})

test.each(LINES)('http:// to a port with TLS: `%s` says what to do', async (line) => {
  const host = await listen(createServer(makeSelfSigned(), (_, response) => response.end('{}')))
  const { exit, stderr } = await cliAt(temporaryFolder())(`${line} --url http://${host}`)
  expect(exit).toBe(1)
  expect(stderr).toContain(
    `Error (HUB_UNREACHABLE): What answers at http://${host} speaks TLS, not plain http.`,
  )
  expect(stderr).toContain(`Use https://${host}`)
})

test('a proxy that answers plain requests in words of its own is known for TLS as well', async () => {
  const heard: string[] = []
  const tls = await listen(createServer(makeSelfSigned(), (_, response) => response.end('{}')))
  // As some proxies do: whoever begins with a letter gets a page, everybody else TLS.
  const proxy = createRawServer((client) =>
    client.once('data', (first: Buffer) => {
      if (first[0] !== 0x16) {
        heard.push(first.toString())
        client.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 5\r\n\r\n<h1/>')
        return
      }
      const behind = connect(Number(tls.split(':')[1]), '127.0.0.1')
      behind.write(first)
      client.pipe(behind).pipe(client)
      for (const end of [client, behind]) end.on('error', () => end.destroy())
    }),
  )
  const host = await listen(proxy)
  const { stderr } = await cliAt(temporaryFolder())(`flow list --url http://${host}`)
  expect(stderr).toContain(`What answers at http://${host} speaks TLS`)
  expect(heard).toHaveLength(1)
})

test('what is no hub and speaks no TLS is told as before', async () => {
  const other = await listen(createPlainServer((_, response) => response.writeHead(400).end('<h1/>')))
  const cli = cliAt(temporaryFolder())
  expect((await cli(`flow list --url http://${other}`)).stderr).toContain(
    'is not a Knowtation hub (status 400)',
  )
  const mute = await listen(createRawServer((socket) => socket.on('data', () => socket.destroy())))
  expect((await cli(`flow list --url http://${mute}`)).stderr).toContain(`No hub answers at http://${mute}`)
})
