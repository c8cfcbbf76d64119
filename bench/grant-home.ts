import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { canonicalBundle, type FlowBundleDraft } from '../src/domains/flows/bundle/flow-record.ts'
import { insertFlowVersion } from '../src/domains/flows/flow-store.ts'
import { homeAt } from '../src/platform/basics/home.ts'
import { changeHome } from './change-home.ts'
import type { HubProcess } from './hub-process.ts'

export const GRANT_FLOW = { flow_id: 'flow_bench', flow_version: '1.0.0' }
/** The tool that the flow declares and the policy allows. */
export const TOOL = 'echo'
const MODEL = join(import.meta.dirname, '..', 'flows', 'starter', 'flow_capture_to_note.json')

/** Makes a home whose vault grants one tool without limits of number, and allows it as `tool` says; `bounds` are of each grant. */
export async function makeGrantHome(
  folder: string,
  tool: object,
  bounds = {},
  now = new Date(),
): Promise<void> {
  const home = homeAt(folder, {})
  const external_agent = {
    enabled: true,
    allowed_tools: [{ id: TOOL, ...tool }],
    max_invocations: 0,
    allow_unlimited_invocations: true,
    max_live_grants: 10_000_000,
    ...bounds,
  }
  mkdirSync(dirname(home.vaultPolicy('default')), { recursive: true, mode: 0o700 })
  writeFileSync(home.vaultPolicy('default'), JSON.stringify({ external_agent }), { mode: 0o600 })
  await changeHome(home, (db) => db.transaction((tx) => insertFlowVersion(tx, 'default', grantFlow(), now)))
}

/** A shipped flow under another name whose first step also declares the tool. */
function grantFlow() {
  const { flow, steps } = JSON.parse(readFileSync(MODEL, 'utf8')) as FlowBundleDraft
  const { flow_id, flow_version: version } = GRANT_FLOW
  const renamed = steps.map((step, at) => ({
    ...step,
    flow_id,
    step_id: `${flow_id}#${at + 1}`,
    skill_refs: at === 0 ? [{ kind: 'external_tool' as const, id: TOOL }] : [],
  }))
  const named = { ...flow, flow_id, version, steps: renamed.map((step) => step.step_id) }
  return canonicalBundle({ flow: named, steps: renamed })
}

/** Posts as the owner and answers the document that came back. */
async function post(hub: HubProcess, path: string, body: object): Promise<Record<string, never>> {
  const headers = { authorization: `Bearer ${hub.token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${hub.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}

/** A token as an agent has it: it may read, and what more it may do its grants say. */
export async function createAgentToken(hub: HubProcess): Promise<string> {
  return (await post(hub, '/api/v1/tokens', { role: 'viewer' })).bearer as unknown as string
}

export const MINT_PATH = `/api/v1/flows/${GRANT_FLOW.flow_id}/external-grants`
export const MINT_BODY = {
  flow_version: GRANT_FLOW.flow_version,
  requested_tools: [TOOL],
  ttl_seconds: 86_400,
}

/** Mints a grant as the owner and answers its bearer. */
export async function mintGrant(hub: HubProcess): Promise<string> {
  return (await post(hub, MINT_PATH, MINT_BODY)).bearer as unknown as string
}
