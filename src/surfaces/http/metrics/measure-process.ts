import { performance } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, type Registry } from 'prom-client'

/** So seldom that an idle hub sleeps: the longest interval that a timer takes. */
const NEVER_MS = 2 ** 31 - 1
/** What comes of looking at the event loop a hundred times a second, which would keep an idle hub awake. */
const SAMPLED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (part) => `nodejs_eventloop_lag_${part}_seconds`,
)

/** Numbers of the process. How busy its event loop is follows from what Node counts anyway. */
export function measureProcess(register: Registry): void {
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: NEVER_MS })
  for (const name of SAMPLED) register.removeSingleMetric(name)
  const active: Counter = new Counter({
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Time in which the event loop did not wait for anything; its rate is how busy it is.',
    registers: [register],
    collect() {
      active.reset()
      active.inc(performance.eventLoopUtilization().active / 1_000)
    },
  })
}
