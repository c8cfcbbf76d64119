import { spawn } from 'node:child_process'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { EVERYTHING, FAKE_SERVER } from '../../src/platform/upstream/fixtures/test-upstreams.fixture.ts'
import { bundleOf } from '../parity/sample-flows.ts'
import { tool } from './bundles.ts'

/** An HTTP endpoint that answers with what it got, and remembers it. */
export interface Endpoint {
  readonly url: string
  readonly port: number
  readonly got: { path: string; headers: IncomingHttpHeaders; body: string }[]
  close(): Promise<void>
}

/** Starts an endpoint. `/to/<address>` sends the caller on to that address; `/status/<n>` answers with it. */
export async function startEndpoint(): Promise<Endpoint> {
  const got: Endpoint['got'] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { url: path = '', headers } = request
    got.push({ path, headers, body })
    const [, verb, rest = ''] = /^\/(to|status)\/(.*)$/.exec(path) ?? []
    if (verb === 'to') return response.writeHead(307, { location: `http://${rest}` }).end()
    response.writeHead(verb === 'status' ? Number(rest) : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ said: body, with: headers.authorization ?? null }))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((closed) => server.close(() => closed()))
  }
  return { url: `http://127.0.0.1:${port}`, port, got, close }
}

/** The reference MCP server over Streamable HTTP, as a process of its own. */
export async function startMcpServer(wanted?: number) {
  const port = wanted ?? (await findFreePort())
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((ready, fail) => {
    child.once('exit', () => fail(new Error('The MCP server ended.')))
    child.stderr.on('data', (text) => String(text).includes('listening') && ready())
  })
  const gone = new Promise<void>((ended) => child.once('exit', () => ended()))
  const close = () => {
    child.kill('SIGKILL')
    return gone
  }
  return { url: `http://127.0.0.1:${port}/mcp`, port, close }
}

async function findFreePort(): Promise<number> {
  const probe = createTcpServer()
  await new Promise<void>((ready) => probe.listen(0, '127.0.0.1', ready))
  const { port } = probe.address() as AddressInfo
  await new Promise((closed) => probe.close(closed))
  return port
}

/** The reference MCP server's `echo` over stdio. */
export const STDIO_ECHO = { kind: 'mcp', command: [process.execPath, EVERYTHING, 'stdio'], tool: 'echo' }

export const ECHO_SCHEMA = {
  type: 'object',
  properties: { message: { type: 'string' } },
  required: ['message'],
  additionalProperties: false,
}

/** A tool of the fake server, which does what its tool's name says. */
export function fakeProvider(name: string, more: object = {}): object {
  return { kind: 'mcp', command: [process.execPath, FAKE_SERVER, 'good'], tool: name, ...more }
}

/** A flow that declares exactly these tools. */
export function toolFlow(flow_id: string, ids: readonly string[]) {
  return bundleOf(flow_id, {}, 1, { skill_refs: ids.map(tool) })
}
