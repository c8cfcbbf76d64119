import { OTLPLogExporter as JsonLogs } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtobufLogs } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPTraceExporter as JsonTraces } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufTraces } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { PACKAGE_VERSION } from '../basics/package-folder.ts'

/** Spans and lines that wait to be sent; beyond that they are dropped, and no caller waits. */
const QUEUE_LIMIT = 4_096

/** What the usual variables say of where spans and lines go, and which of them. */
export function openProviders(env: NodeJS.ProcessEnv, wanted: { traces: boolean; logs: boolean }) {
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'knowtation', 'service.version': PACKAGE_VERSION }))
    .merge(detectResources({ detectors: [envDetector] }))
  const tracers = new TracerProvider({
    resource,
    sampler: samplerOf(env),
    spanProcessors: wanted.traces
      ? [new BatchSpanProcessor({ exporter: traceExporter(env), maxQueueSize: QUEUE_LIMIT })]
      : [],
  })
  const loggers = new LoggerProvider({
    resource,
    processors: wanted.logs
      ? [new BatchLogRecordProcessor({ exporter: logExporter(env), maxQueueSize: QUEUE_LIMIT })]
      : [],
  })
  return { tracers, loggers }
}

const traceExporter = (env: NodeJS.ProcessEnv) =>
  isJson(env, 'TRACES') ? new JsonTraces() : new ProtobufTraces()
const logExporter = (env: NodeJS.ProcessEnv) => (isJson(env, 'LOGS') ? new JsonLogs() : new ProtobufLogs())

/** Whoever asks for a protocol that is not here is told, not sent another one. */
function isJson(env: NodeJS.ProcessEnv, signal: 'TRACES' | 'LOGS'): boolean {
  const name = 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const protocol = env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] || env[name] || 'http/protobuf'
  if (protocol === 'http/json' || protocol === 'http/protobuf') return protocol === 'http/json'
  throw new Error(`${name} is ${protocol}; the hub speaks http/protobuf and http/json.`)
}

/** Every span of ours has its own beginning, so what a parent has decided never counts. */
function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: NodeJS.ProcessEnv): Sampler {
  const name = OTEL_TRACES_SAMPLER?.replace(/^parentbased_/, '') || 'always_on'
  if (name === 'always_on') return new AlwaysOnSampler()
  if (name === 'always_off') return new AlwaysOffSampler()
  const ratio = Number(OTEL_TRACES_SAMPLER_ARG ?? 1)
  if (name === 'traceidratio' && ratio >= 0 && ratio <= 1) return new TraceIdRatioBasedSampler(ratio)
  throw new Error(
    'OTEL_TRACES_SAMPLER takes always_on, always_off or traceidratio, with OTEL_TRACES_SAMPLER_ARG between 0 and 1.',
  )
}
