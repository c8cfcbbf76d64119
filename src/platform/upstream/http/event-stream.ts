/** Takes the text of a server-sent event stream piece by piece and tells the data of each event. */
export function eventReader(tell: (data: string) => void): (text: string) => void {
  let rest = ''
  let data: string[] = []
  let after_return = false
  const line = (text: string) => {
    if (text === '') {
      if (data.length > 0) tell(data.join('\n'))
      data = []
    } else if (text === 'data') data.push('')
    else if (text.startsWith('data:')) data.push(text.slice(text[5] === ' ' ? 6 : 5))
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
