import { join } from 'node:path'
import { type Cell, costOf, measureCell, medianRatio, percentile, speedOf } from './cell.ts'
import { startServer } from './child-process.ts'
import { startHubProcess, temporaryFolder } from './hub-process.ts'
import { drive, renderRequest } from './raw-driver.ts'
import { tellVerdict } from './verdict.ts'

const SESSIONS = 8
const ROUNDS = 5
const CELL_MS = 2_000
const WARM_UP_MS = 2_500
const VERSIONS = ['2025-11-25', '2026-07-28'] as const
type Version = (typeof VERSIONS)[number]

/** A server, the call to make there, and what its answer must hold. */
interface Side {
  name: string
  pid: number
  url: string
  headers: Record<string, string>
  tool: string
  args: object
  isAnswer(structured: Record<string, unknown>): boolean
}

const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
}

function callRequest({ tool, args, headers }: Side, version: Version): Buffer {
  const modern = version === '2026-07-28'
  const params = { name: tool, arguments: args, ...(modern && { _meta: ENVELOPE }) }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const named = modern ? { 'mcp-method': 'tools/call', 'mcp-name': tool } : {}
  return renderRequest('/mcp', { ...ACCEPT, ...headers, 'mcp-protocol-version': version, ...named }, body)
}

/** Looks closely at one answer; every later one must then be the same to the byte. */
function answerChecker(side: Side): (body: Buffer, status: number) => void {
  let known: Buffer | undefined
  return (body, status) => {
    if (known?.equals(body)) return
    const message = /\{"(?:result|jsonrpc)".*\}/.exec(body.toString())?.[0]
    if (status !== 200 || known || !message) throw new Error(`${side.name}: an unexpected answer (${status})`)
    const { id, result } = JSON.parse(message)
    if (id !== 1 || !side.isAnswer(result.structuredContent)) throw new Error(`${side.name}: a wrong answer`)
    known = Buffer.from(body)
  }
}

function loader(side: Side, version: Version) {
  const requests = [callRequest(side, version)]
  const check = answerChecker(side)
  return async (ms: number) => {
    const { url } = side
    const done = await drive({ url, connections: SESSIONS, requests, check, limit: { ms } })
    const p50_ms = percentile(done.latencies_ms, 0.5)
    return { calls: done.calls, ms: done.ms, p50_ms, p99_ms: percentile(done.latencies_ms, 0.99) }
  }
}

async function compare(version: Version, peer: Side, hub: Side): Promise<void> {
  console.log(
    `MCP ${version}, ${SESSIONS} keep-alive sessions: flow_get of the hub against the SDK's bare echo`,
  )
  const load = { peer: loader(peer, version), hub: loader(hub, version) }
  await load.peer(WARM_UP_MS)
  await load.hub(WARM_UP_MS)
  const cells: { peer: Cell[]; hub: Cell[] } = { peer: [], hub: [] }
  for (let round = 0; round < ROUNDS; round++) {
    cells.peer.push(await measureCell(peer.name, peer.pid, () => load.peer(CELL_MS)))
    cells.hub.push(await measureCell(hub.name, hub.pid, () => load.hub(CELL_MS)))
  }
  console.log(`  CPU a call: ${medianRatio(cells.hub, cells.peer, costOf).toFixed(2)} × the SDK's`)
  const measured = medianRatio(cells.hub, cells.peer, speedOf)
  tellVerdict({
    name: `mcp flow_get ${version} against the SDK's echo, calls/s`,
    measured,
    bar: '≥ 2',
    unit: '×',
  })
}

const home = temporaryFolder()
const echo = await startServer([join(import.meta.dirname, 'sdk-echo-server.ts')])
const hub = await startHubProcess(home.folder)
try {
  const peerSide: Side = {
    ...echo,
    name: 'SDK echo',
    headers: {},
    tool: 'echo',
    args: { text: 'hello' },
    isAnswer: (structured) => structured.text === 'hello',
  }
  const hubSide: Side = {
    ...hub,
    name: 'knowtation flow_get',
    headers: { authorization: `Bearer ${hub.token}` },
    tool: 'flow_get',
    args: { flow_id: 'flow_capture_to_note' },
    isAnswer: ({ flow }) => (flow as { flow_id: string }).flow_id === 'flow_capture_to_note',
  }
  for (const version of VERSIONS) await compare(version, peerSide, hubSide)
} finally {
  await Promise.all([hub.end(), echo.end()])
  home.remove()
}
