import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Hub } from '../../../operations/hub.ts'
import { countOpenAlerts } from '../../../platform/alerts/alert-store.ts'
import type { AuditRecord } from '../../../platform/audit/audit-record.ts'
import { findVerified } from '../../../platform/audit/verify-slowly.ts'
import { sql } from '../../../platform/storage/database.ts'
import { askPatiently } from '../store-patience.ts'
import { measureProcess } from './measure-process.ts'
import { measureStore } from './measure-store.ts'
import { measureWork, toolCounter } from './measure-work.ts'

const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'
/** OpenMetrics allows an exemplar no more than this, names and values together. */
const LABELS_LIMIT = 128

/** What looking at the audit log in the background has found. */
function measureAudit(hub: Hub, registers: Registry[]): void {
  const find = askPatiently(() => findVerified(hub.db).catch(() => undefined), undefined)
  const good: Gauge = new Gauge({
    name: 'knowtation_audit_last_good_timestamp_seconds',
    help: 'When the whole audit log was last found as it was written; 0 if never.',
    registers,
    async collect(): Promise<void> {
      const { good_at } = (await find()) ?? {}
      good.set(good_at ? Date.parse(good_at) / 1_000 : 0)
    },
  })
  const bad: Gauge = new Gauge({
    name: 'knowtation_audit_first_bad_record',
    help: 'The first record that is not as it was written; -1 if none is known.',
    registers,
    async collect(): Promise<void> {
      const { fault, bad_seq } = (await find()) ?? {}
      bad.set(fault ? (bad_seq ?? 0) : -1)
    },
  })
}

/** The agents in Alert Mode. A store that cannot be read is told by /healthz; the other numbers go out all the same. */
function measureAlerts(hub: Hub, registers: Registry[]): void {
  const countAlerts = askPatiently(() => countOpenAlerts(hub.db).catch(() => Number.NaN), Number.NaN)
  const alerts: Gauge = new Gauge({
    name: 'knowtation_toolbox_alerts',
    help: 'Agents in Alert Mode that nobody has looked at.',
    registers,
    async collect(): Promise<void> {
      alerts.set(await countAlerts())
    },
  })
}

const prunedUpTo = sql<{ seq: number }>('SELECT checkpoint_seq AS seq FROM audit_head')

/** Where retention has cut the audit log. */
function measurePruning(hub: Hub, registers: Registry[]): void {
  const find = askPatiently(() => hub.db.get(prunedUpTo).catch(() => undefined), undefined)
  const gauge: Gauge = new Gauge({
    name: 'knowtation_audit_pruned_up_to_record',
    help: 'The last record of the audit log that retention has removed; 0 if none.',
    registers,
    async collect(): Promise<void> {
      gauge.set(Number((await find())?.seq ?? Number.NaN))
    },
  })
}

/** What counts a call, by what is known of it without looking at anyone's data. */
function callCounter(registers: Registry[]): (record: AuditRecord) => void {
  const labelNames = ['operation', 'surface', 'outcome'] as const
  const calls = new Counter({
    name: 'knowtation_calls_total',
    help: 'Calls by outcome.',
    labelNames,
    registers,
  })
  const seconds = new Histogram({
    name: 'knowtation_call_seconds',
    help: 'Time from arrival to answer.',
    labelNames: ['operation'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  })
  // Finding a counter by its labels costs more than counting, so each is found once.
  const counters = new Map<string, { count(): void; time(seconds: number): void }>()
  return ({ operation, surface, outcome, duration_us }) => {
    const key = `${operation}|${surface}|${outcome}`
    let counter = counters.get(key)
    if (!counter) {
      const call = calls.labels({ operation, surface, outcome })
      const timer = seconds.labels({ operation })
      counters.set(key, (counter = { count: () => call.inc(), time: (value) => timer.observe(value) }))
    }
    counter.count()
    counter.time(duration_us / 1_000_000)
  }
}

/** Tells of each call when its turn of the event loop ends: nobody's act or answer waits for that. */
function afterCalls(hub: Hub, tell: (record: AuditRecord) => void): void {
  let due: AuditRecord[] = []
  const tellDue = () => {
    const ended = due
    due = []
    ended.forEach(tell)
  }
  hub.observers.push((record) => void (due.push(record) === 1 && setImmediate(tellDue)))
}

export interface Metrics {
  readonly registry: Registry
  /** The numbers, in the form that whoever asks for them reads. */
  tell(accept: string | undefined): Promise<{ type: string; text: string }>
}

/** The numbers of a hub. */
export function measureHub(hub: Hub): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const count = callCounter(registers)
  const countTool = toolCounter(registers)
  const exemplars = callExemplars()
  measureAlerts(hub, registers)
  measureAudit(hub, registers)
  measurePruning(hub, registers)
  measureProcess(registry)
  measureStore(hub, registry)
  measureWork(hub, registers)
  afterCalls(hub, (record) => {
    count(record)
    countTool(record)
    exemplars.note(record)
  })
  return {
    registry,
    async tell(accept) {
      const text = await registry.metrics()
      return accept?.includes('application/openmetrics-text')
        ? { type: OPENMETRICS_TYPE, text: exemplars.render(text) }
        : { type: registry.contentType, text }
    },
  }
}

const lineOf = ({ operation, surface, outcome }: AuditRecord) =>
  `knowtation_calls_total{operation="${operation}",surface="${surface}",outcome="${outcome}"}`

/**
 * What the last call of each kind was made with: from a number that stands out, Prometheus leads to one call behind it,
 * which the audit log has under the same ids. They are told in OpenMetrics alone, where there is a place for them.
 */
function callExemplars() {
  const last = new Map<string, AuditRecord>()
  return {
    note(record: AuditRecord): void {
      // Without a grant or a seat there is nothing that the counter itself does not tell.
      if (record.grant_id !== null || record.seat_id !== null) last.set(lineOf(record), record)
    },
    /** Makes OpenMetrics of what is told in the plain form. */
    render(plain: string): string {
      const lines = plain.split('\n').filter((line) => line !== '')
      const told = lines.map((line) => {
        // The family of a counter has its name without the ending that its sample has.
        if (line.startsWith('# ')) return line.replace(/^(# (?:HELP|TYPE) \w+)_total /, '$1 ')
        return line + exemplarOf(last.get(line.slice(0, line.lastIndexOf(' '))))
      })
      return `${told.join('\n')}\n# EOF\n`
    },
  }
}

/** The end of a line. It is made when it is asked for: calls are many, and few of them are told. */
function exemplarOf(record: AuditRecord | undefined): string {
  const labels = record ? labelsOf(record) : []
  return record && labels.length > 0 ? ` # {${labels.join()}} 1 ${Date.parse(record.at) / 1_000}` : ''
}

/** Grant, flow, version and seat, as far as there is room. */
function labelsOf({ grant_id, flow_id, flow_version, seat_id, request_id }: AuditRecord): string[] {
  const labels: string[] = []
  let room = LABELS_LIMIT
  for (const [name, value] of Object.entries({ grant_id, seat_id, flow_id, flow_version, request_id })) {
    const size = name.length + Buffer.byteLength(value ?? '')
    if (value === null || size > room || !/^[\w.:@/+-]+$/.test(value)) continue
    labels.push(`${name}="${value}"`)
    room -= size
  }
  return labels
}
