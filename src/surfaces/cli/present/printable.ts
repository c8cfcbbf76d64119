import { printable } from '../../../platform/basics/printable.ts'

export { printable }

/** A text that is safe to show on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', ' ')
}
