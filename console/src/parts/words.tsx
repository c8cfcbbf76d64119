const HIDDEN = /\u034f|[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu
const KEPT = new Set(['\n', '\t'])

/** Text with the signs spelled out that show nothing or turn a line around, such as `⟨U+202E⟩`. */
export function spelledOut(text: string): string {
  return text.replace(HIDDEN, (sign) =>
    KEPT.has(sign)
      ? sign
      : `⟨U+${(sign.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}

/** Words that somebody else wrote: on ground of their own, so that they cannot pass for ours. */
export function Foreign({ text, by, block = false }: { text: string; by?: string; block?: boolean }) {
  const shown = <bdi dir="auto">{spelledOut(text)}</bdi>
  if (!block) return <span className="foreign">{shown}</span>
  return (
    <blockquote className="foreign-block">
      {by !== undefined && <p className="small">Written by {by}. Nobody has checked it.</p>}
      <p className="foreign-text">{shown}</p>
    </blockquote>
  )
}

/** A name that others chose, in line with ours. */
export function Name({ text }: { text: string }) {
  return <bdi className="name">{spelledOut(text)}</bdi>
}
