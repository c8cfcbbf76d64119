import type { Log } from '../basics/plain-log.ts'
import type { Database } from '../storage/database.ts'

export type SpanKind = 'server' | 'client' | 'internal'
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface SpanStart {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes?: SpanAttributes
  /** The `traceparent` that the caller has sent. It becomes a link: whoever calls cannot choose our trace. */
  readonly follows?: string | undefined
}

/** A span under way. */
export interface Span {
  /** Names it anew, and says more about it. What is undefined is left out. */
  tell(more: { name?: string; attributes?: SpanAttributes }): void
  /** Marks what it stands for as failed, by a name of ours: the words of an error may hold anything. */
  fail(type: string): void
}

/** Where the hub tells what it does, for whoever watches it. */
export interface Tracing {
  readonly isOn: boolean
  /** Carries an act out as a span, below the one under way. */
  span<Result>(start: SpanStart, act: (span: Span) => Promise<Result>): Promise<Result>
  /** The span under way as a `traceparent`, for a program that the hub calls. */
  traceparent(): string | undefined
  /** The same database, with spans of what is asked of it. */
  database(db: Database): Database
  /** The same log, told to the receiver too. */
  log(log: Log): Log
  /** Sends what has not been sent, for a moment at most. */
  close(): Promise<void>
}

const NO_SPAN: Span = { tell() {}, fail() {} }

/** Nobody watches. */
export const NO_TRACING: Tracing = {
  isOn: false,
  span: (_start, act) => act(NO_SPAN),
  traceparent: () => undefined,
  database: (db) => db,
  log: (log) => log,
  close: async () => {},
}

/** What a call of a tool says by the conventions. */
export function toolCall(tool: string): SpanAttributes {
  return {
    'mcp.method.name': 'tools/call',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
  }
}

/** What of the usual variables asks for: traces, logs, or neither. */
function wantedSignals(env: NodeJS.ProcessEnv): { traces: boolean; logs: boolean } {
  const wants = (signal: 'TRACES' | 'LOGS') =>
    env.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
    env[`OTEL_${signal}_EXPORTER`]?.toLowerCase() !== 'none' &&
    Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`])
  return { traces: wants('TRACES'), logs: wants('LOGS') }
}

/** The tracing that the environment asks for. The SDK is loaded only then. */
export async function tracingFor(env: NodeJS.ProcessEnv): Promise<Tracing> {
  const wanted = wantedSignals(env)
  if (!wanted.traces && !wanted.logs) return NO_TRACING
  return (await import('./open-tracing.ts')).openTracing(env, wanted)
}
