import { type RefObject, useCallback, useEffect, useState, useSyncExternalStore } from 'react'

const ROW_PX = 30
const ROW_PHONE_PX = 56
const PHONE = '(max-width: 45rem)'
/** The part of the list that is in the page changes by so many rows at a time, and is larger by some than what is seen. */
const STEP = 8
const AHEAD = 12

/** Which rows of a list of equal ones are in sight: its cost does not grow with the list. */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number) {
  const row_px = useRowHeight()
  const [{ top, height }, setView] = useState({ top: 0, height: 0 })
  const look = useCallback(() => {
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
    const seen = Math.floor(scrollTop / row_px / STEP) * STEP
    setView((known) =>
      known.top === seen && known.height === clientHeight ? known : { top: seen, height: clientHeight },
    )
  }, [scroller, row_px])
  useEffect(() => {
    const sizes = new ResizeObserver(look)
    if (scroller.current) sizes.observe(scroller.current)
    return () => sizes.disconnect()
  }, [scroller, look])
  const first = Math.max(0, Math.min(top, count) - AHEAD)
  const last = Math.min(count, top + Math.ceil(height / row_px) + STEP + AHEAD)
  return { row_px, first, last, look }
}

function useRowHeight(): number {
  const isPhone = useSyncExternalStore(followPhone, () => matchMedia(PHONE).matches)
  return isPhone ? ROW_PHONE_PX : ROW_PX
}

function followPhone(changed: () => void): () => void {
  const media = matchMedia(PHONE)
  media.addEventListener('change', changed)
  return () => media.removeEventListener('change', changed)
}
