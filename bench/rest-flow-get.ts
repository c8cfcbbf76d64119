import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Cell, costOf, measureCell, medianRatio, speedOf } from './cell.ts'
import { startServer } from './child-process.ts'
import { startHubProcess, temporaryFolder } from './hub-process.ts'
import { tellVerdict } from './verdict.ts'

const CONNECTIONS = 50
const ROUNDS = 5
const CELL_SECONDS = 3
const WARM_UP_SECONDS = 3
const FLOW = 'flow_capture_to_note'
const AUTOCANNON = createRequire(import.meta.url).resolve('autocannon')

interface CannonReport {
  errors: number
  timeouts: number
  mismatches: number
  non2xx: number
  duration: number
  requests: { total: number }
  latency: { p50: number; p99: number }
}

/** Runs autocannon in a process of its own; every answer must have this very body. */
async function fire(url: string, seconds: number, body: string, headers: Record<string, string> = {}) {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const options = ['-j', '-c', `${CONNECTIONS}`, '-d', `${seconds}`, '--expectBody', body, ...given, url]
  const child = spawn(process.execPath, [AUTOCANNON, ...options], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [report] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const told = JSON.parse(report) as CannonReport
  const bad = told.errors + told.timeouts + told.mismatches + told.non2xx
  if (bad > 0 || told.requests.total === 0) throw new Error(`${bad} bad answers from ${url}`)
  const { p50: p50_ms, p99: p99_ms } = told.latency
  return { calls: told.requests.total, ms: told.duration * 1_000, p50_ms, p99_ms }
}

async function bodyOf(url: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(url, { headers })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return answer.text()
}

console.log(`REST: GET /api/v1/flows/${FLOW}, signed in, each call durably recorded`)
console.log(`against an empty JSON route of Fastify, autocannon, ${CONNECTIONS} connections`)
const home = temporaryFolder()
const empty = await startServer([join(import.meta.dirname, 'empty-route-server.ts')])
const hub = await startHubProcess(home.folder)
try {
  const headers = { authorization: `Bearer ${hub.token}` }
  const route = `${hub.url}/api/v1/flows/${FLOW}`
  const [document, nothing] = [await bodyOf(route, headers), await bodyOf(`${empty.url}/`, {})]
  console.log(`  the flow is ${Buffer.byteLength(document)} bytes, the empty answer ${nothing.length}`)
  const runs = {
    empty: (seconds: number) => fire(`${empty.url}/`, seconds, nothing),
    hub: (seconds: number) => fire(route, seconds, document, headers),
  }
  await runs.empty(WARM_UP_SECONDS)
  await runs.hub(WARM_UP_SECONDS)
  const cells: { empty: Cell[]; hub: Cell[] } = { empty: [], hub: [] }
  for (let round = 0; round < ROUNDS; round++) {
    cells.empty.push(await measureCell('empty Fastify route', empty.pid, () => runs.empty(CELL_SECONDS)))
    cells.hub.push(await measureCell('knowtation flow_get', hub.pid, () => runs.hub(CELL_SECONDS)))
  }
  console.log(`  CPU a call: ${medianRatio(cells.hub, cells.empty, costOf).toFixed(2)} × the empty route's`)
  const measured = medianRatio(cells.hub, cells.empty, speedOf)
  tellVerdict({ name: 'rest flow_get against an empty route, calls/s', measured, bar: '≥ 0.28', unit: '×' })
} finally {
  await Promise.all([hub.end(), empty.end()])
  home.remove()
}
