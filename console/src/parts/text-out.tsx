import { useState } from 'react'
import { Icon } from './icon'
import { spelledOut } from './words'

const TOLD_MS = 1_500

/** A text that leaves the console: shown, copied, or kept as a file. What is taken along is the text to the letter. */
export function TextOut({ text, file, type }: { text: string; file: string; type: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), TOLD_MS)
  }
  const download = () => {
    const address = URL.createObjectURL(new Blob([text], { type }))
    const link = document.createElement('a')
    link.href = address
    link.download = file
    link.click()
    URL.revokeObjectURL(address)
  }
  return (
    <>
      <p className="text-out">
        <button type="button" className="button" onClick={() => void copy()}>
          <Icon name="copy" /> {isCopied ? 'Copied' : 'Copy'}
        </button>
        <button type="button" className="button" onClick={download}>
          <Icon name="down" /> Download {file}
        </button>
      </p>
      <pre className="raw foreign-text" tabIndex={0}>
        {spelledOut(text)}
      </pre>
    </>
  )
}
