const NAME = /@(?!interface\b)[\w.:]+/y
const RUST = /#!?(?=\[)/y
/** Brackets are values in other languages, so only a list that something follows counts. */
const LISTED = /\[[^\]]{1,200}\](?=\s)/y
const LISTED_ALONE = /^\[[A-Z][\w.]*(?:\(.*)?\]$/
const REMARK = /^(?:\/\/|# |\/\*(?:(?!\*\/).)*\*\/$)/

/** What an annotation may begin with. */
const BEGINNINGS = '@#['
const OPENING = '([{'
const CLOSING = ')]}'

/** What a line has behind the annotations, decorators or attributes that it begins with. */
export function withoutAnnotations(line: string): string {
  if (!BEGINNINGS.includes(line.charAt(0))) return line
  return line.slice(skipAll(line))
}

/** Whether a line has annotations and nothing else, and whether the last of them goes on below. */
export function findAnnotations(line: string): 'closed' | 'open' | undefined {
  const plain = line.trim()
  if (LISTED_ALONE.test(plain)) return 'closed'
  const at = skipAll(plain)
  if (at > plain.length) return 'open'
  const rest = plain.slice(at)
  return at > 0 && (rest === '' || REMARK.test(rest)) ? 'closed' : undefined
}

/** Where the annotations end; beyond the end of the line if they go on below. */
function skipAll(line: string): number {
  let at = 0
  for (let end = findEnd(line, at); end !== undefined; end = findEnd(line, at)) {
    at = end
    while (line[at] === ' ' || line[at] === '\t') at++
  }
  return at
}

/** Where the annotation at a place ends; nothing where there is none. */
function findEnd(line: string, at: number): number | undefined {
  const named = matchEnd(NAME, line, at)
  if (named === undefined) return skipAttribute(line, at)
  const end = line[named] === '(' ? findClose(line, named) : named
  return end >= line.length || /\s/.test(line[end] as string) ? end : undefined
}

function skipAttribute(line: string, at: number): number | undefined {
  const bracket = matchEnd(RUST, line, at)
  return bracket === undefined ? matchEnd(LISTED, line, at) : findClose(line, bracket)
}

function matchEnd(form: RegExp, line: string, at: number): number | undefined {
  form.lastIndex = at
  return form.test(line) ? form.lastIndex : undefined
}

/** Behind the bracket that closes the one at a place; beyond the end of the line if none does. */
function findClose(line: string, start: number): number {
  let depth = 0
  for (let at = start; at < line.length; at++) {
    const letter = line[at] as string
    if (letter === '"' || letter === "'") at = skipText(line, at)
    else if (OPENING.includes(letter)) depth++
    else if (CLOSING.includes(letter) && --depth === 0) return at + 1
  }
  return line.length + 1
}

function skipText(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === line[start]) return at
  }
  return start
}
