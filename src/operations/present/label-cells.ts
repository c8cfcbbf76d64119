import type { Labels } from './labels.ts'

/** The heading of the names of a table, where anything in it has one. */
export function nameHeading(labels: Labels | undefined): string[] {
  return labels ? ['name'] : []
}

export function nameCell(labels: Labels | undefined, id: string): string[] {
  return labels ? [labels[id] ?? ''] : []
}
