import { expect } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import type { ParityCase } from '../parity/parity-case.ts'
import type { RuleId } from '../requirements/rule-ids.ts'
import { UNLISTED } from './bundles.ts'
import { ask, MINT_INPUT, type Minted, mint, turnGate, USE, writePolicy } from './gate-hub.ts'

/** What a case of the table needs of its hub. */
export interface Stage {
  hub: TestHub
  /** The address of a gateway before the hub. */
  gateway: string
  /** Sets the hub's clock for so many seconds from now. */
  moveClock(seconds: number): void
}

type Call = Pick<ParityCase, 'operation' | 'input'> & Partial<ParityCase>

/** One code of the taxonomy: how to come by it, at each operation that answers it. */
export interface CodeCase {
  rule: RuleId
  code: string
  status: number
  provoke(stage: Stage): Promise<readonly Call[]> | readonly Call[]
}

export const MINT: Call = { operation: 'flow_external_grant_mint', input: MINT_INPUT }
export const LIST: Call = { operation: 'flow_external_grant_list', input: {} }
export const BUNDLE: Call = {
  operation: 'flow_project',
  input: { flow_id: 'flow_gate', harness: 'agent_bundle' },
}
const PINNED_BY_GRANT = 'over MCP the pin comes from the grant itself; a fetch shows the code there'

/** An invoke with a grant held up. */
export function invoke({ presented }: Pick<Minted, 'presented'>, changes: object = {}): Call {
  return { operation: 'flow_external_tool_invoke', input: { ...USE, ...changes }, presented }
}

/** A fetch with a grant held up. */
export function fetchWith({ presented }: Pick<Minted, 'presented'>, changes: object = {}): Call {
  const input = { flow_id: 'flow_gate', version: '1.2.0', harness: 'agent_bundle', ...changes }
  return { operation: 'flow_project', input, presented }
}

const NOBODYS = { presented: { external_bearer: `fgrnt_bearer_${'0'.repeat(64)}` } }

function asked(operation: string, input: object, more: Partial<ParityCase> = {}): Call {
  return { operation, input: { ...input }, ...more }
}

function row(rule: RuleId, code: string, status: number, provoke: CodeCase['provoke']): CodeCase {
  return { rule, code, status, provoke }
}

export const CODES: readonly CodeCase[] = [
  row('GATE-147', 'FLOW_EXTERNAL_AGENT_DISABLED', 403, async ({ hub }) => {
    const minted = await mint(hub)
    turnGate(hub, '0')
    return [MINT, LIST, invoke(minted), asked('flow_external_tool_invoke', USE)]
  }),
  row('GATE-148', 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN', 403, async ({ hub }) => {
    const minted = await mint(hub)
    writePolicy(hub, { forbidden: true })
    return [MINT, LIST, BUNDLE, invoke(minted)]
  }),
  row('GATE-149', 'FLOW_EXTERNAL_TOOL_DENIED', 403, async ({ hub }) => {
    const minted = await mint(hub)
    writePolicy(hub, { allowed_tools: ['slack_notify'] })
    return [
      asked('flow_external_grant_mint', { ...MINT_INPUT, requested_tools: ['pager_call'] }),
      MINT,
      invoke(minted),
      fetchWith(minted),
    ]
  }),
  row('GATE-150', 'FLOW_EXTERNAL_TOOL_UNKNOWN', 400, () => [
    asked('flow_external_grant_mint', { ...MINT_INPUT, requested_tools: ['other'] }),
  ]),
  row('GATE-151', 'FLOW_IMPORT_EXTERNAL_TOOL_DENIED', 403, () => [
    asked('flow_import', { bundle: { ...UNLISTED }, intent: 'Others use it.' }),
  ]),
  row('GATE-152', 'FLOW_EXTERNAL_GRANT_DENIED', 403, () => [
    { ...MINT, as: 'viewer' },
    invoke(NOBODYS),
    fetchWith(NOBODYS),
    asked('flow_external_tool_invoke', USE),
  ]),
  row('GATE-153', 'FLOW_EXTERNAL_GRANT_EXPIRED', 403, async ({ hub, moveClock }) => {
    moveClock(-7_200)
    const minted = await mint(hub)
    moveClock(0)
    return [invoke(minted), fetchWith(minted)]
  }),
  row('GATE-154', 'FLOW_EXTERNAL_GRANT_REVOKED', 403, async ({ hub }) => {
    const minted = await mint(hub)
    await ask(hub, 'flow_external_grant_revoke', { grant_id: minted.grant.grant_id })
    return [invoke(minted), fetchWith(minted)]
  }),
  row('GATE-155', 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH', 403, async ({ hub }) => {
    const minted = await mint(hub)
    const other = invoke(minted, { flow_version: '1.3.0' })
    return [{ ...other, notOn: { mcp: PINNED_BY_GRANT } }, fetchWith(minted, { version: '1.3.0' })]
  }),
  row('GATE-156', 'FLOW_EXTERNAL_GRANT_TOOL_DENIED', 403, async ({ hub }) => [
    invoke(await mint(hub), { tool_id: 'slack_notify' }),
  ]),
  row('GATE-157', 'FLOW_HOSTED_PROJECTION_DISABLED', 403, ({ gateway }) => [
    { ...BUNDLE, as: 'gateway', gateway },
  ]),
  row('GATE-158', 'FLOW_HARNESS_UNSUPPORTED', 400, ({ hub }) => {
    turnGate(hub, '0')
    return [BUNDLE, asked('flow_project', { flow_id: 'flow_nope', harness: 'agent_bundle' })]
  }),
  row('GATE-159', 'unknown_flow', 404, async ({ hub }) => {
    const higher = { flow_id: 'flow_higher', flow_version: '1.2.0' }
    const minted = await mint(hub, higher, { as: 'admin' })
    const names = ['flow_nope', 'flow_higher']
    return [
      ...names.map((flow_id) => asked('flow_external_grant_mint', { ...MINT_INPUT, flow_id })),
      ...names.map((flow_id) => asked('flow_project', { flow_id, harness: 'agent_bundle' })),
      invoke(minted, higher),
      fetchWith(minted, { flow_id: 'flow_higher' }),
    ]
  }),
]

/** Both texts of a refusal, and nothing else. */
export function checkRefusal(body: object): void {
  expect(Object.keys(body)).toEqual(['error', 'code'])
}
