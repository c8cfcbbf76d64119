import { useState } from 'react'
import { Icon } from '../../parts/icon'

const TOLD_MS = 1_500

/** A command to run where the hub is. */
export function Command({ line, what }: { line: string; what: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(line)
    setCopied(true)
    setTimeout(() => setCopied(false), TOLD_MS)
  }
  return (
    <li className="on-row">
      <div>
        <code>{line}</code>
        <p className="small soft">{what}</p>
      </div>
      <button type="button" className="button" onClick={() => void copy()}>
        <Icon name="copy" /> {isCopied ? 'Copied' : 'Copy'}
        <span className="unseen"> {line}</span>
      </button>
    </li>
  )
}
