import { randomUUID } from 'node:crypto'
import type { AgentInput } from '../../src/boundary/index.ts'
import type { LedgerEntry } from '../../src/domains/boundary/ledger/ledger-record.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { call, type Request, requireOperation, type Way } from '../harness/call.ts'
import { startTestHub, type TestHub, type TestHubOptions } from '../harness/test-hub.ts'
import { type ProbeEngine, startProbe } from './probe-engine.ts'

/** A hub whose engine `probe` is a server of the test's own. */
export interface BoundaryHub extends TestHub {
  readonly probe: ProbeEngine
}

/** A JSON document as a test looks into it. */
export type Json = any

export interface Told {
  status: number | undefined
  code: string | undefined
  body: Json
  text: string
}

export const SECRET = 'a secret that the hub signs with'

/** The policy of these tests: the probe, and whatever else is given. */
export function policyOf(probe: ProbeEngine, engines: object = {}, boundary?: object): object {
  const own = { kind: 'http', url: probe.url, secret: 'env:ENGINE_SECRET', timeout_seconds: 20 }
  return { engines: { probe: own, ...engines }, ...(boundary && { boundary }) }
}

/** Starts a hub with two ledger entries of the tenant `t-001` for executions to rest on. */
export async function startBoundaryHub(
  options: TestHubOptions & { engines?: object; boundary?: object } = {},
): Promise<BoundaryHub> {
  const probe = await startProbe()
  const { engines, boundary, ...rest } = options
  const policy = policyOf(probe, engines, boundary)
  const hub = await startTestHub({ policy, ...rest, env: { ENGINE_SECRET: SECRET, ...rest.env } })
  const close = async () => {
    await hub.close()
    await probe.close()
  }
  const made: BoundaryHub = { ...hub, probe, close, [Symbol.asyncDispose]: close }
  for (const id of ['led-100', 'led-200']) await addEntry(made, id)
  return made
}

type Asked = Partial<Omit<Request, 'operation' | 'input'>> & { way?: Way }

/** Calls an operation, over REST and as an editor unless told otherwise. */
export async function ask(hub: TestHub, name: string, input: object = {}, how: Asked = {}): Promise<Told> {
  const { way = 'rest', as = 'editor', ...more } = how
  const request = { ...more, as, operation: requireOperation(name), input: { ...input } }
  const { status, text } = await call(hub, way, request)
  const body: Json = JSON.parse(text)
  return { status, code: body.code, body, text }
}

/** Adds an entry of the host's own under an id. */
export async function addEntry(
  hub: TestHub,
  ledger_id: string,
  tenant_id = 't-001',
  more: object = {},
  vault?: string,
): Promise<LedgerEntry> {
  const entry = { tenant_id, ledger_id, source: 'crm', type: 'signal', payload: { of: ledger_id }, ...more }
  const told = await ask(hub, 'ledger_append', entry, { as: 'hub', vault })
  if (told.status !== 201) throw new Error(told.text)
  return told.body.entry as LedgerEntry
}

/** An input that fits the hub's ledger, of an execution that nobody has used yet. */
export function inputOf(changes: Partial<Record<keyof AgentInput, unknown>> = {}): AgentInput {
  return {
    tenantId: 't-001',
    robotId: 'r-001',
    executionId: `exec-${randomUUID()}`,
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
    ...(changes as Partial<AgentInput>),
  }
}

/** Submits an input and waits for its end. */
export function run(hub: TestHub, input: unknown, more: object = {}, how: Asked = {}): Promise<Told> {
  return ask(hub, 'boundary_run', { engine: 'probe', input, wait_seconds: 20, ...more }, how)
}

const countEntries = sql<{ count: number }>('SELECT COUNT(*) AS count FROM ledger_entries')

/** How many entries the ledgers of all vaults hold. */
export async function entryCount({ hub }: TestHub): Promise<number> {
  return Number((await hub.db.get(countEntries))?.count)
}

/** The entries of the vault `default`, oldest first. */
export async function entries(hub: TestHub): Promise<LedgerEntry[]> {
  const told = await ask(hub, 'ledger_list', { limit: 200 })
  return (told.body.entries as LedgerEntry[]).toReversed()
}

/** Runs an execution and tells how it ended, how often the engine was called and how many entries came of it. */
export async function traceRun(hub: BoundaryHub, input: unknown, more: object = {}) {
  const [calls, count] = [hub.probe.calls.length, await entryCount(hub)]
  const told = await run(hub, input, more)
  const made = (await entryCount(hub)) - count
  const { execution } = told.body
  return { told, execution, called: hub.probe.calls.length - calls, made, outcome: execution?.outcome }
}
