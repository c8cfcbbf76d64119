import { allOperations } from '../../src/domains/index.ts'
import type { Operation, Presented } from '../../src/operations/define-operation.ts'
import { buildRegistry } from '../../src/operations/registry.ts'
import { runOperation, type Surface } from '../../src/operations/run-operation.ts'
import { callCli, callCliAtHome } from './call-cli.ts'
import { callMcp } from './call-mcp.ts'
import { callRest } from './call-rest.ts'
import { callerOf, type Who } from './callers.ts'
import type { TestHub } from './test-hub.ts'

/**
 * The ways a call can take. `direct` is the pipeline itself, without any surface; `cli` asks the running
 * hub, `home` is the command line on the home's own files.
 */
export const WAYS = ['direct', 'rest', 'mcp', 'cli', 'home'] as const
export type Way = (typeof WAYS)[number]

/** An operation to call, with what and as whom. */
export interface Request {
  operation: Operation
  input: Record<string, unknown>
  as: Who
  vault?: string | undefined
  /** A grant that is held up beside the credential. */
  presented?: Presented | undefined
  /** The address of a gateway before the hub, which makes the call a hosted one. */
  gateway?: string | undefined
}

/** What came back, in the terms all ways share. The command line and MCP have no status. */
export interface Reply {
  ok: boolean
  status: number | undefined
  /** The JSON document as it came. */
  text: string
}

export const registry = buildRegistry(allOperations)

/** The operation of this name. */
export function requireOperation(name: string): Operation {
  const found = registry.get(name)
  if (!found) throw new Error(`There is no operation ${name}.`)
  return found
}

/** The surfaces an operation is on. */
export function surfacesOf({ rest, mcp, cli }: Operation): Surface[] {
  const offered = { rest: rest !== undefined, mcp, cli: cli !== undefined }
  return (['rest', 'mcp', 'cli'] as const).filter((surface) => offered[surface])
}

/** Makes the call one way. */
export function call(hub: TestHub, way: Way, request: Request): Promise<Reply> {
  const ways = { direct: callDirectly, rest: callRest, mcp: callMcp, cli: callCli, home: callCliAtHome }
  return ways[way](hub, request)
}

function callDirectly({ hub, credentials }: TestHub, request: Request): Promise<Reply> {
  const { operation, input, vault, presented = {}, gateway } = request
  const surface = surfacesOf(operation)[0] ?? 'rest'
  const caller = callerOf(request.as, credentials)
  const hosted = gateway !== undefined
  return runOperation(hub, { operation, surface, caller, address: 'test', vault, input, presented, hosted })
}
