const SECONDS_PER = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

/** Seconds from `90`, `90s`, `15m`, `12h` or `30d`; undefined for any other text. */
export function findSeconds(text: string): number | undefined {
  // As many digits as a number can stand for: whether it is too long a time is for others to say.
  const match = /^(\d{1,300})([smhd]?)$/.exec(text)
  if (!match) return undefined
  const unit = (match[2] || 's') as keyof typeof SECONDS_PER
  return Number(match[1]) * SECONDS_PER[unit]
}

/** A length of time as it can be typed, in its largest whole unit. */
export function spanOf(seconds: number): string {
  const units = Object.entries(SECONDS_PER).toReversed()
  const [unit, size] = units.find(([, per]) => seconds >= per && seconds % per === 0) ?? ['s', 1]
  return `${seconds / size}${unit}`
}
