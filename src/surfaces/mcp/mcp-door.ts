import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation, type Operation, type Presented } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import { type Answer, runOperation } from '../../operations/run-operation.ts'
import { type Caller, rateKey } from '../../platform/identity/caller.ts'

/** Who speaks MCP to us, and which vault it named. */
export interface McpCaller {
  readonly caller: Caller
  readonly vault: string | undefined
  readonly address: string
  readonly presented?: Presented
  readonly hosted?: boolean
  readonly origin?: string
  readonly stillCounts?: () => Promise<boolean>
  readonly traceparent?: string | undefined
}

/** The audit log's name for a request at the MCP door that reached no operation. */
export const mcpDoor: Operation = defineOperation({
  name: 'mcp_request',
  summary: 'A request to the MCP endpoint that named no operation.',
  effect: 'read',
  authority: vaultMember('read'),
  mcp: true,
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({}),
  handle: async () => ({}),
})

/** Keeps the record of a request that is turned away before it names an operation, and answers it. */
export function refuseAtDoor(hub: Hub, from: McpCaller, refused: Refusal): Promise<Answer> {
  return runOperation(hub, { ...from, operation: mcpDoor, surface: 'mcp', input: {}, refused })
}

/** Counts a request that is no call of a tool, as listing them: a call is counted where it is carried out. */
export async function countAtDoor(hub: Hub, from: McpCaller): Promise<Answer | undefined> {
  const { caller } = from
  const wait = hub.limits.call(rateKey(caller))
  // The first of a program that has signed in is on record, so that the owner sees it come.
  if (wait === 0 && caller.kind === 'mcp_client')
    await hub.once(`first request of ${caller.id}`, async () => {
      await runOperation(hub, { ...from, operation: mcpDoor, surface: 'mcp', input: {} })
    })
  return wait > 0 ? refuseAtDoor(hub, from, new Refusal('RATE_LIMITED', undefined, wait)) : undefined
}

/** Cuts what stays open for a caller as soon as the owner has locked it or its credential counts no more. */
export function watchAtDoor({ acts }: Pick<Hub, 'acts'>, from: McpCaller, cut: () => void): () => void {
  const stop = new AbortController()
  stop.signal.addEventListener('abort', cut, { once: true })
  return acts.begin({ call: { ...from, operation: mcpDoor, surface: 'mcp', input: {} }, stop })
}

/** Whether a refusal tells nothing of what was called: the hub has a fault, or the caller makes too many calls. */
export function isAboutTheHub({ status }: { status: number }): boolean {
  return status >= 500 || status === 429
}
