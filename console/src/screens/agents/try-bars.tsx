import { useNow } from '../../live/now'

const BARS = 24
const HOUR_MS = 3_600_000
const WIDTH = 100
const HEIGHT = 20
const GAP = 1

/** Tries of an agent to get out, by hour of the last day. */
export function TryBars({
  tries,
}: {
  tries: readonly { timestamp: string; repeats?: number | undefined }[]
}) {
  const now = useNow()
  const counts = Array.from({ length: BARS }, () => 0)
  for (const { timestamp, repeats = 1 } of tries) {
    const bar = BARS - 1 - Math.floor((now - Date.parse(timestamp)) / HOUR_MS)
    if (bar >= 0 && bar < BARS) counts[bar] = (counts[bar] ?? 0) + repeats
  }
  const sum = counts.reduce((total, count) => total + count, 0)
  if (sum === 0) return <span className="small faint">no tries in 24 h</span>
  const most = Math.max(...counts)
  const step = WIDTH / BARS
  return (
    <span className="try-bars">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${sum} tries to get out in the last 24 hours`}
      >
        {counts.map((count, place) => (
          <rect
            key={place}
            className="bar-no"
            x={place * step}
            width={step - GAP}
            y={HEIGHT - (count / most) * HEIGHT}
            height={(count / most) * HEIGHT}
          />
        ))}
      </svg>
      <span className="small soft">{sum === 1 ? '1 try' : `${sum} tries`} in 24 h</span>
    </span>
  )
}
