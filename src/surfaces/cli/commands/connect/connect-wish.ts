import { ownerConsentWish, WISH_TTL } from '../../../../domains/control/consents/consent-wish.ts'
import { offeredTools } from '../../../../domains/flows/allowlist.ts'
import type { FlowBundle } from '../../../../domains/flows/bundle/flow-record.ts'
import { flowExport } from '../../../../domains/flows/flow-export.ts'
import type { Operation } from '../../../../operations/define-operation.ts'
import type { Hub } from '../../../../operations/hub.ts'
import { type Answer, runOperation } from '../../../../operations/run-operation.ts'
import { findSeconds } from '../../../../platform/basics/duration.ts'
import { localCaller, ROLES, type Role } from '../../../../platform/identity/caller.ts'
import { CommandFailure, UsageError } from '../../cli-errors.ts'
import { findFlag, type Invocation } from '../../command.ts'

/** What the page of the consent is to come with ticked. */
export interface Wish {
  readonly role?: Role
  readonly flow_id?: string
  readonly tools?: readonly string[]
  readonly ttl_seconds?: number
}

/** A request for a sign-in waits this long, so what is ticked on its page does at least. */
const LEAST_SECONDS = 600

/** What the flags say; undefined where they say nothing. */
export function readWish(invocation: Invocation): Wish | undefined {
  const [role, flow_id, tools, ttl] = ['role', 'flow', 'tools', 'ttl'].map((name) =>
    findFlag(invocation, name),
  )
  if (role === undefined && flow_id === undefined) {
    if (tools === undefined && ttl === undefined) return undefined
    throw new UsageError(
      '--tools and --ttl are about a flow.',
      'Say which one: --flow ID --tools a,b --ttl 1h',
    )
  }
  if (invocation.globals.url !== undefined)
    throw new UsageError(
      '--role and --flow are for the hub of this home.',
      'Leave them out: the hub at that address asks what the client may do when it signs in.',
    )
  if (role === undefined) return readFlowWish(flow_id as string, tools, ttl)
  if (flow_id !== undefined || tools !== undefined || ttl !== undefined)
    throw new UsageError(
      'A client is a member with a role or has a flow, not both.',
      'Leave one of them out.',
    )
  if (!ROLES.includes(role as Role))
    throw new UsageError(`There is no role ${role}.`, `The roles are ${ROLES.join(', ')}.`)
  return { role: role as Role }
}

function readFlowWish(flow_id: string, tools: string | undefined, ttl: string | undefined): Wish {
  const named = tools?.split(',').map((tool) => tool.trim())
  if (named?.includes(''))
    throw new UsageError('--tools takes names with commas between.', 'For example: --tools a,b')
  const ttl_seconds = ttl === undefined ? undefined : findSeconds(ttl)
  const isGood =
    ttl === undefined || (ttl_seconds && ttl_seconds >= WISH_TTL.least && ttl_seconds <= WISH_TTL.most)
  if (!isGood)
    throw new UsageError(
      '--ttl takes a time from 1m to 1h.',
      'The client renews by itself for as long as you allow.',
    )
  return { flow_id, ...(named && { tools: [...new Set(named)] }), ...(ttl_seconds && { ttl_seconds }) }
}

/** Has the page of the consent come with that ticked. What it could not offer is told now, and not there. */
export async function keepWish(
  hub: Hub,
  { globals, positionals }: Invocation,
  wish: Wish,
  wait_seconds: number,
): Promise<void> {
  const vault = globals.vault ?? 'default'
  const ask = (operation: Operation, input: object): Promise<Answer> => {
    const caller = localCaller('knowtation')
    return runOperation(hub, { operation, surface: 'cli', caller, address: 'local', vault, input })
  }
  if (wish.flow_id !== undefined) await checkOffered(hub, vault, wish, ask)
  const for_seconds = Math.max(wait_seconds, LEAST_SECONDS)
  const kept = await ask(ownerConsentWish, { client: positionals[0], vault_id: vault, ...wish, for_seconds })
  if (!kept.ok)
    throw new CommandFailure(kept.code ?? 'RUNTIME_ERROR', 'What is to be ticked could not be noted.')
}

async function checkOffered(
  hub: Hub,
  vault: string,
  { flow_id, tools = [] }: Wish,
  ask: (operation: Operation, input: object) => Promise<Answer>,
): Promise<void> {
  const found = await ask(flowExport, { flow_id })
  if (!found.ok)
    throw new CommandFailure(
      found.code ?? 'RUNTIME_ERROR',
      `There is no flow ${flow_id} in the vault ${vault} to tick.`,
      '`knowtation flow list` shows those that are there.',
    )
  const { steps } = JSON.parse(found.text) as FlowBundle
  const offered = offeredTools(steps, hub.rulesOf(vault).policy.value)
  const missing = tools.filter((tool) => !offered.includes(tool))
  if (missing.length === 0) return
  throw new CommandFailure(
    'NOT_OFFERED',
    `${flow_id} does not offer ${missing.join(', ')}.`,
    offered.length > 0
      ? `It offers ${offered.join(', ')}.`
      : `None of its tools is on the allowlist of the vault ${vault}.`,
  )
}
