import {
  CLIENT_CAPABILITIES_META_KEY,
  ProtocolError,
  ResourceNotFoundError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { type PromptOffer, PromptRefused } from './prompt-offer.ts'
import type { CallContext, OtherOffers, ToolHost } from './tool-host.ts'
import { INTERNAL_ERROR, type OnError } from './tool-result.ts'

/** Invalid parameters, as JSON-RPC numbers it. */
const INVALID_PARAMS = -32_602
/** A refusal of the hub's own, from the numbers that JSON-RPC leaves to servers. */
const REFUSED = -32_000

/** A note to the client; one that has gone away needs none. */
function send(sent: Promise<void>): void {
  sent.catch(() => {})
}

/** What a host learns of a request beyond what it names. */
export function contextOf({ mcpReq }: ServerContext): CallContext {
  const { progressToken: token, traceparent } = mcpReq._meta ?? {}
  const { inputResponses, envelope = {} } = mcpReq
  const state = mcpReq.requestState<string>()
  const capabilities = (envelope as Record<string, object | undefined>)[CLIENT_CAPABILITIES_META_KEY]
  return {
    signal: mcpReq.signal,
    log: (level, data) => send(mcpReq.log(level, data)),
    ...(token !== undefined && {
      progress: (progress: number, total?: number, message?: string) => {
        const said = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
        const params = { progressToken: token, progress, ...said }
        send(mcpReq.notify({ method: 'notifications/progress', params }))
      },
    }),
    ...(inputResponses && { responses: inputResponses }),
    ...(state !== undefined && { state }),
    ...(capabilities && { capabilities }),
    ...(typeof traceparent === 'string' && { traceparent }),
  }
}

/** Prompts, resources and completions, where the host has them; else the protocol's own answer is that there are none. */
export function addOtherHandlers<Caller>(
  server: Server,
  host: ToolHost<Caller>,
  caller: Caller,
  onError: OnError,
): void {
  const { resources, completions } = host
  const prompts = promptsFor(host, caller)
  const safely = <Result>(work: () => Result) => orInternal(work, onError)
  if (prompts) {
    server.setRequestHandler('prompts/list', () =>
      safely(async () => ({ prompts: await prompts.list(caller) })),
    )
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      safely(async () => {
        const found = await prompts.get(caller, params.name, params.arguments ?? {}, contextOf(context))
        if (!found) throw new ProtocolError(INVALID_PARAMS, `Prompt ${params.name} not found`)
        return found
      }),
    )
  }
  if (resources) {
    server.setRequestHandler('resources/list', () => safely(() => ({ resources: resources.list(caller) })))
    server.setRequestHandler('resources/templates/list', () =>
      safely(() => ({ resourceTemplates: resources.templates(caller) })),
    )
    server.setRequestHandler('resources/read', ({ params }) =>
      safely(() => {
        const found = resources.read(caller, params.uri)
        if (!found) throw new ResourceNotFoundError(params.uri)
        return found
      }),
    )
  }
  if (completions) {
    server.setRequestHandler('completion/complete', ({ params }) =>
      safely(() => ({ completion: { values: completions(caller, params.argument) } })),
    )
  }
}

/** The prompts that this caller is told of. */
export function promptsFor<Caller>(
  { prompts }: OtherOffers<Caller>,
  caller: Caller,
): PromptOffer<Caller> | undefined {
  return prompts?.isOffered?.(caller) === false ? undefined : prompts
}

async function orInternal<Result>(work: () => Result, onError: OnError): Promise<Awaited<Result>> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    if (error instanceof PromptRefused)
      throw new ProtocolError(REFUSED, error.message, error.code === null ? undefined : { code: error.code })
    onError(error as Error)
    throw new ProtocolError(INTERNAL_ERROR.code, INTERNAL_ERROR.message)
  }
}
