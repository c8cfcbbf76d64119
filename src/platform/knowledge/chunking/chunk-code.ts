import type { Language } from './code-languages.ts'
import { type Part, WHOLE_LINES } from './cut-lines.ts'
import { type Definition, findAnnotations, findDefinition, isLoop, type Place } from './read-definition.ts'
import {
  isContinuedAt,
  isEndAt,
  isWordlessAt,
  lineAt,
  mayAnnotateAt,
  type ScannedLines,
} from './scan-lines.ts'
import { BLANK, CODE, COMMENT, INSIDE } from './source-line.ts'

/** Definitions inside definitions are followed so deep. */
const DEPTH_LIMIT = 8
/** A value has a chunk of its own from so many lines, its comment included. */
const VALUE_LINES = 4
/** What is no definition but so long is looked into, as the one call that wraps a whole file. */
const WRAPPER_LINES = 40

/** The name of a definition stands on one of so many lines. */
const HEAD_LINES = 6
/** Words and kinds of values, and nothing that would come after a name. */
const OPEN_HEAD = /^\s*[\w$@][\w$<>[\],.&?@ ]*$/

/** A stretch of lines to look through, and what it belongs to. */
interface Region {
  readonly start: number
  readonly end: number
  readonly owner: string
  readonly place: Place
  readonly depth: number
}

/** Cuts a source at its definitions, by the indentation of its lines; what lies between them is kept too. */
export function chunkCode(scanned: ScannedLines, language: Language): Part[] {
  const parts: Part[] = []
  const whole: Region = { start: 0, end: scanned.count, owner: '', place: 'top', depth: 0 }
  cutRegion(scanned, language, whole, parts)
  return parts
}

function cutRegion(scanned: ScannedLines, language: Language, region: Region, parts: Part[]): void {
  const base = findBase(scanned, region)
  let [rest, lead] = [region.start, -1]
  // What is annotated ends as its annotations are indented, wherever it begins itself.
  let outermost = Number.POSITIVE_INFINITY
  for (let at = region.start; at < region.end; ) {
    const kind = scanned.kinds[at]
    if (kind !== CODE) {
      if (kind === COMMENT) lead = lead === -1 ? at : lead
      else if (kind === BLANK && !annotationsOf(scanned, lead)) lead = -1
      at++
      continue
    }
    const annotations = annotationsOf(scanned, at)
    outermost = Math.min(outermost, scanned.indents[at] as number)
    const end = annotations === 'closed' ? at + 1 : findEnd(scanned, at, region.end, base, outermost)
    if (annotations) lead = lead === -1 ? at : lead
    else {
      const start = lead === -1 ? at : lead
      const inner = cutUnit(scanned, language, region, { start, at, end })
      if (inner) {
        addRest(scanned, region.owner, rest, start, parts)
        parts.push(...inner)
        rest = end
      }
      lead = -1
      outermost = Number.POSITIVE_INFINITY
    }
    at = end
  }
  addRest(scanned, region.owner, rest, region.end, parts)
}

/** What annotations a line consists of; most lines do not begin as one. */
function annotationsOf(scanned: ScannedLines, line: number): ReturnType<typeof findAnnotations> {
  return line >= 0 && mayAnnotateAt(scanned, line) ? findAnnotations(lineAt(scanned, line)) : undefined
}

/** What stands between definitions: imports, fields, statements. Brackets alone are not worth keeping. */
function addRest(scanned: ScannedLines, name: string, start: number, end: number, parts: Part[]): void {
  for (let at = start; at < end; at++) {
    if (isWordlessAt(scanned, at) || isEndAt(scanned, at)) continue
    parts.push({ name, start: at, end })
    return
  }
}

interface Unit {
  /** Where its comment or, without one, its first line is. */
  readonly start: number
  readonly at: number
  readonly end: number
}

function cutUnit(scanned: ScannedLines, language: Language, region: Region, unit: Unit): Part[] | undefined {
  if (region.place === 'function' && unit.end - unit.at < VALUE_LINES) return undefined
  const definition = findDefinition(readHead(scanned, language, unit), language, region.place)
  const isLong = unit.end - unit.at > WRAPPER_LINES
  const isOpen = isLong || (region.place !== 'function' && isLoop(lineAt(scanned, unit.at)))
  if (!definition) return isOpen ? cutInside(scanned, language, region, unit, undefined) : undefined
  if (!isOwnChunk(definition, unit, region)) return undefined
  const name = qualify(region.owner, definition.name)
  if (
    definition.shape === 'group' ||
    unit.end - unit.start > WHOLE_LINES ||
    (definition.shape === 'value' && isLong)
  )
    return cutInside(scanned, language, region, unit, { ...definition, name })
  return [{ name, start: unit.start, end: unit.end }]
}

/** The first line of a unit, with what follows where it ends before the name, as after many kinds of values. */
function readHead(scanned: ScannedLines, language: Language, unit: Unit): string {
  let head = lineAt(scanned, unit.at)
  if (!language.has_kinds_first) return head
  const limit = Math.min(unit.end, unit.at + HEAD_LINES)
  for (let at = unit.at + 1; at < limit && OPEN_HEAD.test(head); at++)
    if (scanned.kinds[at] === CODE) head += ` ${lineAt(scanned, at).trim()}`
  return head
}

/** Inside a function only larger ones are apart from it. */
function isOwnChunk({ shape }: Definition, unit: Unit, region: Region): boolean {
  if (region.place === 'function') return unit.end - unit.at >= VALUE_LINES && shape !== 'value'
  return shape === 'function' || unit.end - unit.start >= VALUE_LINES
}

function qualify(owner: string, name: string): string {
  return owner === '' || name.startsWith(`${owner}.`) ? name : `${owner}.${name}`
}

/** The members of a unit with the rest of it, or undefined where there are none and it is no definition. */
function cutInside(
  scanned: ScannedLines,
  language: Language,
  region: Region,
  unit: Unit,
  definition: Definition | undefined,
): Part[] | undefined {
  const owner = definition?.name ?? region.owner
  const whole: Part = { name: owner, start: unit.start, end: unit.end }
  if (region.depth >= DEPTH_LIMIT) return definition && [whole]
  const place = definition?.shape === 'function' ? 'function' : 'group'
  const parts: Part[] = []
  const inner = { start: unit.at + 1, end: unit.end, owner, place, depth: region.depth + 1 } as const
  cutRegion(scanned, language, inner, parts)
  if (parts.every(({ name }) => name === owner)) return definition && [whole]
  const first = parts[0] as Part
  const isRest = first.name === owner
  const head: Part = { name: owner, start: unit.start, end: isRest ? first.end : first.start }
  return [head, ...(isRest ? parts.slice(1) : parts)]
}

/** How far out the lines of a region stand; what goes on with its head may stand further in. */
function findBase(scanned: ScannedLines, region: Region): number {
  let base = -1
  for (let at = region.start; at < region.end; at++) {
    const indent = scanned.indents[at] as number
    const isFurtherOut = base === -1 || indent < base
    if (!isFurtherOut || scanned.kinds[at] !== CODE || isContinuedAt(scanned, at)) continue
    base = indent
    if (base === 0 || region.depth === 0) break
  }
  return Math.max(0, base)
}

/**
 * A unit ends before the next line that is indented no further and does not go on with it. Remarks may stand as far
 * out as they like until it is closed: whether one is of this unit or of the next is told by the code that follows.
 */
function findEnd(scanned: ScannedLines, start: number, limit: number, base: number, own: number): number {
  const indent = Math.max(base, own)
  let end = start + 1
  let isClosed = false
  for (let at = start + 1; at < limit; at++) {
    const kind = scanned.kinds[at]
    const depth = scanned.indents[at] as number
    if (kind === BLANK || (kind === COMMENT && !isClosed)) continue
    // What closes the unit is indented as it is; further out something around it is closed.
    isClosed = depth >= own && depth <= indent && kind === CODE && isContinuedAt(scanned, at)
    if (kind === INSIDE || depth > indent || isClosed) end = at + 1
    else break
  }
  return end
}
