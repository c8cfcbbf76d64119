import { isBlank, type Part } from './cut-lines.ts'

/** Stands between a heading and the ones above it. */
export const TRAIL_MARK = ' › '
/** Headings above a section that are named with it. */
const TRAIL_LIMIT = 4
const HEADING_LENGTH_LIMIT = 200

interface Heading {
  readonly line: number
  readonly level: number
  readonly title: string
}

/** Cuts prose at its headings. Each section is named by the trail of headings that lead to it. */
export function chunkMarkdown(path: string, lines: readonly string[]): Part[] {
  const headings = /\.rst$/i.test(path) ? findOverlined(lines) : findHeadings(lines)
  const parts: Part[] = [{ name: '', start: 0, end: headings[0]?.line ?? lines.length }]
  const trail: Heading[] = []
  for (const [at, heading] of headings.entries()) {
    while ((trail.at(-1)?.level ?? 0) >= heading.level) trail.pop()
    trail.push(heading)
    const end = headings[at + 1]?.line ?? lines.length
    parts.push({ name: renderTrail(trail), start: heading.line, end })
  }
  return parts
}

function renderTrail(trail: readonly Heading[]): string {
  const titles = trail.map(({ title }) => title).filter((title) => title !== '')
  return titles.slice(-TRAIL_LIMIT).join(TRAIL_MARK)
}

function findHeadings(lines: readonly string[]): Heading[] {
  const headings: Heading[] = []
  let fence = ''
  for (const [line, text] of lines.entries()) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== '') {
      if (mark?.startsWith(fence)) fence = ''
    } else if (mark) fence = mark
    else {
      const heading = readHeading(text, line) ?? readUnderlined(lines, line)
      if (heading && heading.line > (headings.at(-1)?.line ?? -1)) headings.push(heading)
    }
  }
  return headings
}

function readHeading(text: string, line: number): Heading | undefined {
  const found = /^ {0,3}(#{1,6}|={1,6})(?:[ \t]+(.*))?$/.exec(text)
  if (!found) return undefined
  const [, marks = '', rest = ''] = found
  return marks.startsWith('=') && rest === '' ? undefined : { line, level: marks.length, title: clean(rest) }
}

const UNDERLINE = /^([=\-~^"'`#*+:.])\1{2,}[ \t]*$/
const LEVELS = '=-~^"\'`#*+:.'

/** A line of marks under a line of text, as in reStructuredText and the older form of Markdown. */
function readUnderlined(lines: readonly string[], line: number): Heading | undefined {
  const mark = UNDERLINE.exec(lines[line] ?? '')?.[1]
  const title = lines[line - 1]
  if (mark === undefined || title === undefined || isBlank(title) || !isBlank(lines[line - 2]))
    return undefined
  if (UNDERLINE.test(title) || /^[\s|>-]/.test(title) || title.length > HEADING_LENGTH_LIMIT) return undefined
  return { line: line - 1, level: LEVELS.indexOf(mark) + 1, title: clean(title) }
}

/** In reStructuredText marks of one kind, above and below or only below, mean one level: in the order they come. */
function findOverlined(lines: readonly string[]): Heading[] {
  const headings: Heading[] = []
  const forms: string[] = []
  for (let line = 1; line < lines.length; line++) {
    const below = readUnderlined(lines, line) ?? readBoxed(lines, line)
    if (!below || below.line <= (headings.at(-1)?.line ?? -1)) continue
    const form = `${lines[line]?.[0]}${below.line < line - 1}`
    if (!forms.includes(form)) forms.push(form)
    headings.push({ ...below, level: forms.indexOf(form) + 1 })
  }
  return headings
}

/** A title between two lines of the same mark. */
function readBoxed(lines: readonly string[], line: number): Heading | undefined {
  const [above, title, below] = [lines[line - 2], lines[line - 1], lines[line]]
  const mark = UNDERLINE.exec(below ?? '')?.[1]
  if (mark === undefined || UNDERLINE.exec(above ?? '')?.[1] !== mark || !isBlank(lines[line - 3]))
    return undefined
  if (title === undefined || isBlank(title) || UNDERLINE.test(title) || title.length > HEADING_LENGTH_LIMIT)
    return undefined
  return { line: line - 2, level: 1, title: clean(title) }
}

function clean(title: string): string {
  const plain = title.replace(/[ \t]+#+[ \t]*$/, '').replace(/<[^<>]{0,200}>|[`*]/g, '')
  return plain.slice(0, HEADING_LENGTH_LIMIT).trim()
}
