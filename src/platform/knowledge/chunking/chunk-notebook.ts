import type { Chunk } from '../knowledge.ts'
import { kindOf } from '../walk/kind-of.ts'
import { chunkCode } from './chunk-code.ts'
import { chunkMarkdown } from './chunk-markdown.ts'
import { findLanguage } from './code-languages.ts'
import { cutParts, type Part } from './cut-lines.ts'
import { scanLines } from './scan-lines.ts'

/** Cuts a notebook into its cells: prose at its headings, code at its definitions. Code without one has the heading's name. */
export function chunkNotebook(path: string, { lines, cells, extension }: Notebook): Chunk[] {
  const prose = lines.slice()
  for (const { start, end, is_code } of cells) if (is_code) prose.fill('', start, end)
  const sections = chunkMarkdown('cells.md', scanLines(prose.join('\n'), undefined))
  const parts = cells.map((cell) => {
    const within = sections.filter(({ start, end }) => start < cell.end && end > cell.start)
    return cell.is_code
      ? cutCode(lines, cell, extension, within[0]?.name ?? '')
      : within.map((part) => cutTo(part, cell))
  })
  const scanned = scanLines(lines.join('\n'), undefined)
  return cells.flatMap(({ is_code }, at) =>
    cutParts(scanned, parts[at] ?? [], is_code ? kindOf(path) : 'doc'),
  )
}

function cutCode(lines: readonly string[], cell: NotebookCell, extension: string, heading: string): Part[] {
  const language = findLanguage(`cell${extension}`)
  if (!language) return [{ name: heading, start: cell.start, end: cell.end }]
  const scanned = scanLines(lines.slice(cell.start, cell.end).join('\n'), language)
  return chunkCode(scanned, language).map(({ name, start, end }) => ({
    name: name === '' ? heading : name,
    start: start + cell.start,
    end: end + cell.start,
  }))
}

function cutTo(part: Part, cell: NotebookCell): Part {
  return { ...part, start: Math.max(part.start, cell.start), end: Math.min(part.end, cell.end) }
}

/** A cell of a notebook, between two lines of its file; both count from 0, the second is not included. */
export interface NotebookCell {
  readonly start: number
  readonly end: number
  readonly is_code: boolean
}

export interface Notebook {
  /** As many as the file has: what is written in its cells where it stands, and nothing on all others. */
  readonly lines: readonly string[]
  readonly cells: readonly NotebookCell[]
  /** The ending that sources in the language of its code have. */
  readonly extension: string
}

/** Takes secrets out of a text, which keeps its lines. */
export type Redact = (text: string) => string

/** How deep in the file the sources of cells lie: by themselves in a cell, or in a list of lines. */
const CELL_DEPTH = 3
const LIST_DEPTH = 4

/**
 * Reads a notebook (nbformat 4) as what its author wrote: outputs and numbers of runs are left out. Lines stay where
 * the file has them, so that they can be found there; what it has on one line is put into one, be it of several
 * cells. Undefined for a text that is no notebook.
 */
export function readNotebook(text: string, line_count: number, redact: Redact): Notebook | undefined {
  const parsed = tryParse(text)
  const kinds = parsed?.cells?.map(({ cell_type }) => cell_type === 'code')
  if (!parsed || !kinds) return undefined
  const lines = Array.from({ length: line_count }, () => '')
  const cells: { start: number; end: number; readonly is_code: boolean; readonly at: number }[] = []
  for (const { line, cell: at, source } of findSources(text)) {
    const written = source.replace(/\r?\n$/, '').replace(/\r?\n/g, ' ')
    const last = cells.at(-1)
    const shares_line = last !== undefined && last.end > line
    lines[line] = shares_line ? `${lines[line]} ${written}` : written
    if (last && (shares_line || last.at === at)) last.end = line + 1
    else cells.push({ start: line, end: line + 1, is_code: kinds[at] === true, at })
  }
  // Behind escapes a secret may have been no secret yet. No line is lost by taking it out.
  return { lines: redact(lines.join('\n')).split('\n'), cells, extension: extensionOf(parsed) }
}

interface ParsedNotebook {
  cells?: { cell_type?: unknown }[]
  metadata?: { language_info?: { file_extension?: unknown } }
}

function tryParse(text: string): ParsedNotebook | undefined {
  try {
    const parsed = JSON.parse(text) as ParsedNotebook | null
    const cells: unknown = parsed?.cells
    return Array.isArray(cells) && cells.every((cell) => typeof cell === 'object' && cell !== null)
      ? (parsed as ParsedNotebook)
      : undefined
  } catch {
    return undefined
  }
}

function extensionOf({ metadata }: ParsedNotebook): string {
  const extension = metadata?.language_info?.file_extension
  return typeof extension === 'string' && /^\.\w{1,10}$/.test(extension) ? extension : '.py'
}

interface SourceText {
  readonly line: number
  readonly cell: number
  readonly source: string
}

/** The texts of the cells' sources with the lines that they begin on. The text is known to be sound JSON. */
function* findSources(text: string): Generator<SourceText> {
  const keys: (string | undefined)[] = []
  let [line, cell] = [0, -1]
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]
    if (mark === '\n') line++
    else if (mark === '{' || mark === '[') {
      keys.push(undefined)
      if (mark === '{' && keys.length === CELL_DEPTH && keys[0] === 'cells') cell++
    } else if (mark === '}' || mark === ']') keys.pop()
    else if (mark === '"') {
      const end = findQuote(text, at)
      const isKey = /^\s*:/.test(text.slice(end + 1, end + 20))
      if (isKey) keys[keys.length - 1] = text.slice(at + 1, end)
      else if (isSource(keys)) yield { line, cell, source: JSON.parse(text.slice(at, end + 1)) as string }
      at = end
    }
  }
}

function isSource(keys: readonly (string | undefined)[]): boolean {
  const fits = keys[0] === 'cells' && keys[CELL_DEPTH - 1] === 'source'
  return fits && (keys.length === CELL_DEPTH || keys.length === LIST_DEPTH)
}

/** Where the text that begins at a quote ends. */
function findQuote(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - slashes - 1] === '\\') slashes++
    if (slashes % 2 === 0) return at
  }
  return text.length
}
