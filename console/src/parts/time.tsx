import { useNow } from '../live/now'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A stretch of time as people say it; seconds only below ten minutes. */
export function spanWords(ms: number): string {
  const span = Math.max(0, ms)
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`
  if (span < 10 * HOUR) {
    const minutes = Math.floor((span % HOUR) / MINUTE)
    return `${Math.floor(span / HOUR)} h${minutes > 0 ? ` ${String(minutes).padStart(2, '0')}` : ''}`
  }
  if (span < DAY) return `${Math.floor(span / HOUR)} h`
  return `${Math.floor(span / DAY)} d`
}

/** What is left, to the second in the last ten minutes. */
export function leftWords(ms: number): string {
  if (ms <= 0) return 'over'
  if (ms >= 10 * MINUTE) return spanWords(ms)
  const seconds = Math.ceil(ms / SECOND)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export function exactTime(at: string): string {
  return at.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')
}

/** How long ago something was. The moment itself is on hover and for those who hear the page. */
export function Ago({ at, suffix = '' }: { at: string; suffix?: string }) {
  const ms = useNow() - Date.parse(at)
  return (
    <time className="num" dateTime={at} title={exactTime(at)}>
      {spanWords(ms)}
      {suffix}
    </time>
  )
}

export function Left({ until }: { until: string }) {
  const ms = Date.parse(until) - useNow()
  const isNear = ms < 10 * MINUTE
  return (
    <time
      className={`num ${isNear ? 'tone-wait strong' : ''}`}
      dateTime={until}
      title={`until ${exactTime(until)}`}
    >
      {leftWords(ms)}
    </time>
  )
}
