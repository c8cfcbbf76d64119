import type { Page } from './page.ts'
import { cellOf } from './table.ts'

/** A bearer on a line of its own, to be copied now: nobody can show it again. */
export function renderBearer(bearer: string, page: Page): string[] {
  const warning =
    'This is the only time it is shown, and it is stored only as a hash. Keep it like a password.'
  return ['', `  ${page.bold(cellOf(bearer))}`, '', page.yellow(warning)]
}
