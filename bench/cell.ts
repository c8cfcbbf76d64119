import { cpuMicros, idleShare, median, treeOf } from './machine.ts'

/** What one measurement of one server gave. */
export interface Cell {
  name: string
  calls_per_second: number
  cpu_us_per_call: number
  /** With all that the process has started. */
  tree_cpu_us_per_call: number
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
  const tree = treeOf(pid)
  const before = tree.map(cpuMicros)
  const { calls, ms, p50_ms, p99_ms } = await load()
  const spent = tree.map((each, at) => cpuMicros(each) - (before[at] ?? 0))
  const cell = {
    name,
    calls_per_second: (calls * 1_000) / ms,
    cpu_us_per_call: (spent[0] ?? 0) / calls,
    tree_cpu_us_per_call: spent.reduce((sum, each) => sum + each, 0) / calls,
    p50_ms,
    p99_ms,
  }
  console.log(`  ${renderCell(cell)}, idle before ${(idle * 100).toFixed(0)} %`)
  return cell
}

function renderCell(cell: Cell): string {
  const { name, calls_per_second, cpu_us_per_call, tree_cpu_us_per_call, p50_ms, p99_ms } = cell
  const [own, all] = [cpu_us_per_call.toFixed(0), tree_cpu_us_per_call.toFixed(0)]
  const cost = own === all ? own : `${own} (${all} with children)`
  const speed = `${calls_per_second.toFixed(0)} calls/s, ${cost} µs CPU a call`
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
export const p50Of = (cell: Cell) => cell.p50_ms
export const treeCostOf = (cell: Cell) => cell.tree_cpu_us_per_call
export const medianOf = (cells: readonly Cell[], of: (cell: Cell) => number) => median(cells.map(of))

/** The value below which this share of the sorted or unsorted values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
