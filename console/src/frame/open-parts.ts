import { useCallback, useMemo, useState } from 'react'

/** What may lie above a page. One at a time. */
export type PartName = 'find' | 'stop' | 'keys'

export function useOpenParts() {
  const [shown, setShown] = useState<PartName>()
  const close = useCallback(() => setShown(undefined), [])
  return useMemo(
    () => ({
      is: (name: PartName) => shown === name,
      any: shown !== undefined,
      open: (name: PartName) => setShown(name),
      set: (name: PartName, isOpen: boolean) => setShown(isOpen ? name : undefined),
      close,
    }),
    [shown, close],
  )
}
export type OpenParts = ReturnType<typeof useOpenParts>
