import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Cell, costOf, measureCell, medianOf, medianRatio, p50Of, percentile, speedOf } from './cell.ts'
import { type Server, startServer } from './child-process.ts'
import { createAgentToken, GRANT_FLOW, MINT_BODY, MINT_PATH, makeGrantHome, TOOL } from './grant-home.ts'
import { bearerAt, storeGrants } from './grant-rows.ts'
import { type HubProcess, startHubProcess, temporaryFolder } from './hub-process.ts'
import { drive, type Load, renderRequest } from './raw-driver.ts'
import { spreadOver } from './scale-homes.ts'
import { tellVerdict } from './verdict.ts'

const SMALL = 100
const LARGE = 1_000_000
const ROUNDS = 5
const CALLS = 2_000
const AT_ONCE = 10
const READ_CONNECTIONS = 50
const READ_MS = 2_000

/** What is sent to a server, and how many at once. */
type Ask = Pick<Load, 'requests' | 'check' | 'limit' | 'connections'>

interface Side {
  name: string
  server: Server
  ask: Ask
}

async function run({ server, ask }: Side) {
  const { calls, ms, latencies_ms } = await drive({ url: server.url, ...ask })
  return { calls, ms, p50_ms: percentile(latencies_ms, 0.5), p99_ms: percentile(latencies_ms, 0.99) }
}

/** Two sides by turns, once unmeasured. */
async function compare(first: Side, second: Side): Promise<[Cell[], Cell[]]> {
  const cells: [Cell[], Cell[]] = [[], []]
  for (const side of [first, second]) await run(side)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, side] of [first, second].entries())
      cells[at as 0 | 1].push(await measureCell(side.name, side.server.pid, () => run(side)))
  }
  return cells
}

interface Stored {
  count: number
  hub: HubProcess
  token: string
}

async function startStored(folder: string, count: number): Promise<Stored> {
  const home = join(folder, `grants-${count}`)
  mkdirSync(home, { mode: 0o700 })
  await makeGrantHome(home, {})
  const started = performance.now()
  storeGrants(join(home, 'knowtation.db'), count)
  console.log(`  stored ${count} grants in ${((performance.now() - started) / 1_000).toFixed(1)} s`)
  const hub = await startHubProcess(home)
  return { count, hub, token: await createAgentToken(hub) }
}

const JSON_BODY = { 'content-type': 'application/json' }

function checkFor(status: number, text: string): Load['check'] {
  return (body, told) => {
    if (told !== status || !body.includes(text)) throw new Error(`An unexpected answer (${told}): ${body}`)
  }
}

function mintAsk({ hub }: Stored): Ask {
  const headers = { ...JSON_BODY, authorization: `Bearer ${hub.token}` }
  const requests = [renderRequest(MINT_PATH, headers, JSON.stringify(MINT_BODY))]
  return { requests, check: checkFor(201, '"bearer":"'), limit: { calls: CALLS }, connections: AT_ONCE }
}

/** The tool is bound to nothing, so that a call of it is the check, the count and the record alone. */
function checkAsk({ count, token }: Stored): Ask {
  const body = JSON.stringify({ ...GRANT_FLOW, payload: {} })
  const requests = spreadOver(count).map((place) => {
    const holder = { authorization: `Bearer ${token}`, 'x-flow-external-bearer': bearerAt(place) }
    return renderRequest(`/api/v1/flows/external-tools/${TOOL}/invoke`, { ...JSON_BODY, ...holder }, body)
  })
  return { requests, check: checkFor(200, '"accepted":true'), limit: { calls: CALLS }, connections: AT_ONCE }
}

async function compareGrowth(small: Stored, large: Stored): Promise<void> {
  const questions = { mint: mintAsk, check: checkAsk }
  for (const [name, askOf] of Object.entries(questions)) {
    const sideOf = (stored: Stored): Side => ({
      name: `${name} at ${stored.count}`,
      server: stored.hub,
      ask: askOf(stored),
    })
    const [few, many] = await compare(sideOf(small), sideOf(large))
    console.log(`  CPU a call: ${medianRatio(many, few, costOf).toFixed(2)} ×`)
    tellVerdict({
      name: `grant ${name} at ${LARGE} grants against ${SMALL}, median time`,
      measured: medianOf(many, p50Of) / medianOf(few, p50Of),
      bar: '≤ 1.5',
      unit: '×',
    })
  }
}

function readAsk(headers: Record<string, string>): Ask {
  const path = `/api/v1/flows/${GRANT_FLOW.flow_id}/projection?harness=agent_bundle`
  const check = checkFor(200, '"harness":"agent_bundle"')
  return {
    requests: [renderRequest(path, headers)],
    check,
    limit: { ms: READ_MS },
    connections: READ_CONNECTIONS,
  }
}

/** The bundle as the owner reads it, and as an agent does that holds up its grant. */
async function compareReads({ hub, token }: Stored): Promise<void> {
  const empty = await startServer([join(import.meta.dirname, 'empty-route-server.ts')])
  const nothing = { ...readAsk({}), requests: [renderRequest('/', {})], check: checkFor(200, '{"ok":true}') }
  const readers = {
    'signed in': { authorization: `Bearer ${hub.token}` },
    'with a grant': { authorization: `Bearer ${token}`, 'x-flow-external-bearer': bearerAt(0) },
  }
  try {
    for (const [reader, headers] of Object.entries(readers)) {
      const [limit, read] = await compare(
        { name: 'empty Fastify route', server: empty, ask: nothing },
        { name: `agent_bundle, ${reader}`, server: hub, ask: readAsk(headers) },
      )
      const measured = medianRatio(read, limit, speedOf)
      tellVerdict({
        name: `agent_bundle read ${reader} against an empty route, requests/s`,
        measured,
        bar: '≥ 0.28',
        unit: '×',
      })
    }
  } finally {
    await empty.end()
  }
}

const temporary = temporaryFolder()
console.log(`Grants: minting and checking one beside ${LARGE} stored grants and beside ${SMALL}, SQLite`)
const small = await startStored(temporary.folder, SMALL)
try {
  const large = await startStored(temporary.folder, LARGE)
  try {
    await compareGrowth(small, large)
  } finally {
    await large.hub.end()
  }
  console.log(`GET agent_bundle against an empty JSON route of Fastify, ${READ_CONNECTIONS} connections`)
  await compareReads(small)
} finally {
  await small.hub.end()
  temporary.remove()
}
