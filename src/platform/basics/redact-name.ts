/** Gives a text with a mark in the place of every secret. */
export interface Redact {
  (text: string): string
  /** Names in which it found nothing, where these are remembered: answers have the same few again and again. */
  readonly clean_names?: Set<string>
}

const NAME_CHARS = 64
const NAMES_KEPT = 1_000

/**
 * An object with redacted names, each value as `redactHeld` gives it. Names that become the same mark are numbered:
 * no member may take the place of another.
 */
export function redactMembers(
  value: object,
  redact: Redact,
  redactHeld: (held: unknown, name: string) => unknown,
): Record<string, unknown> {
  let has_marks = false
  const members = Object.entries(value).map(([name, held]): Member => {
    const shown = redactName(name, redact)
    has_marks ||= shown !== name
    return [shown, redactHeld(held, name)]
  })
  return Object.fromEntries(has_marks ? numberSame(members) : members)
}

type Member = [name: string, held: unknown]

function numberSame(members: readonly Member[]): Member[] {
  const taken = new Map<string, number>()
  return members.map(([name, held]) => {
    let count = taken.get(name) ?? 0
    const freeName = () => (count === 0 ? name : `${name} (${count + 1})`)
    while (taken.has(freeName())) count += 1
    const free = freeName()
    taken.set(free, 1)
    taken.set(name, count + 1)
    return [free, held]
  })
}

/** A name as a text of its own. */
function redactName(name: string, redact: Redact): string {
  const known = redact.clean_names
  if (known?.has(name)) return name
  const shown = redact(name)
  if (!known || shown !== name || name.length > NAME_CHARS) return shown
  if (known.size >= NAMES_KEPT) known.clear()
  known.add(name)
  return shown
}
