import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type AgentInput, agentInputSchema, agentOutputSchema, checkExchange } from '../src/boundary/index.ts'
import { appendEntries, type NewEntry } from '../src/domains/boundary/ledger/append-entries.ts'
import { findEntry } from '../src/domains/boundary/ledger/ledger-store.ts'
import { verifyLedger } from '../src/domains/boundary/ledger/verify-ledger.ts'
import { walkLineage } from '../src/domains/boundary/ledger/walk-lineage.ts'
import { allOperations } from '../src/domains/index.ts'
import { type Hub, openHub } from '../src/operations/hub.ts'
import { runOperation } from '../src/operations/run-operation.ts'
import { verifyJournal } from '../src/platform/audit/verify-journal.ts'
import { homeAt } from '../src/platform/basics/home.ts'
import { realSystem } from '../src/platform/basics/system.ts'
import { localCaller } from '../src/platform/identity/caller.ts'
import { sql } from '../src/platform/storage/database.ts'
import { temporaryFolder } from './hub-process.ts'
import { idleShare, median } from './machine.ts'
import { tellVerdict } from './verdict.ts'

const ROUNDS = 15
const CHECKS_PER_ROUND = 100_000
const EXECUTIONS = 10_000
const SUBMITTERS = 32
const SMALL = 1_000
const LARGE = 1_000_000
const BATCH = 1_000
const CHAIN = { vault_id: 'default', tenant_id: 't-001' }

const input = (executionId: string): AgentInput => ({
  tenantId: 't-001',
  robotId: 'r-001',
  executionId,
  attempt: 1,
  workflowVersion: 'v1',
  agentVersion: 'v1',
  boundaryContractVersion: 'v1',
  runMode: 'dry_run',
  snapshotAt: new Date().toISOString(),
  coherenceStatus: 'coherent',
  constraints: { tone: 'professional' },
  objective: { type: 'site_plan', action: 'plan', payload: { site: 'example.com' } },
  intelligenceSnapshot: { signals: [], fusion: {} },
  allowedLineage: { dependsOnLedgerIds: ['led-100', 'led-200'] },
  allowedArtifactTypes: ['site_plan'],
  outputSchemaVersion: 'v1',
})

const output = (executionId: string) => ({
  ok: true,
  executionId,
  status: 'succeeded',
  artifacts: [
    {
      type: 'site_plan',
      payload: { plan: '...' },
      dependsOnLedgerIds: ['led-100'],
      metadata: { generatedAt: '2025-01-19T10:05:00.000Z' },
    },
  ],
})

/** Processor time of this process: what else runs on the machine does not count. */
function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function microsEach(times: number, act: () => unknown): Promise<number> {
  const begun = cpuMicros()
  for (let time = 0; time < times; time++) {
    const pending = act()
    if (pending instanceof Promise) await pending
  }
  return (cpuMicros() - begun) / times
}

/** The contract's own example, judged by us and by compiled schemas of the same shape, by turns. */
async function compareValidation(): Promise<void> {
  console.log('Validation: checkExchange against two compiled ajv schemas of the same shape')
  const ajv = new Ajv2020({ validateFormats: false })
  const [isInput, isOutput] = [ajv.compile(agentInputSchema), ajv.compile(agentOutputSchema)]
  const [asked, answered] = [input('exec-001'), output('exec-001')]
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await microsEach(CHECKS_PER_ROUND, () => isInput(asked) && isOutput(answered)))
    ours.push(await microsEach(CHECKS_PER_ROUND, () => checkExchange(asked, answered).ok))
  }
  if (!isInput(asked) || !isOutput(answered) || !checkExchange(asked, answered).ok)
    throw new Error('Not valid.')
  console.log(`  ajv ${median(bare).toFixed(2)} µs, checkExchange ${median(ours).toFixed(2)} µs an exchange`)
  const measured = median(bare) / median(ours)
  tellVerdict({ name: 'exchanges checked against bare ajv', measured, bar: '≥ 0.5', unit: '×' })
}

async function startEngine() {
  const calls = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const { executionId } = JSON.parse(await text(request)) as AgentInput
    calls.set(executionId, (calls.get(executionId) ?? 0) + 1)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(output(executionId)))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls, server }
}

const quiet = () => {}

async function openBenchHub(folder: string, engine_url: string): Promise<Hub> {
  const env = { ENGINE_SECRET: 'the benchmark' }
  const home = homeAt(folder, env)
  mkdirSync(join(folder, 'vaults', 'default'), { recursive: true })
  const engines = { bench: { kind: 'http', url: engine_url, secret: 'env:ENGINE_SECRET' } }
  writeFileSync(home.vaultPolicy('default'), JSON.stringify({ engines }))
  const log = { debug: quiet, info: quiet, warn: quiet, error: console.error }
  return openHub({ home, env, system: realSystem, log })
}

function caller(hub: Hub, name: string) {
  const operation = allOperations.find((one) => one.name === name)
  if (!operation) throw new Error(`There is no operation ${name}.`)
  return async (given: object) => {
    const call = { operation, surface: 'cli', caller: localCaller('knowtation'), address: 'bench' } as const
    const answer = await runOperation(hub, { ...call, vault: undefined, input: given })
    if (!answer.ok) throw new Error(answer.text)
    return JSON.parse(answer.text) as { idempotent: boolean; execution: { state: string } }
  }
}

const countEvents = sql<{ entries: number; keys: number }>(
  'SELECT COUNT(*) AS entries, COUNT(DISTINCT event_key) AS keys FROM ledger_entries',
)

/** Each execution is submitted twice, by different submitters: half of the calls find it there already. */
async function countExecutions(): Promise<void> {
  console.log(
    `Executions: ${EXECUTIONS}, each submitted twice, ${SUBMITTERS} submitters, engine over HTTP, SQLite`,
  )
  const home = temporaryFolder()
  const engine = await startEngine()
  const hub = await openBenchHub(home.folder, engine.url)
  const append = caller(hub, 'ledger_append')
  for (const ledger_id of ['led-100', 'led-200'])
    await append({ tenant_id: 't-001', ledger_id, source: 'bench', type: 'signal', payload: {} })
  const run = caller(hub, 'boundary_run')
  const inputs = Array.from({ length: EXECUTIONS }, (_, at) => input(`exec-${at}`))
  const queue = [...inputs, ...inputs.toReversed()]
  let fresh = 0
  let lost = 0
  const started = performance.now()
  const submitter = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const answer = await run({ engine: 'bench', input: next, wait_seconds: 25 })
      if (!answer.idempotent) fresh++
      if (answer.execution.state !== 'succeeded') lost++
    }
  }
  await Promise.all(Array.from({ length: SUBMITTERS }, submitter))
  const seconds = (performance.now() - started) / 1_000
  const { entries = 0, keys = 0 } = (await hub.db.get(countEvents)) ?? {}
  const report = await verifyLedger(hub, CHAIN, await verifyJournal(hub.db, hub.audit.key))
  console.log(
    `  ${(EXECUTIONS / seconds).toFixed(0)} executions/s, ${report.entries} entries, chain ${report.intact}`,
  )
  await hub.close()
  engine.server.close()
  home.remove()
  const doubled =
    [...engine.calls.values()].filter((calls) => calls > 1).length + Math.abs(fresh - EXECUTIONS)
  const missing =
    lost + Math.abs(EXECUTIONS - keys) + Math.abs(2 + 2 * EXECUTIONS - entries) + Number(!report.intact)
  tellVerdict({ name: 'executions lost', measured: missing, bar: '≤ 0', unit: 'left' })
  tellVerdict({ name: 'executions doubled', measured: doubled, bar: '≤ 0', unit: 'left' })
}

function entry(id: string, depends_on: string[]): NewEntry {
  const origin = { module: 'host', source: 'bench', type: 'signal', state: 'recorded' }
  return { id, robot_id: null, ...origin, payload: { id }, depends_on, execution_id: null, event_key: null }
}

const sourcesOf = (at: number) => (at < 10 ? [] : [`e${at - 10}`, `e${at - 3 - (at % 7)}`])

async function fill(hub: Hub, from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += BATCH) {
    const entries = Array.from({ length: BATCH }, (_, at) => entry(`e${start + at}`, sourcesOf(start + at)))
    await hub.db.transaction((tx) => appendEntries(tx, hub, CHAIN, entries, hub.system.now()))
  }
}

/** Appends of ten entries, and walks of up to a hundred entries in both directions. */
async function look(hub: Hub, size: number, prefix: string): Promise<{ append: number; walk: number }> {
  let made = 0
  const append = () => {
    const entries = Array.from({ length: 10 }, () => entry(`${prefix}${made++}`, [`e${size - 1}`]))
    return hub.db.transaction((tx) => appendEntries(tx, hub, CHAIN, entries, hub.system.now()))
  }
  const walk = async () => {
    for (const direction of ['up', 'down'] as const) {
      const start = await findEntry(hub.db, CHAIN.vault_id, `e${Math.floor(size / 2)}`)
      if (!start) throw new Error('There is no such entry.')
      const bounds = { vault_id: CHAIN.vault_id, direction, max_depth: 20, max_nodes: 100 }
      if ((await walkLineage(hub.db, start, bounds)).nodes.length < 100) throw new Error('Too few entries.')
    }
  }
  const times = { append: [] as number[], walk: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    times.append.push(await microsEach(20, append))
    times.walk.push(await microsEach(5, walk))
  }
  return { append: median(times.append), walk: median(times.walk) }
}

async function growLedger(): Promise<void> {
  console.log(`Ledger: append of 10 entries and walks of 100, at ${LARGE} entries against ${SMALL}, SQLite`)
  const home = temporaryFolder()
  const hub = await openBenchHub(home.folder, 'http://127.0.0.1:9/')
  await fill(hub, 0, SMALL)
  await look(hub, SMALL, 'warm')
  const small = await look(hub, SMALL, 'small')
  await fill(hub, SMALL, LARGE)
  await look(hub, LARGE, 'warmed')
  const large = await look(hub, LARGE, 'large')
  await hub.close()
  home.remove()
  console.log(`  append ${small.append.toFixed(0)} µs CPU, then ${large.append.toFixed(0)} µs`)
  console.log(`  walks ${small.walk.toFixed(0)} µs CPU, then ${large.walk.toFixed(0)} µs`)
  const name = `at ${LARGE} entries against ${SMALL}, processor time`
  tellVerdict({
    name: `ledger append ${name}`,
    measured: large.append / small.append,
    bar: '≤ 1.5',
    unit: '×',
  })
  tellVerdict({ name: `lineage walk ${name}`, measured: large.walk / small.walk, bar: '≤ 1.5', unit: '×' })
}

console.log(`idle before ${((await idleShare()) * 100).toFixed(0)} %`)
await compareValidation()
await countExecutions()
await growLedger()
