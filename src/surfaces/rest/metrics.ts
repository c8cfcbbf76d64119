import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Hub } from '../../operations/hub.ts'
import { countOpenAlerts } from '../../platform/alerts/alert-store.ts'
import type { AuditRecord } from '../../platform/audit/audit-record.ts'
import { measureProcess } from './measure-process.ts'
import { askPatiently } from './store-patience.ts'

/** Counts calls by what is known of them without looking at anyone's data. */
export function measureCalls(hub: Hub): Registry {
  const registers = [new Registry()]
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
  // A store that cannot be read is told by /healthz; the other numbers go out all the same.
  const countAlerts = askPatiently(() => countOpenAlerts(hub.db).catch(() => Number.NaN), Number.NaN)
  const alerts: Gauge = new Gauge({
    name: 'knowtation_toolbox_alerts',
    help: 'Agents in Alert Mode that nobody has looked at.',
    registers,
    async collect(): Promise<void> {
      alerts.set(await countAlerts())
    },
  })
  measureProcess(registers[0] as Registry)
  // Finding a counter by its labels costs more than counting, so each is found once.
  const counters = new Map<string, { count(): void; time(seconds: number): void }>()
  const count = ({ operation, surface, outcome, duration_us }: AuditRecord) => {
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
  // A call is counted when its turn of the event loop ends: nobody's act or answer waits for that.
  let due: AuditRecord[] = []
  const countDue = () => {
    const ended = due
    due = []
    ended.forEach(count)
  }
  hub.observers.push((record) => void (due.push(record) === 1 && setImmediate(countDue)))
  return registers[0] as Registry
}
