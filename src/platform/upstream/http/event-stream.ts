/** Where a broken stream is taken up again, and after what time, as far as the stream has said. */
export interface StreamMark {
  id: string | undefined
  retry_ms: number | undefined
}

/** Takes the text of a server-sent event stream piece by piece, tells the data of each event, and keeps the mark. */
export function eventReader(
  tell: (data: string) => void,
  mark: StreamMark = { id: undefined, retry_ms: undefined },
): (text: string) => void {
  let rest = ''
  let data: string[] = []
  let id: string | undefined
  let after_return = false
  const dispatch = () => {
    if (id !== undefined) mark.id = id === '' ? undefined : id
    const told = data
    data = []
    if (told.length > 0) tell(told.join('\n'))
  }
  const line = (text: string) => {
    if (text === '') return dispatch()
    const [, name = text, value = ''] = /^([^:]*):\x20?(.*)$/s.exec(text) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) mark.retry_ms = Number(value)
  }
  return (piece) => {
    // A line may end in \r\n, and the two may come in different pieces.
    const text = after_return && piece.startsWith('\n') ? piece.slice(1) : piece
    if (piece !== '') after_return = piece.endsWith('\r')
    let from = 0
    for (const found of text.matchAll(/\r\n|\n|\r/g)) {
      line(rest + text.slice(from, found.index))
      rest = ''
      from = found.index + found[0].length
    }
    rest += text.slice(from)
  }
}
