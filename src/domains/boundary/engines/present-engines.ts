import type { z } from 'zod'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import type { BoundaryEnginesOutput } from './boundary-engines.ts'

/** The engines of a vault, a line each. */
export function presentEngines({ engines }: z.output<typeof BoundaryEnginesOutput>, page: Page): string {
  if (engines.length === 0) return 'No engines. They stand under engines in policy.yaml of the vault.'
  const rows = engines.map((one) => [one.name, one.kind, `${one.timeout_seconds} s`, one.max_output_bytes])
  return renderTable(['engine', 'kind', 'time', 'output bytes'], rows, page)
}
