import { chunkCode } from './chunk-code.ts'
import { chunkMarkdown } from './chunk-markdown.ts'
import { chunkNotebook } from './chunk-notebook.ts'
import { isCode } from './code-languages.ts'
import { makeChunks } from './cut-lines.ts'
import { kindOf } from './kind-of.ts'
import type { Chunk } from './knowledge.ts'
import { type Redact, readNotebook } from './read-notebook.ts'

/** No document gives more chunks than this; the rest of a longer one is not searched. */
const CHUNK_LIMIT = 5_000

const NOTEBOOK = /\.ipynb$/i
const MARKDOWN = /\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/i

/**
 * Cuts a document along its structure: functions and classes, sections, cells, else windows of lines. The text has no
 * secrets in it any more; what is written in it in another way is redacted once it is read.
 */
export function chunkDocument(path: string, text: string, redact: Redact = (shown) => shown): Chunk[] {
  // A byte order mark is no part of the first line: a heading or a definition may stand there.
  const plain = text.replace(/^\ufeff/, '')
  const lines = splitLines(plain)
  const notebook = NOTEBOOK.test(path) ? readNotebook(plain, lines.length, redact) : undefined
  const all = notebook
    ? chunkNotebook(path, notebook)
    : makeChunks(lines, findParts(path, lines), kindOf(path))
  const chunks = all.slice(0, CHUNK_LIMIT)
  return path.endsWith('.rs') ? chunks.map(markTests) : chunks
}

/** As search_file and edit_file count them: carriage returns end lines only where there is no line feed at all. */
function splitLines(text: string): string[] {
  if (!text.includes('\r')) return text.split('\n')
  return text.includes('\n') ? text.split(/\r?\n/) : text.split('\r')
}

/** Rust keeps tests beside the code, in a module of its own. */
function markTests(chunk: Chunk): Chunk {
  return /^tests?(?:\.|$)/.test(chunk.name) ? { ...chunk, kind: 'test' } : chunk
}

function findParts(path: string, lines: readonly string[]) {
  if (MARKDOWN.test(path)) return chunkMarkdown(path, lines)
  if (isCode(path)) return chunkCode(path, lines)
  return [{ name: '', start: 0, end: lines.length }]
}
