import { exactTime } from './time'

interface ValueBar {
  key: string
  at: string
  value: number
  /** What is in the table beside the value. */
  note?: string
  isBad?: boolean
}

const HEIGHT = 40
const STEP = 10
const WIDTH = 7.5

/** One number over time. What went wrong carries a cross, and the table behind says all of it in words. */
export function ValueBars({ label, unit, bars }: { label: string; unit: string; bars: readonly ValueBar[] }) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  const isNoted = bars.some(({ note }) => note !== undefined)
  return (
    <figure className="bars value-bars">
      <figcaption className="small soft">
        {label}{' '}
        <span className="faint num">
          at most {most.toLocaleString('en')} {unit}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT + 10}`}
        width={bars.length * STEP}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}, at most ${most} ${unit}`}
      >
        {bars.map(({ key, value, isBad = false }, place) => {
          const height = Math.max(value > 0 ? 1 : 0, (value / most) * HEIGHT)
          const x = place * STEP
          return (
            <g key={key}>
              <rect
                className={isBad ? 'bar-fail' : 'bar-ok'}
                x={x}
                width={WIDTH}
                y={HEIGHT + 10 - Math.max(height, isBad ? 2 : 0)}
                height={Math.max(height, isBad ? 2 : 0)}
              />
              {isBad && (
                <path
                  className="bar-cross-fail"
                  d={`M${x + 1.5} ${HEIGHT + 2 - height}l4 4m0 -4l-4 4`}
                  vectorEffect="non-scaling-stroke"
                />
              )}
            </g>
          )
        })}
      </svg>
      <details>
        <summary className="small faint">as a table</summary>
        <table className="plain">
          <thead>
            <tr>
              <th>at</th>
              <th>{unit}</th>
              {isNoted && <th>how</th>}
            </tr>
          </thead>
          <tbody>
            {bars.map(({ key, at, value, note }) => (
              <tr key={key}>
                <td>{exactTime(at)}</td>
                <td className="num">{value.toLocaleString('en')}</td>
                {isNoted && <td>{note}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
