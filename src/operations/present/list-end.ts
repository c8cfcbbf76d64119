import type { Page } from './page.ts'
import { cellOf } from './table.ts'

/** A list with the flag that shows its next page; nothing more where it has come to its end. */
export function withNextPage(list: string, flag: string, next: string | number | null, page: Page): string {
  return next === null ? list : `${list}\n${page.dim(`More: ${flag} ${cellOf(next)}`)}`
}

/** A list that has no pages: whoever reads a cut one has to know that it is cut. */
export function withLeftOut(list: string, is_cut: boolean, page: Page): string {
  return is_cut ? `${list}\n${page.dim('There are more, which are not shown.')}` : list
}
