import { cpuMicros, idleShare, median } from './machine.ts'

/** What one measurement of one server gave. */
export interface Cell {
  name: string
  calls_per_second: number
  cpu_us_per_call: number
  p50_ms: number
  p99_ms: number
}

/** Takes one measurement of a server's process, telling first how much of the machine was free. */
export async function measureCell(
  name: string,
  pid: number,
  load: () => Promise<{ calls: number; ms: number; p50_ms: number; p99_ms: number }>,
): Promise<Cell> {
  const idle = await idleShare()
  const before = cpuMicros(pid)
  const { calls, ms, p50_ms, p99_ms } = await load()
  const cpu_us_per_call = (cpuMicros(pid) - before) / calls
  const cell = { name, calls_per_second: (calls * 1_000) / ms, cpu_us_per_call, p50_ms, p99_ms }
  console.log(`  ${renderCell(cell)}, idle before ${(idle * 100).toFixed(0)} %`)
  return cell
}

function renderCell(cell: Cell): string {
  const { name, calls_per_second, cpu_us_per_call, p50_ms, p99_ms } = cell
  const speed = `${calls_per_second.toFixed(0)} calls/s, ${cpu_us_per_call.toFixed(0)} µs CPU a call`
  return `${name.padEnd(28)} ${speed}, p50 ${p50_ms.toFixed(2)} ms, p99 ${p99_ms.toFixed(2)} ms`
}

/** The median over rounds of what each round's two cells give. Rounds alternate, so both met the same machine. */
export function medianRatio(
  over: readonly Cell[],
  under: readonly Cell[],
  of: (cell: Cell) => number,
): number {
  return median(over.map(of)) / median(under.map(of))
}

export const speedOf = (cell: Cell) => cell.calls_per_second
export const costOf = (cell: Cell) => cell.cpu_us_per_call

/** The value below which this share of the sorted or unsorted values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
