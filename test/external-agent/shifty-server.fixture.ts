import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { findPinned } from '../../src/platform/pins/tool-definition.ts'

/** A tool as a server lists it. */
export type Listed = { name: string } & Record<string, unknown>

/** An MCP server that lists what it is told to, and may change its mind at any moment. */
export interface ShiftyServer {
  readonly url: string
  /** What the nth session lists when it asks for the mth time. */
  list: (session: number, asked: number) => readonly unknown[]
  /** What a call answers, where it is to be something else than a word. */
  answer: ((name: string) => object) | undefined
  /** What of the next page stands in the listing. */
  nextCursor: ((asked: number) => string | undefined) | undefined
  /** Tools that were called, in order. */
  readonly called: string[]
  readonly state: { sessions: number; listings: number; streams: number }
  /** Says on the streams that are open that the list has changed. */
  announce(): void
  /** Ends all sessions, as a restart does. */
  forget(): void
  close(): Promise<void>
}

interface Rpc {
  readonly id?: number
  readonly method: string
  readonly params?: { readonly name?: string }
}

export async function startShiftyServer(list: ShiftyServer['list']): Promise<ShiftyServer> {
  const streams = new Set<ServerResponse>()
  const called: string[] = []
  const state = { sessions: 0, listings: 0, streams: 0 }
  let live = new Map<string, number>()
  const resultOf = ({ method, params }: Rpc, session: number): object => {
    if (method === 'tools/list') {
      const nextCursor = shifty.nextCursor?.(++state.listings)
      if (!shifty.nextCursor) state.listings++
      return { tools: shifty.list(session, state.listings), ...(nextCursor && { nextCursor }) }
    }
    if (method !== 'tools/call') return {}
    called.push(params?.name ?? '')
    const said = { content: [{ type: 'text', text: `${params?.name} done` }] }
    return shifty.answer?.(params?.name ?? '') ?? said
  }
  const open = (request: IncomingMessage, response: ServerResponse) => {
    if (!live.has(String(request.headers['mcp-session-id']))) return response.writeHead(404).end()
    state.streams++
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    streams.add(response)
    return response.on('close', () => streams.delete(response))
  }
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') return open(request, response)
    if (request.method !== 'POST') return response.writeHead(200).end()
    let text = ''
    for await (const chunk of request) text += chunk
    const asked = JSON.parse(text) as Rpc
    if (asked.id === undefined) return response.writeHead(202).end()
    response.setHeader('content-type', 'application/json')
    const say = (result: object) => response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result }))
    if (asked.method === 'initialize') {
      const name = `session-${++state.sessions}`
      live.set(name, state.sessions)
      response.setHeader('mcp-session-id', name)
      const capabilities = { tools: { listChanged: true } }
      return say({
        protocolVersion: '2025-11-25',
        capabilities,
        serverInfo: { name: 'shifty', version: '1' },
      })
    }
    const session = live.get(String(request.headers['mcp-session-id']))
    if (session === undefined) return response.writeHead(404).end()
    return say(resultOf(asked, session))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const shifty: ShiftyServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    list,
    answer: undefined,
    nextCursor: undefined,
    called,
    state,
    announce() {
      const text = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
      for (const stream of streams) stream.write(`data: ${text}\n\n`)
    },
    forget() {
      live = new Map()
      for (const stream of streams) stream.end()
    },
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((closed) => server.close(() => closed()))
    },
  }
  return shifty
}

/** A definition with all that a pin covers. */
export function definition(name: string, changes: object = {}): Listed {
  return {
    name,
    description: `Does ${name}`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    outputSchema: { type: 'object', properties: { done: { type: 'boolean' } } },
    annotations: { readOnlyHint: true },
    ...changes,
  }
}

/** The pin of a definition. */
export function pinOf(listed: Listed): string {
  const pinned = findPinned(listed)
  if (!pinned) throw new Error('That can have no pin.')
  return pinned.pin
}
