/** Gives a text with a mark in the place of every secret. */
export type Redact = (text: string) => string

const NAME_CHARS = 64
const NAMES_KEPT = 1_000
/** Names in which nothing was found, by what looked for it: answers have the same few again and again. */
const clean = new WeakMap<Redact, Set<string>>()

/** A name as a text of its own. */
export function redactName(name: string, redact: Redact): string {
  const known = clean.get(redact)
  if (known?.has(name)) return name
  const shown = redact(name)
  if (shown !== name || name.length > NAME_CHARS) return shown
  if (!known || known.size >= NAMES_KEPT) clean.set(redact, new Set([name]))
  else known.add(name)
  return shown
}
