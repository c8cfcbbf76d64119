import { z } from 'zod'
import type { Hub } from '../../../operations/hub.ts'
import {
  describeGate,
  forbiddenBy,
  GATE_FLAGS,
  type GateFlag,
  gateState,
} from '../../../platform/policy/gates.ts'
import type { VaultRules } from '../../../platform/policy/policies.ts'
import {
  openPolicyDocument,
  PolicyUneditable,
  TOOLS,
} from '../../../platform/policy-edits/policy-document.ts'

export const GateShape = z.strictObject({
  gate: z.string(),
  flag: z.string().describe('The environment variable that decides before the policy does'),
  open: z.boolean(),
  set_by: z.enum(['environment', 'policy', 'default']),
  forbidden_by: z.enum(['environment', 'policy', 'damage']).nullable(),
  setting: z.string().describe('Where it stands in the policy'),
})

/** A gate with what decides about it. */
export function showGate({ env }: Pick<Hub, 'env'>, { policy }: Pick<VaultRules, 'policy'>, flag: GateFlag) {
  const { on, set_by } = gateState(flag, env, policy.value)
  const forbidden_by = forbiddenBy(flag, env, policy) ?? null
  const { name, setting } = describeGate(flag)
  return {
    gate: name,
    flag,
    open: on && forbidden_by === null,
    set_by,
    forbidden_by,
    setting: setting.join('.'),
  }
}

export function showGates(hub: Pick<Hub, 'env'>, rules: Pick<VaultRules, 'policy'>) {
  return GATE_FLAGS.map((flag) => showGate(hub, rules, flag))
}

/** A gate by what its owner calls it, or by its variable. */
export function flagOfGate(gate: string): GateFlag {
  return GATE_FLAGS.find((flag) => flag === gate || describeGate(flag).name === gate) as GateFlag
}

const GATE_NAMES = GATE_FLAGS.flatMap((flag) => [describeGate(flag).name, flag]) as [string, ...string[]]
export const GateName = z
  .enum(GATE_NAMES)
  .describe('external_agent, hosted_projection, authoring, runs or automatable_execution')

export const FaultShape = z.strictObject({
  line: z.int(),
  column: z.int(),
  at: z.string().describe('The place in the policy; empty where the text itself is no YAML'),
  message: z.string(),
})

const budget = z.int().nullable()

export const ToolShape = z.strictObject({
  id: z.string(),
  description: z.string().nullable(),
  provider: z.string().nullable().describe('The name of its provider; null where it has its own, or none'),
  provider_kind: z
    .string()
    .nullable()
    .describe('mcp, http or toolbox; null: it is counted and nothing is sent'),
  provider_tool: z.string().nullable(),
  address: z.string().nullable().describe('The command or the address of its provider'),
  approval: z.enum(['never', 'first_call', 'each_call']),
  pin: z.string().nullable(),
  has_input_schema: z.boolean(),
  has_output_schema: z.boolean(),
  trusts_annotations: z.boolean().describe("Whether agents are told its annotations as the hub's own"),
  redaction_exceptions: z.array(z.string()),
  calls_per_minute: budget,
  max_payload_bytes: budget,
  max_result_bytes: budget,
})
export type ShownTool = z.output<typeof ToolShape>

type Written = Record<string, unknown>

/** The tools as they are written; nothing where the text cannot be read. */
export function writtenTools(text: string): unknown {
  try {
    return openPolicyDocument(text).get(TOOLS)
  } catch (error) {
    if (error instanceof PolicyUneditable) return undefined
    throw error
  }
}

/** The tools that a policy lists, as they count. What the owner wrote tells the name of a provider. */
export function showTools({ policy }: Pick<VaultRules, 'policy'>, written: unknown): ShownTool[] {
  const list = Array.isArray(written) ? written : []
  return (policy.value.external_agent?.allowed_tools ?? []).map((tool, at) => {
    const { provider } = tool
    const own = Object(list[at]) as Written
    const named = Object(own.provider) as Written
    return {
      id: tool.id,
      description: tool.description ?? null,
      provider: typeof named.name === 'string' ? named.name : null,
      provider_kind: provider?.kind ?? null,
      provider_tool: provider && 'tool' in provider ? provider.tool : null,
      address: provider ? addressOf(provider) : null,
      approval: tool.approval ?? 'never',
      pin: typeof own.pin === 'string' ? own.pin : null,
      has_input_schema: tool.input_schema !== undefined,
      has_output_schema: tool.output_schema !== undefined,
      trusts_annotations: tool.trusts_annotations ?? false,
      redaction_exceptions: tool.redaction_exceptions ?? [],
      calls_per_minute: tool.calls_per_minute ?? null,
      max_payload_bytes: tool.max_payload_bytes ?? null,
      max_result_bytes: tool.max_result_bytes ?? null,
    }
  })
}

/** What is started or asked, without what stands in a query: that may be a credential. */
export function addressOf(provider: object): string {
  const { command, url, service } = provider as { command?: string[]; url?: string; service?: string }
  if (command) return command.join(' ')
  if (url) return url.replace(/\?.*$/, '?…')
  return service ?? ''
}
