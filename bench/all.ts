import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isCleared, VERDICT_MARK, type Verdict } from './verdict.ts'

const BENCHMARKS = [
  'rest-flow-get',
  'mcp-flow-get',
  'cli-start',
  'memory',
  'scale',
  'audit',
  'grants',
  'governed-call',
  'watched',
  'toolbox',
  'knowledge-index',
  'knowledge-query',
  'knowledge-ranking',
  'boundary',
  'connections',
  'subscriptions',
]
/** A benchmark that takes longer is ended: something hangs. */
const BENCHMARK_LIMIT_MS = 600_000

/** Runs one benchmark, passing its lines on and keeping its verdicts. */
async function runBenchmark(name: string): Promise<{ verdicts: Verdict[]; ended: boolean }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, BENCH_COLLECT: '1' },
    timeout: BENCHMARK_LIMIT_MS,
  })
  const exited = once(child, 'exit')
  const verdicts: Verdict[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith(VERDICT_MARK)) verdicts.push(JSON.parse(line.slice(VERDICT_MARK.length)))
    else console.log(line)
  }
  const [code] = await exited
  // A failed verdict also ends with 1; only one without any verdict did not get that far.
  return { verdicts, ended: code === 0 || (code === 1 && verdicts.some((verdict) => !isCleared(verdict))) }
}

const rows: { benchmark: string; measured: string; bar: string; result: string }[] = []
for (const name of BENCHMARKS) {
  console.log(`\n## ${name}`)
  const { verdicts, ended } = await runBenchmark(name)
  for (const verdict of verdicts) {
    const measured = `${verdict.measured.toFixed(2)} ${verdict.unit}`
    rows.push({
      benchmark: verdict.name,
      measured,
      bar: verdict.bar,
      result: isCleared(verdict) ? 'PASS' : 'FAIL',
    })
  }
  if (!ended) rows.push({ benchmark: name, measured: '-', bar: '-', result: 'DID NOT END' })
}
console.log('\n## all')
console.table(rows)
process.exitCode = rows.every((row) => row.result === 'PASS') ? 0 : 1
