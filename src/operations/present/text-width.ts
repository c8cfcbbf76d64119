const MARKS = /\p{M}/gu
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/gu

/** How many columns a line takes: wide characters take two, marks on letters none. */
export function widthOf(line: string): number {
  const letters = line.replace(MARKS, '')
  return [...letters].length + (letters.match(WIDE)?.length ?? 0)
}

/** The line filled up with spaces. */
export function padded(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - widthOf(line)))
}

/** The line cut to a width, with a sign that it was. */
export function shortened(line: string, width: number): string {
  if (widthOf(line) <= width) return line
  let kept = ''
  for (const character of line) {
    if (widthOf(kept + character) > width - 1) break
    kept += character
  }
  return `${kept}…`
}

/** The text broken into lines between words. A word that is longer than a line stays whole. */
export function wrapped(text: string, columns: number): string[] {
  if (!Number.isFinite(columns)) return text.split('\n')
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(20, columns)))
}

function wrapLine(line: string, columns: number): string[] {
  const lead = /^\s*/.exec(line)?.[0] ?? ''
  const lines: string[] = []
  let current = lead
  for (const word of line.trim().split(/ +/)) {
    const isFirst = current === lead
    if (!isFirst && widthOf(current) + 1 + widthOf(word) > columns) {
      lines.push(current)
      current = lead + word
    } else current += isFirst ? word : ` ${word}`
  }
  return [...lines, current]
}
