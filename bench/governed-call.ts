import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { plainLog } from '../src/platform/basics/plain-log.ts'
import { findPinned } from '../src/platform/pins/tool-definition.ts'
import type { McpServer } from '../src/platform/upstream/mcp/server-events.ts'
import { ToolProvider } from '../src/platform/upstream/provider-policy.ts'
import { createUpstreams } from '../src/platform/upstream/upstream.ts'
import {
  type Cell,
  measureCell,
  medianOf,
  medianRatio,
  p50Of,
  percentile,
  speedOf,
  treeCostOf,
} from './cell.ts'
import type { Server } from './child-process.ts'
import { createAgentToken, makeGrantHome, mintGrant, TOOL } from './grant-home.ts'
import { startHubProcess, temporaryFolder } from './hub-process.ts'
import { isRunning, residentMegabytes, treeOf } from './machine.ts'
import { openSession, renderToolCall } from './mcp-session.ts'
import { startPeer } from './peer-process.ts'
import { drive, renderRequest } from './raw-driver.ts'
import { tellVerdict } from './verdict.ts'

const SESSIONS = [1, 8, 32] as const
const MOST_SESSIONS = 32
const ROUNDS = 5
const CELL_MS = 2_000
const WARM_UP_MS = CELL_MS
const ALONE_ROUNDS = 3
const MEMORY_CALLS = 100_000
const SECRET = 'correct-horse-battery-staple-4711'
/** Without pin and budgets, to see what they cost. */
const isPlain = process.argv.includes('--plain')
/** Bounds that no call of ours meets, counted all the same: of each grant, and of the tool. */
const BUDGETS = { calls_per_minute: 1_000_000_000, max_payload_bytes: 100_000, max_result_bytes: 100_000 }

const require = createRequire(import.meta.url)
const EVERYTHING = join(packageFolder('@modelcontextprotocol/server-everything'), 'dist', 'index.js')
const MCP_PROXY = join(packageFolder('mcp-proxy'), 'dist', 'bin', 'mcp-proxy.mjs')
const SUPERGATEWAY = join(packageFolder('supergateway'), 'dist', 'index.js')

function packageFolder(name: string): string {
  const found = require.resolve.paths(name)?.[0]
  if (!found) throw new Error(`${name} is not installed.`)
  return join(found, name)
}

/** A server in front of the tool, and what each session there sends along. */
interface Side extends Server {
  name: string
  sessions: readonly Record<string, string>[]
  calls: number
}

async function sideOf(name: string, server: Server, own: readonly Record<string, string>[]): Promise<Side> {
  const sessions = []
  for (const headers of own) sessions.push(await openSession(server.url, headers))
  return { ...server, name, sessions, calls: 0 }
}

/** Calls the tool with words that were never sent before, and looks for them in each answer. */
async function load(side: Side, connections: number, limit: { ms?: number; calls?: number }) {
  const first = side.calls
  const messageOf = (turn: number) => `Note ${first + turn}: nothing here is to be hidden.`
  const done = await drive({
    url: side.url,
    connections,
    requests: (turn, connection) =>
      renderRequest(
        '/mcp',
        side.sessions[connection] ?? {},
        renderToolCall(first + turn, TOOL, { message: messageOf(turn) }),
      ),
    check(body, status, turn) {
      const isAnswer = body.includes(`"text":"Echo: ${messageOf(turn)}"`)
      if (status !== 200 || !isAnswer || !body.includes(`"id":${first + turn}`))
        throw new Error(`${side.name} answered ${status}: ${body}`)
    },
    limit,
  })
  side.calls += done.calls
  const { calls, ms, latencies_ms } = done
  return { calls, ms, p50_ms: percentile(latencies_ms, 0.5), p99_ms: percentile(latencies_ms, 0.99) }
}

async function measureSides(sides: readonly Side[], connections: number, rounds: number): Promise<Cell[][]> {
  console.log(`${connections} keep-alive session${connections === 1 ? '' : 's'}`)
  const cells: Cell[][] = sides.map(() => [])
  for (const side of sides) await load(side, connections, { ms: WARM_UP_MS })
  for (let round = 0; round < rounds; round++) {
    for (const [at, side] of sides.entries()) {
      const cell = await measureCell(side.name, side.pid, () => load(side, connections, { ms: CELL_MS }))
      cells[at]?.push(cell)
    }
  }
  return cells
}

/** A credential that the tool is given must not come back, whoever asks for it. */
async function checkRedaction(hub: Side): Promise<void> {
  const body = renderToolCall(0, TOOL, { message: `I saw ${SECRET}!` })
  const answer = await fetch(`${hub.url}/mcp`, { method: 'POST', headers: hub.sessions[0] ?? {}, body })
  const text = await answer.text()
  hub.calls++
  if (!text.includes('Echo: I saw [REDACTED]!')) throw new Error(`The hub does not redact: ${text}`)
}

function tellSpeed(direct: readonly Cell[], proxy: readonly Cell[], hub: readonly Cell[]): void {
  tellVerdict({
    name: 'governed call against mcp-proxy, 8 sessions, calls/s',
    measured: medianRatio(hub, proxy, speedOf),
    bar: '≥ 1.3',
    unit: '×',
  })
  tellVerdict({
    name: 'governed call against mcp-proxy, 8 sessions, CPU with children',
    measured: medianRatio(hub, proxy, treeCostOf),
    bar: '≤ 0.65',
    unit: '×',
  })
  console.log(`  against the tool's own HTTP: ${medianRatio(hub, direct, speedOf).toFixed(2)} × calls/s`)
}

function tellAdded(direct: readonly Cell[], hub: readonly Cell[]): void {
  const measured = medianOf(hub, p50Of) - medianOf(direct, p50Of)
  tellVerdict({ name: 'governed call, added median at 1 session', measured, bar: '≤ 0.5', unit: 'ms' })
}

/** Each call must be counted on its grant and stand in the log, or what was measured is not what is promised. */
function checkKept(database: string, calls: number): void {
  const db = new BetterSqlite(database, { readonly: true })
  const counted = db.prepare('SELECT SUM(invocation_count) FROM flow_external_grants').pluck().get()
  const kept = db
    .prepare(
      "SELECT COUNT(*) FROM audit_records WHERE operation = 'flow_external_tool_invoke' AND outcome = 'allowed'",
    )
    .pluck()
    .get()
  db.close()
  console.log(`  ${calls} calls answered, ${counted} counted, ${kept} recorded`)
  if (counted !== calls || kept !== calls) throw new Error('Not every call was counted and recorded.')
}

/** The pin of the tool as its server defines it. */
async function pinOf(provider: object): Promise<string> {
  const log = plainLog(
    () => {},
    () => new Date(),
  )
  const env = { ...process.env, BENCH_TOOL_SECRET: SECRET }
  const upstreams = createUpstreams({ env, log, now: () => new Date() })
  try {
    const { tools } = await upstreams.listTools(ToolProvider.parse(provider) as McpServer)
    const pinned = findPinned(tools.find(({ name }) => name === 'echo') ?? { name: '' })
    if (!pinned) throw new Error('The tool cannot be pinned.')
    return pinned.pin
  } finally {
    await upstreams.close()
  }
}

async function startGovernedHub(home: string): Promise<Side> {
  const input_schema = {
    type: 'object',
    properties: { message: { type: 'string' } },
    required: ['message'],
    additionalProperties: false,
  }
  const command = [process.execPath, EVERYTHING, 'stdio']
  const provider = { kind: 'mcp', command, tool: 'echo', env: ['BENCH_TOOL_SECRET'] }
  const reviewed = isPlain ? {} : { pin: await pinOf(provider), ...BUDGETS }
  const tool = { description: 'Says it again', input_schema, provider, ...reviewed }
  await makeGrantHome(home, tool, isPlain ? {} : BUDGETS)
  const hub = await startHubProcess(home, [], { BENCH_TOOL_SECRET: SECRET })
  const token = await createAgentToken(hub)
  const holders: Record<string, string>[] = []
  for (let session = 0; session < MOST_SESSIONS; session++)
    holders.push({ authorization: `Bearer ${token}`, 'x-flow-external-bearer': await mintGrant(hub) })
  return sideOf('knowtation, governed', hub, holders)
}

async function compareTogether(home: string): Promise<void> {
  const strangers = Array.from({ length: MOST_SESSIONS }, () => ({}))
  const started: Server[] = []
  const start = async (name: string, args: readonly string[]) => {
    const peer = await startPeer(args)
    started.push(peer)
    return sideOf(name, peer, strangers)
  }
  try {
    const direct = await start("the tool's own HTTP", [EVERYTHING, 'streamableHttp'])
    const proxy = await start('mcp-proxy', [MCP_PROXY, '--', process.execPath, EVERYTHING, 'stdio'])
    const hub = await startGovernedHub(home)
    started.push(hub)
    await checkRedaction(hub)
    for (const connections of SESSIONS) {
      const cells = await measureSides([direct, proxy, hub], connections, ROUNDS)
      const [directCells = [], proxyCells = [], hubCells = []] = cells
      if (connections === 1) tellAdded(directCells, hubCells)
      if (connections === 8) tellSpeed(directCells, proxyCells, hubCells)
    }
    await load(hub, 8, { calls: MEMORY_CALLS })
    const measured = residentMegabytes(hub.pid)
    tellVerdict({
      name: `governed call, memory after ${MEMORY_CALLS} more calls`,
      measured,
      bar: '≤ 200',
      unit: 'MB',
    })
    await checkEnd(hub)
    checkKept(join(home, 'knowtation.db'), hub.calls)
  } finally {
    await Promise.all(started.map((server) => server.end()))
  }
}

/** Whatever the hub has started must be gone soon after it. */
async function checkEnd(hub: Side): Promise<void> {
  const family = treeOf(hub.pid)
  await hub.end()
  await pause(500)
  const measured = family.filter(isRunning).length
  console.log(`  the hub and ${family.length - 1} started by it were told to end`)
  tellVerdict({ name: 'governed call, processes after stop', measured, bar: '≤ 0', unit: 'left' })
}

/** It starts a process for each session and leaves some behind, so nothing else is measured beside it. */
async function measureAlone(): Promise<void> {
  const stdio = `'${process.execPath}' '${EVERYTHING}' stdio`
  const args = ['--stdio', stdio, '--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none']
  const peer = await startPeer([SUPERGATEWAY, ...args])
  try {
    const sessions = Array.from({ length: MOST_SESSIONS }, () => ({}))
    const side = await sideOf('supergateway, alone', peer, sessions)
    console.log(`supergateway, alone, with ${treeOf(peer.pid).length - 1} processes of its own`)
    for (const connections of SESSIONS) await measureSides([side], connections, ALONE_ROUNDS)
  } finally {
    await peer.end()
  }
}

console.log(
  'A tool of the reference MCP server, `echo`, in front of it: the hub with grant, allowlist, count,',
)
console.log('durable record and redaction; mcp-proxy and supergateway, which govern nothing; or nobody.')
const home = temporaryFolder()
try {
  await compareTogether(home.folder)
  await measureAlone()
} finally {
  home.remove()
}
