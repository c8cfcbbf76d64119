/** A symbol as it is looked for: its own name, and what it belongs to, outermost first. */
export interface UsageSymbol {
  readonly name: string
  readonly qualifiers: readonly string[]
}

export const SYMBOL_MAX_CHARS = 200
const PARTS_LIMIT = 8
const NAME = /^#?[\p{ID_Start}_$][\p{ID_Continue}$\u200c\u200d]*$/u
const SEPARATOR = /::|\.(?=.)|(?<=[^.:])#/u

/** Reads `name`, `Owner.name`, `module::name` or `Owner#name`, with `()` after it or not; nothing for other texts. */
export function findSymbol(text: string): UsageSymbol | undefined {
  if (text.length > SYMBOL_MAX_CHARS) return undefined
  const parts = text.trim().replace(/\(\)$/, '').split(SEPARATOR)
  if (parts.length > PARTS_LIMIT || !parts.every((part) => NAME.test(part))) return undefined
  return { name: parts.at(-1) as string, qualifiers: parts.slice(0, -1) }
}
