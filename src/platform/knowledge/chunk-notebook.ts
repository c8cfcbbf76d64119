import { chunkCode } from './chunk-code.ts'
import { chunkMarkdown } from './chunk-markdown.ts'
import { findLanguage } from './code-languages.ts'
import type { CutDocument } from './cut-document.ts'
import { cutParts, type Part } from './cut-lines.ts'
import { kindOf } from './kind-of.ts'
import type { Notebook, NotebookCell } from './read-notebook.ts'
import { scanTexts } from './scan-lines.ts'

/** Cuts a notebook into its cells: prose at its headings, code at its definitions. Code without one has the heading's name. */
export function chunkNotebook(path: string, { lines, cells, extension }: Notebook): CutDocument {
  const prose = lines.slice()
  for (const { start, end, is_code } of cells) if (is_code) prose.fill('', start, end)
  const sections = chunkMarkdown('cells.md', scanTexts(prose, undefined))
  const parts = cells.map((cell) => {
    const within = sections.filter(({ start, end }) => start < cell.end && end > cell.start)
    return cell.is_code
      ? cutCode(lines, cell, extension, within[0]?.name ?? '')
      : within.map((part) => cutTo(part, cell))
  })
  const scanned = scanTexts(lines, undefined)
  const cuts = cells.flatMap(({ is_code }, at) =>
    cutParts(scanned, parts[at] ?? [], is_code ? kindOf(path) : 'doc'),
  )
  return { path, bytes: scanned.bytes, cuts }
}

function cutCode(lines: readonly string[], cell: NotebookCell, extension: string, heading: string): Part[] {
  const language = findLanguage(`cell${extension}`)
  if (!language) return [{ name: heading, start: cell.start, end: cell.end }]
  const scanned = scanTexts(lines.slice(cell.start, cell.end), language)
  return chunkCode(scanned, language).map(({ name, start, end }) => ({
    name: name === '' ? heading : name,
    start: start + cell.start,
    end: end + cell.start,
  }))
}

function cutTo(part: Part, cell: NotebookCell): Part {
  return { ...part, start: Math.max(part.start, cell.start), end: Math.min(part.end, cell.end) }
}
