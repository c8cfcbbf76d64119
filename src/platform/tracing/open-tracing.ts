import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Link,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { LoggerProvider } from '@opentelemetry/sdk-logs'
import { PACKAGE_VERSION } from '../basics/package-folder.ts'
import type { Log } from '../basics/plain-log.ts'
import { openProviders } from './otlp-providers.ts'
import { type Keep, tracedDatabase } from './traced-database.ts'
import type { Span, SpanAttributes, Tracing } from './tracing.ts'

/** A receiver that is down must not keep the hub from ending. */
const LAST_SEND_MS = 2_000

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const
/** Severities as OpenTelemetry numbers them. */
const SEVERITIES = { debug: 5, info: 9, warn: 13, error: 17 } as const

/** Sends spans and logs by OTLP over HTTP, as the usual variables say. */
export function openTracing(env: NodeJS.ProcessEnv, wanted: { traces: boolean; logs: boolean }): Tracing {
  const { tracers, loggers } = openProviders(env, wanted)
  const tracer = tracers.getTracer('knowtation', PACKAGE_VERSION)
  const logger = loggers.getLogger('knowtation', PACKAGE_VERSION)
  const underWay = new AsyncLocalStorage<SdkSpan>()
  const contextNow = () => {
    const parent = underWay.getStore()
    return parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT
  }

  const span: Tracing['span'] = async ({ name, kind, attributes, follows }, act) => {
    const links = linksTo(follows)
    const start = { kind: KINDS[kind], attributes: told(attributes), ...(links && { links }) }
    const begun = tracer.startSpan(name, start, contextNow())
    try {
      return await underWay.run(begun, () => act(spanOf(begun)))
    } catch (error) {
      failSpan(begun, error instanceof Error ? error.name : 'error')
      throw error
    } finally {
      begun.end()
    }
  }
  const keep: Keep = (act) => {
    const now = underWay.getStore()
    return (...given) => (now ? underWay.run(now, act, ...given) : act(...given))
  }
  return {
    isOn: true,
    span,
    traceparent: () => traceparentOf(underWay.getStore()?.spanContext()),
    database: (db) => (wanted.traces ? tracedDatabase(db, span, keep) : db),
    log: (log) => (wanted.logs ? toldLog(log, logger, contextNow) : log),
    async close() {
      const sent = Promise.allSettled([tracers.shutdown(), loggers.shutdown()])
      await Promise.race([sent, pause(LAST_SEND_MS, undefined, { ref: false })])
    },
  }
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

function linksTo(follows: string | undefined): Link[] | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(follows ?? '') ?? []
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(context) ? [{ context }] : undefined
}

function traceparentOf(context: SpanContext | undefined): string | undefined {
  if (!context) return undefined
  return `00-${context.traceId}-${context.spanId}-${context.traceFlags.toString(16).padStart(2, '0')}`
}

function told(attributes: SpanAttributes = {}): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined),
  ) as Attributes
}

/** A log whose lines go to the receiver, too. */
function toldLog(log: Log, logger: ReturnType<LoggerProvider['getLogger']>, contextNow: () => Context): Log {
  const lineAt = (level: keyof typeof SEVERITIES) => (fields: object, message: string) => {
    log[level](fields, message)
    const values = Object.entries(fields).map(([key, value]) => [key, plain(value)])
    const severity = { severityNumber: SEVERITIES[level], severityText: level.toUpperCase() }
    const attributes = told(Object.fromEntries(values))
    logger.emit({ ...severity, body: message, attributes, context: contextNow() })
  }
  return { debug: lineAt('debug'), info: lineAt('info'), warn: lineAt('warn'), error: lineAt('error') }
}

/** A field of a line as one value. */
function plain(value: unknown): string | number | boolean | undefined {
  if (['string', 'number', 'boolean', 'undefined'].includes(typeof value)) return value as string
  return JSON.stringify(value)
}

function spanOf(begun: SdkSpan): Span {
  return {
    tell({ name, attributes }) {
      if (name !== undefined) begun.updateName(name)
      if (attributes) begun.setAttributes(told(attributes))
    },
    fail: (type) => failSpan(begun, type),
  }
}

function failSpan(begun: SdkSpan, type: string): void {
  begun.setAttribute('error.type', type)
  begun.setStatus({ code: SpanStatusCode.ERROR })
}
