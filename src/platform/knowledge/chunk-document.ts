import { chunkCode } from './chunk-code.ts'
import { chunkMarkdown } from './chunk-markdown.ts'
import { isCode } from './code-languages.ts'
import { makeChunks } from './cut-lines.ts'
import { kindOf } from './kind-of.ts'
import type { Chunk } from './knowledge.ts'

/** No document gives more chunks than this; the rest of a longer one is not searched. */
const CHUNK_LIMIT = 5_000

const MARKDOWN = /\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/i

/** Cuts a document along its structure: functions and classes, sections, else windows of lines. */
export function chunkDocument(path: string, text: string): Chunk[] {
  // A byte order mark is no part of the first line: a heading or a definition may stand there.
  const plain = text.replace(/^\ufeff/, '')
  const lines = plain.includes('\r') ? plain.split(/\r\n|\n|\r/) : plain.split('\n')
  const chunks = makeChunks(lines, findParts(path, lines), kindOf(path)).slice(0, CHUNK_LIMIT)
  return path.endsWith('.rs') ? chunks.map(markTests) : chunks
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
