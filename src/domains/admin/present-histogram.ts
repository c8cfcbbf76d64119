import type { z } from 'zod'
import type { Page } from '../../operations/present/page.ts'
import { counted } from '../../platform/basics/printable.ts'
import type { AuditHistogramOutput } from './audit-histogram.ts'

const HEIGHTS = '▁▂▃▄▅▆▇█'

/** One line of bars, and one of crosses below those with something that was refused or went wrong. */
export function presentHistogram(
  { bars, bar_seconds, total, own_reads, callers, complete }: z.output<typeof AuditHistogramOutput>,
  page: Page,
): string {
  const sums = bars.map(({ allowed, denied, failed }) => allowed + denied + failed)
  const most = Math.max(1, ...sums)
  const drawn = sums.map((sum) => (sum === 0 ? ' ' : HEIGHTS[Math.ceil((sum / most) * HEIGHTS.length) - 1]))
  const crosses = bars.map(({ denied, failed }) => (denied + failed > 0 ? '×' : ' '))
  const said = `${counted(total.allowed, 'call')} allowed, ${total.denied} refused, ${total.failed} failed, by ${counted(callers, 'caller')}`
  return [
    drawn.join(''),
    page.red(crosses.join('').trimEnd()),
    `${said}; a bar is ${counted(bar_seconds / 60, 'minute')}.`,
    `The slowest call took ${Math.max(0, ...bars.map(({ slowest_ms }) => slowest_ms))} ms.`,
    ...(own_reads > 0 ? [page.dim(`Your own reads are left out: ${own_reads}.`)] : []),
    ...(complete ? [] : ['Older calls of this stretch are not counted: there are too many.']),
  ].join('\n')
}
