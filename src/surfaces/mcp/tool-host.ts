import type {
  LoggingLevel,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server'
import type { TellProgress } from '../../operations/define-operation.ts'
import type { PromptOffer } from './prompt-offer.ts'

/** What the MCP surface needs of the rest of the hub. The governed pipeline stands behind it. */

export interface ToolDescription {
  name: string
  title?: string
  description: string
  /** JSON Schema, draft 2020-12. Its root describes an object. */
  inputSchema: object
  /** Left out for a tool whose answers somebody else defines. */
  outputSchema?: object
  annotations: ToolAnnotations
  /** What else is said of it, for programs that look for it. */
  _meta?: Record<string, unknown>
}

export interface ToolAnnotations {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  openWorldHint: boolean
}

/** The answer of a governed call: `text` is one finished JSON object (the body, or `{error, code}`). */
export interface ToolAnswer {
  ok: boolean
  text: string
  /** The whole tool result as one JSON object, where the tool behind it has made one already. */
  result?: string
  /** Whether that asks the client for something first, instead of answering: only for clients of 2026. */
  asksBack?: boolean
}

/** What the client says of itself. Never proof of anything: it is only recorded. */
export interface ClientClaim {
  name?: string
  version?: string
}

/** One call beyond what it names. */
export interface CallContext {
  readonly signal?: AbortSignal
  /** Tells the client how far the call is, where it asked to be told. */
  readonly progress?: TellProgress
  /** Sends the client a message of a log, where the host keeps one for clients. */
  readonly log?: (level: LoggingLevel, data: unknown) => void
  /** What a client of 2026 has answered to what was asked of it, and what it was given to keep meanwhile. */
  readonly responses?: Readonly<Record<string, unknown>>
  readonly state?: string
  /** What a client of 2026 says that it can do. */
  readonly capabilities?: object
  /** The trace that the client says the call belongs to. */
  readonly traceparent?: string
}

/** What a host may offer beside tools. The protocol is told of what is there, and of nothing else. */
export interface OtherOffers<Caller> {
  readonly prompts?: PromptOffer<Caller>
  readonly resources?: {
    list(caller: Caller): Resource[]
    templates(caller: Caller): ResourceTemplateType[]
    /** Nothing where there is no such resource. */
    read(caller: Caller, uri: string): ReadResourceResult | undefined
  }
  readonly completions?: (caller: Caller, argument: { name: string; value: string }) => string[]
  /** Whether calls send messages of a log. */
  readonly logs?: boolean
}

/** The tools that one kind of caller is offered. */
export interface OfferedTools<Caller> {
  /** Answers the same array while the set is the same: its rendered text is cached per array. */
  listTools(caller: Caller): readonly ToolDescription[] | Promise<readonly ToolDescription[]>
  /** A tool that does not exist and one that the caller may not use give the same `unknown_tool`. */
  callTool(
    caller: Caller,
    name: string,
    args: unknown,
    client: ClientClaim,
    context?: CallContext,
  ): Promise<ToolAnswer | 'unknown_tool'>
}

export interface ToolHost<Caller> extends OfferedTools<Caller>, OtherOffers<Caller> {
  serverInfo: { name: string; version: string; instructions?: string }
  /** What a client is told of how to begin, where that depends on who it is. */
  instructionsFor?(caller: Caller): string | undefined
}
