import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Fault } from './panel'

/** The question behind a button with dots. What opens something has no focus at first: Enter alone decides nothing. */
export function Ask(props: {
  title: ReactNode
  yes: string
  danger?: boolean
  error: Error | null
  isBusy: boolean
  isReady?: boolean
  onYes: () => void
  close: () => void
  children: ReactNode
}) {
  const { title, yes, danger = false, error, isBusy, isReady = true, onYes, close, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
    heading.current?.focus()
  }, [])
  return (
    <dialog ref={dialog} className="ask" onClose={close} aria-labelledby={id}>
      <h2 id={id} ref={heading} tabIndex={-1}>
        {title}
      </h2>
      {children}
      {error && <Fault error={error} />}
      <footer>
        <button type="button" className="button" onClick={close}>
          Back
        </button>
        <button
          type="button"
          className={`button ${danger ? 'danger' : 'main'}`}
          disabled={isBusy || !isReady}
          onClick={onYes}
        >
          {yes}
        </button>
      </footer>
    </dialog>
  )
}
