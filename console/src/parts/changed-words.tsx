import { useMemo } from 'react'
import { wordDiff } from './word-diff'
import { spelledOut } from './words'

/** Two versions of somebody's words in one: what goes is struck, what comes is underlined. */
export function ChangedWords({ before, after }: { before: string | null; after: string | null }) {
  const pieces = useMemo(() => wordDiff(before ?? '', after ?? ''), [before, after])
  return (
    <p className="foreign-text changed-words">
      {pieces.map(({ kind, text }, place) => {
        const shown = <bdi dir="auto">{spelledOut(text)}</bdi>
        const key = `${place} ${kind}`
        if (kind === 'add') return <ins key={key}>{shown}</ins>
        return kind === 'del' ? <del key={key}>{shown}</del> : <span key={key}>{shown}</span>
      })}
    </p>
  )
}
