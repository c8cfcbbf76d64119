import type { components } from '../api/schema'
import { exactTime } from './time'

interface Bar {
  at: string
  allowed: number
  denied: number
  failed: number
}
export type Bars = readonly Bar[]
export type AuditRecord = components['schemas']['AuditRecord']

const HEIGHT = 36
const STEP = 10
const WIDTH = 7.5

/** Calls over time. Refusals carry a cross above the bar, too; the table behind says all of it in words. */
export function CallBars({ bars, label }: { bars: Bars; label: string }) {
  const most = Math.max(1, ...bars.map(sumOf))
  return (
    <figure className="bars">
      <svg
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT + 12}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {bars.map((bar, place) => (
          <OneBar key={bar.at} bar={bar} x={place * STEP} most={most} />
        ))}
      </svg>
      <details>
        <summary className="small faint">as a table</summary>
        <table className="plain">
          <thead>
            <tr>
              <th>from</th>
              <th>allowed</th>
              <th>refused</th>
              <th>failed</th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter((bar) => sumOf(bar) > 0)
              .map(({ at, allowed, denied, failed }) => (
                <tr key={at}>
                  <td>{exactTime(at)}</td>
                  <td>{allowed}</td>
                  <td>{denied}</td>
                  <td>{failed}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

function OneBar({ bar, x, most }: { bar: Bar; x: number; most: number }) {
  const height = (calls: number) => (calls / most) * HEIGHT
  const [all, bad] = [height(sumOf(bar)), height(bar.denied + bar.failed)]
  const foot = HEIGHT + 12
  if (all === 0) return null
  return (
    <g>
      <rect className="bar-ok" x={x} width={WIDTH} y={foot - all} height={all} />
      {bad > 0 && (
        <>
          <rect
            className="bar-no"
            x={x}
            width={WIDTH}
            y={foot - Math.max(bad, 2)}
            height={Math.max(bad, 2)}
          />
          <path
            className="bar-cross"
            d={`M${x + 1.5} ${foot - all - 7}l4 4m0 -4l-4 4`}
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
    </g>
  )
}

function sumOf({ allowed, denied, failed }: Bar): number {
  return allowed + denied + failed
}
