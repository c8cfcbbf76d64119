import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The rules that case tables cite, in order. A tier's file lists them, so that one that drops out is noticed. */
export function citedRules(...tables: string[]): string[] {
  const folder = join(import.meta.dirname, '..', 'external-agent')
  const texts = tables.map((table) => readFileSync(join(folder, table), 'utf8'))
  return [...new Set(texts.flatMap((text) => text.match(/\b(?:GATE|FLOW)-\d{3}\b/g) ?? []))].toSorted()
}
