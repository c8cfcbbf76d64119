import { useState } from 'react'
import { Icon } from './icon'

const TOLD_MS = 1_500

/** Copies what is beside it, and says so. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [told, setTold] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setTold('Copied')
    } catch {
      setTold('Not allowed: select it')
    }
    setTimeout(() => setTold(''), TOLD_MS)
  }
  return (
    <button type="button" className="button copy" onClick={copy} aria-label={label}>
      <Icon name="copy" /> <span aria-live="polite">{told === '' ? 'Copy' : told}</span>
    </button>
  )
}
