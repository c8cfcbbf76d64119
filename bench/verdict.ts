/** One measured figure beside the bar it has to clear. */
export interface Verdict {
  name: string
  measured: number
  /** `≥ 0.35` or `≤ 4`, as it is printed. */
  bar: `${'≥' | '≤'} ${number}`
  unit: '' | '×' | 'MB' | 'ms' | '%' | 'left'
}

/** What `all.ts` looks for among the lines of a benchmark. */
export const VERDICT_MARK = 'verdict '

export function isCleared({ measured, bar }: Verdict): boolean {
  const limit = Number(bar.slice(2))
  return bar.startsWith('≥') ? measured >= limit : measured <= limit
}

/** One line a reader can trust: the figure, the bar, and whether it was cleared. */
export function renderVerdict(verdict: Verdict): string {
  const { name, measured, bar, unit } = verdict
  return `${name}: ${measured.toFixed(2)}${unit && ` ${unit}`} (${bar}) ${isCleared(verdict) ? 'PASS' : 'FAIL'}`
}

/** Prints a verdict for people and, where a program collects the lines, once more for it. */
export function tellVerdict(verdict: Verdict): void {
  console.log(renderVerdict(verdict))
  if (process.env.BENCH_COLLECT) console.log(VERDICT_MARK + JSON.stringify(verdict))
  if (!isCleared(verdict)) process.exitCode = 1
}
