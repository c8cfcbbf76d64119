import { type PointerEvent, useState } from 'react'
import type { components } from '../api/schema'
import { exactTime } from './time'

interface Bar {
  at: string
  allowed: number
  denied: number
  failed: number
  mean_ms: number
  slowest_ms: number
}
export type Bars = readonly Bar[]
export type AuditRecord = components['schemas']['AuditRecord']

const HEIGHT = 36
const STEP = 10
const WIDTH = 7.5

/** Calls over time. Refusals carry a cross above the bar, too; the table behind says all of it in words. */
export function CallBars(props: {
  bars: Bars
  label: string
  /** Hears of a stretch that was drawn over with a pointer: the first and the last of its bars. */
  pick?: (first: string, last: string) => void
}) {
  const { bars, label, pick } = props
  const most = Math.max(1, ...bars.map(sumOf))
  const [from, setFrom] = useState<number>()
  const barAt = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const place = Math.floor(((event.clientX - left) / width) * bars.length)
    return Math.min(bars.length - 1, Math.max(0, place))
  }
  const [to, setTo] = useState<number>()
  const drop = () => {
    setFrom(undefined)
    setTo(undefined)
  }
  const [low, high] = [Math.min(from ?? 0, to ?? 0), Math.max(from ?? 0, to ?? 0)]
  return (
    <figure className="bars">
      <svg
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT + 12}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        {...(pick && {
          className: 'can-pick',
          onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
            event.currentTarget.setPointerCapture(event.pointerId)
            setFrom(barAt(event))
            setTo(barAt(event))
          },
          onPointerMove: (event: PointerEvent<SVGSVGElement>) => from !== undefined && setTo(barAt(event)),
          onPointerCancel: drop,
          onPointerUp: () => {
            if (from !== undefined) pick(bars[low]?.at ?? '', bars[high]?.at ?? '')
            drop()
          },
        })}
      >
        {from !== undefined && (
          <rect className="picked" x={low * STEP} width={(high - low + 1) * STEP} height={HEIGHT + 12} />
        )}
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
              <th>mean ms</th>
              <th>slowest ms</th>
            </tr>
          </thead>
          <tbody>
            {bars
              .filter((bar) => sumOf(bar) > 0)
              .map(({ at, allowed, denied, failed, mean_ms, slowest_ms }) => (
                <tr key={at}>
                  <td>
                    {pick ? (
                      <button type="button" className="link" onClick={() => pick(at, at)}>
                        {exactTime(at)}
                      </button>
                    ) : (
                      exactTime(at)
                    )}
                  </td>
                  <td>{allowed}</td>
                  <td>{denied}</td>
                  <td>{failed}</td>
                  <td className="num">{mean_ms}</td>
                  <td className="num">{slowest_ms}</td>
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
