const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
const OFFERED = [15 * MINUTE, HOUR, 2 * HOUR, 8 * HOUR, 24 * HOUR] as const

/** A lifetime as people say it. */
export function lifetimeWords(seconds: number): string {
  if (seconds % DAY === 0 && seconds > DAY) return `${seconds / DAY} d`
  if (seconds % HOUR === 0) return `${seconds / HOUR} h`
  return seconds % MINUTE === 0 ? `${seconds / MINUTE} min` : `${seconds} s`
}

/** How long something lives, of those lengths that the policy lets be. */
export function LifetimeChoice(props: {
  chosen: number
  most: number
  choose: (seconds: number) => void
  offered?: readonly number[]
}) {
  const { chosen, most, choose, offered = OFFERED } = props
  const lengths = [...new Set([...offered.filter((seconds) => seconds <= most), chosen])].toSorted(
    (one, other) => one - other,
  )
  return (
    <div className="limit">
      <span className="small soft" aria-hidden="true">
        Ends after
      </span>
      <div className="choice" role="group" aria-label="Ends after">
        {lengths.map((seconds) => (
          <button
            key={seconds}
            type="button"
            aria-pressed={seconds === chosen}
            onClick={() => choose(seconds)}
          >
            {lifetimeWords(seconds)}
          </button>
        ))}
      </div>
    </div>
  )
}
