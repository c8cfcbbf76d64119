/** How much is left of something. */
export function Meter({
  left,
  label,
  tone = 'mark',
}: {
  left: number
  label: string
  tone?: 'mark' | 'wait' | 'live'
}) {
  const part = Math.min(1, Math.max(0, left))
  return (
    <span className={`meter tone-${tone}`} role="img" aria-label={label}>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width={part * 100} height="6" />
      </svg>
    </span>
  )
}
