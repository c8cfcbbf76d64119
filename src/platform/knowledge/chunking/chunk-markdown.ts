import type { Part } from './cut-lines.ts'
import { hasSignAt, isBlankAt, lineAt, type ScannedLines } from './scan-lines.ts'

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
export function chunkMarkdown(path: string, scanned: ScannedLines): Part[] {
  const headings = /\.rst$/i.test(path) ? findOverlined(scanned) : findHeadings(scanned)
  const parts: Part[] = [{ name: '', start: 0, end: headings[0]?.line ?? scanned.count }]
  const trail: Heading[] = []
  for (const [at, heading] of headings.entries()) {
    while ((trail.at(-1)?.level ?? 0) >= heading.level) trail.pop()
    trail.push(heading)
    const end = headings[at + 1]?.line ?? scanned.count
    parts.push({ name: renderTrail(trail), start: heading.line, end })
  }
  return parts
}

function renderTrail(trail: readonly Heading[]): string {
  const titles = trail.map(({ title }) => title).filter((title) => title !== '')
  return titles.slice(-TRAIL_LIMIT).join(TRAIL_MARK)
}

function findHeadings(scanned: ScannedLines): Heading[] {
  const headings: Heading[] = []
  let fence = ''
  for (let line = 0; line < scanned.count; line++) {
    // Most lines can make no heading.
    if (!hasSignAt(scanned, line)) continue
    const text = lineAt(scanned, line)
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== '') {
      if (mark?.startsWith(fence)) fence = ''
    } else if (mark) fence = mark
    else {
      const heading = readHeading(text, line) ?? readUnderlined(scanned, line)
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
function readUnderlined(scanned: ScannedLines, line: number): Heading | undefined {
  const mark = UNDERLINE.exec(lineAt(scanned, line))?.[1]
  if (mark === undefined || isBlankAt(scanned, line - 1) || !isBlankAt(scanned, line - 2)) return undefined
  const title = lineAt(scanned, line - 1)
  if (UNDERLINE.test(title) || /^[\s|>-]/.test(title) || title.length > HEADING_LENGTH_LIMIT) return undefined
  return { line: line - 1, level: LEVELS.indexOf(mark) + 1, title: clean(title) }
}

/** In reStructuredText marks of one kind, above and below or only below, mean one level: in the order they come. */
function findOverlined(scanned: ScannedLines): Heading[] {
  const headings: Heading[] = []
  const forms: string[] = []
  for (let line = 1; line < scanned.count; line++) {
    if (!hasSignAt(scanned, line)) continue
    const below = readUnderlined(scanned, line) ?? readBoxed(scanned, line)
    if (!below || below.line <= (headings.at(-1)?.line ?? -1)) continue
    const form = `${lineAt(scanned, line)[0]}${below.line < line - 1}`
    if (!forms.includes(form)) forms.push(form)
    headings.push({ ...below, level: forms.indexOf(form) + 1 })
  }
  return headings
}

/** A title between two lines of the same mark. */
function readBoxed(scanned: ScannedLines, line: number): Heading | undefined {
  const mark = UNDERLINE.exec(lineAt(scanned, line))?.[1]
  if (mark === undefined || line < 2 || isBlankAt(scanned, line - 1) || !isBlankAt(scanned, line - 3))
    return undefined
  if (UNDERLINE.exec(lineAt(scanned, line - 2))?.[1] !== mark) return undefined
  const title = lineAt(scanned, line - 1)
  if (UNDERLINE.test(title) || title.length > HEADING_LENGTH_LIMIT) return undefined
  return { line: line - 2, level: 1, title: clean(title) }
}

function clean(title: string): string {
  const plain = title.replace(/[ \t]+#+[ \t]*$/, '').replace(/<[^<>]{0,200}>|[`*]/g, '')
  return plain.slice(0, HEADING_LENGTH_LIMIT).trim()
}
