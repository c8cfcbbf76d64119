import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Cell, measureCell, medianRatio, percentile, speedOf } from './cell.ts'
import { type Server, startServer } from './child-process.ts'
import { createAgentToken, makeGrantHome, mintGrant, TOOL } from './grant-home.ts'
import { type HubProcess, startHubProcess, temporaryFolder } from './hub-process.ts'
import { openSession, renderToolCall } from './mcp-session.ts'
import { drive, renderRequest } from './raw-driver.ts'
import { tellVerdict } from './verdict.ts'

const SESSIONS = 8
const ROUNDS = 5
const CELL_MS = 2_000
const SINK_MS = 10_000
const CAUGHT_UP_MS = 20_000

const require = createRequire(import.meta.url)
const EVERYTHING = join(
  dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist',
  'index.js',
)

interface Side {
  readonly name: string
  readonly hub: HubProcess
  readonly sessions: readonly Record<string, string>[]
  calls: number
}

/** A hub in front of the reference server's `echo`, and sessions with a grant each. */
async function startSide(name: string, home: string, env: NodeJS.ProcessEnv = {}): Promise<Side> {
  const provider = { kind: 'mcp', command: [process.execPath, EVERYTHING, 'stdio'], tool: 'echo' }
  await makeGrantHome(home, { description: 'Says it again', provider })
  const hub = await startHubProcess(home, [], env)
  const token = await createAgentToken(hub)
  const sessions: Record<string, string>[] = []
  for (let session = 0; session < SESSIONS; session++) {
    const own = { authorization: `Bearer ${token}`, 'x-flow-external-bearer': await mintGrant(hub) }
    sessions.push(await openSession(hub.url, own))
  }
  return { name, hub, sessions, calls: 0 }
}

async function load(side: Side, ms: number) {
  const first = side.calls
  const done = await drive({
    url: side.hub.url,
    connections: SESSIONS,
    requests: (turn, connection) => {
      const call = renderToolCall(first + turn, TOOL, { message: `Note ${first + turn}` })
      return renderRequest('/mcp', side.sessions[connection] ?? {}, call)
    },
    check(body, status, turn) {
      if (status !== 200 || !body.includes(`"text":"Echo: Note ${first + turn}"`))
        throw new Error(`${side.name} answered ${status}: ${body}`)
    },
    limit: { ms },
  })
  side.calls += done.calls
  const { calls, latencies_ms } = done
  return { calls, ms: done.ms, p50_ms: percentile(latencies_ms, 0.5), p99_ms: percentile(latencies_ms, 0.99) }
}

async function compareTracing(plainHome: string, tracedHome: string): Promise<void> {
  const drain: Server = await startServer([join(import.meta.dirname, 'drain-server.ts')])
  const plain = await startSide('not watched', plainHome)
  const traced = await startSide('traces and logs by OTLP', tracedHome, {
    OTEL_EXPORTER_OTLP_ENDPOINT: drain.url,
  })
  const cells: [Cell[], Cell[]] = [[], []]
  try {
    for (const side of [plain, traced]) await load(side, CELL_MS)
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, side] of [plain, traced].entries())
        cells[at]?.push(await measureCell(side.name, side.hub.pid, () => load(side, CELL_MS)))
    const [without, within] = cells
    tellVerdict({
      name: 'governed call at 8 sessions with traces and logs on, calls/s',
      measured: medianRatio(within, without, speedOf),
      bar: '≥ 0.9',
      unit: '×',
    })
  } finally {
    for (const server of [plain.hub, traced.hub, drain]) await server.end()
  }
}

/** How many records a second a sink takes while calls make them, and whether all of them come. */
async function measureSink(home: string): Promise<void> {
  const path = join(home, 'copy.jsonl')
  writeFileSync(
    join(home, 'config.yaml'),
    JSON.stringify({ audit: { sinks: [{ name: 'copy', kind: 'file', path, max_megabytes: 10_000 }] } }),
  )
  const side = await startSide('with a sink', home)
  try {
    const began = performance.now()
    const { calls } = await load(side, SINK_MS)
    const copied = () => readFileSync(path, 'utf8').split('"flow_external_tool_invoke"').length - 1
    while (copied() < calls && performance.now() - began < SINK_MS + CAUGHT_UP_MS) await pause(100)
    const seconds = (performance.now() - began) / 1_000
    const missing = side.calls - copied()
    console.log(`  ${calls} calls in ${SINK_MS / 1_000} s, all in the copy after ${seconds.toFixed(1)} s`)
    tellVerdict({
      name: 'records that a sink takes while calls make them',
      measured: calls / seconds,
      bar: '≥ 1000',
      unit: '',
    })
    tellVerdict({ name: 'records missing in the copy', measured: missing, bar: '≤ 0', unit: 'left' })
  } finally {
    await side.hub.end()
  }
}

console.log(
  'The governed call of a hub that is watched with one that is not; a copy of the log while calls are made.',
)
const homes = [temporaryFolder(), temporaryFolder(), temporaryFolder()] as const
try {
  await compareTracing(homes[0].folder, homes[1].folder)
  await measureSink(homes[2].folder)
} finally {
  for (const home of homes) home.remove()
}
