import { execFileSync } from 'node:child_process'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { measureProcess } from './measure-process.ts'

/** Measures itself, waits for one timer, and tells how often its event loop has turned meanwhile. */
const IDLE = `
  import { Registry } from 'prom-client'
  import { measureProcess } from '${new URL('./measure-process.ts', import.meta.url).href}'
  measureProcess(new Registry())
  const turns = () => performance.nodeTiming.uvMetricsInfo.loopCount
  setImmediate(() => {
    const before = turns()
    setTimeout(() => console.log(turns() - before), 1_000)
  })
`

test('a process that does nothing is not woken to be measured', () => {
  const turns = execFileSync(process.execPath, ['--input-type=module', '--eval', IDLE], { encoding: 'utf8' })
  expect(Number(turns)).toBeGreaterThan(0)
  expect(Number(turns)).toBeLessThan(10)
})

test('how busy the event loop is can be told all the same', async () => {
  const register = new Registry()
  measureProcess(register)
  const active = async () => (await valueOf(register, 'nodejs_eventloop_active_seconds_total')) as number
  const before = await active()
  expect(before).toBeGreaterThan(0)
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(await active()).toBeGreaterThan(before)
  // Numbers that nobody takes any more are not told as if they were none.
  const text = await register.metrics()
  expect(text).not.toMatch(/eventloop_lag_(?:min|max|mean|stddev|p\d\d)/)
  for (const name of [
    'process_cpu_seconds_total',
    'nodejs_eventloop_lag_seconds',
    'nodejs_heap_size_used_bytes',
  ])
    expect(text).toContain(`\n${name} `)
})

async function valueOf(register: Registry, name: string): Promise<number | undefined> {
  return (await register.getSingleMetric(name)?.get())?.values[0]?.value
}
