import type { z } from 'zod'
import { withLeftOut } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import type { LabelListOutput } from './label-list.ts'

/** The names, a line each. */
export function presentLabels({ labels, truncated }: z.output<typeof LabelListOutput>, page: Page): string {
  if (labels.length === 0) return 'No names. `knowtation label set <id> <name>` gives one.'
  const rows = labels.map(({ id, label, named_at }) => [label, id, named_at])
  return withLeftOut(renderTable(['name', 'id', 'named'], rows, page), truncated, page)
}
