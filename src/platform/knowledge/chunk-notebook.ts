import { chunkCode } from './chunk-code.ts'
import { chunkMarkdown } from './chunk-markdown.ts'
import { makeChunks, type Part } from './cut-lines.ts'
import { kindOf } from './kind-of.ts'
import type { Chunk } from './knowledge.ts'
import type { Notebook, NotebookCell } from './read-notebook.ts'

/** Cuts a notebook into its cells: prose at its headings, code at its definitions. Code without one has the heading's name. */
export function chunkNotebook(path: string, { lines, cells, extension }: Notebook): Chunk[] {
  const prose = lines.slice()
  for (const { start, end, is_code } of cells) if (is_code) prose.fill('', start, end)
  const sections = chunkMarkdown('cells.md', prose)
  return cells.flatMap((cell) => {
    const within = sections.filter(({ start, end }) => start < cell.end && end > cell.start)
    const parts = cell.is_code
      ? cutCode(lines, cell, extension, within[0]?.name ?? '')
      : within.map((part) => cutTo(part, cell))
    return makeChunks(lines, parts, cell.is_code ? kindOf(path) : 'doc')
  })
}

function cutCode(lines: readonly string[], cell: NotebookCell, extension: string, heading: string): Part[] {
  return chunkCode(`cell${extension}`, lines.slice(cell.start, cell.end)).map(({ name, start, end }) => ({
    name: name === '' ? heading : name,
    start: start + cell.start,
    end: end + cell.start,
  }))
}

function cutTo(part: Part, cell: NotebookCell): Part {
  return { ...part, start: Math.max(part.start, cell.start), end: Math.min(part.end, cell.end) }
}
