import { useState } from 'react'
import { Icon } from './icon'

const HEAD = 9
const TAIL = 4

/** What tells an id from others. */
export function shortId(id: string): string {
  return id.length > HEAD + TAIL + 2 ? `${id.slice(0, HEAD)}…${id.slice(-TAIL)}` : id
}

/** An id cut to what tells it from others; the whole is copied. */
export function Id({ id }: { id: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(id)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button type="button" className="id" onClick={copy} title={id}>
      <code>{shortId(id)}</code>
      <span className="unseen">, copy {id}</span>
      {isCopied ? <span className="tone-ok">copied</span> : <Icon name="copy" />}
    </button>
  )
}
