import { useLive } from '../live/live'

/** Whether what is shown is of this moment. */
export function LiveMark() {
  const { state } = useLive()
  if (state.live)
    return (
      <span className="live-mark tone-live">
        <i /> Live
      </span>
    )
  const since = new Date(state.since).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return (
    <span className="live-mark tone-wait" role="status">
      <i /> Not live since {since}
    </span>
  )
}
