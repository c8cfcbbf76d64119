import { chunkCode } from './chunk-code.ts'
import { chunkMarkdown } from './chunk-markdown.ts'
import { chunkNotebook } from './chunk-notebook.ts'
import { findLanguage } from './code-languages.ts'
import { type Cut, type CutDocument, chunksIn } from './cut-document.ts'
import { cutParts, type Part } from './cut-lines.ts'
import { kindOf } from './kind-of.ts'
import type { Chunk } from './knowledge.ts'
import { type Redact, readNotebook } from './read-notebook.ts'
import { scanLines } from './scan-lines.ts'

/** No document gives more chunks than this; the rest of a longer one is not searched. */
const CHUNK_LIMIT = 5_000

const NOTEBOOK = /\.ipynb$/i
const MARKDOWN = /\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/i
const BYTE_ORDER_MARK = Buffer.from('\ufeff')
const CARRIAGE_RETURN = 13

/**
 * Cuts a document along its structure: functions and classes, sections, cells, else windows of lines. The text has no
 * secrets in it any more; what is written in it in another way is redacted once it is read.
 */
export function cutDocument(
  path: string,
  document: Uint8Array,
  redact: Redact = (shown) => shown,
): CutDocument {
  const bytes = endLinesAlike(
    withoutMark(Buffer.from(document.buffer, document.byteOffset, document.byteLength)),
  )
  const { cuts, ...rest } = (isNotebook(path) && cutNotebook(path, bytes, redact)) || cutPlain(path, bytes)
  const kept = cuts.slice(0, CHUNK_LIMIT)
  return { ...rest, cuts: path.endsWith('.rs') ? kept.map(markTests) : kept }
}

/** Whether a path is of a document whose texts are written in it in another way. */
export function isNotebook(path: string): boolean {
  return NOTEBOOK.test(path)
}

/** The same of a text and as texts. */
export function chunkDocument(path: string, text: string, redact?: Redact): Chunk[] {
  return chunksIn(cutDocument(path, Buffer.from(text), redact))
}

/** A byte order mark is no part of the first line: a heading or a definition may stand there. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? bytes.subarray(BYTE_ORDER_MARK.length)
    : bytes
}

/** As search_file and edit_file count them: carriage returns end lines only where there is no line feed at all. */
function endLinesAlike(bytes: Buffer): Buffer {
  if (!bytes.includes(CARRIAGE_RETURN)) return bytes
  const text = bytes.toString('utf8')
  return Buffer.from(text.includes('\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\r', '\n'))
}

function cutNotebook(path: string, bytes: Buffer, redact: Redact): CutDocument | undefined {
  const text = bytes.toString('utf8')
  const notebook = readNotebook(text, text.split('\n').length, redact)
  return notebook && chunkNotebook(path, notebook)
}

function cutPlain(path: string, bytes: Buffer): CutDocument {
  return { path, bytes, cuts: cutParts(...findParts(path, bytes), kindOf(path)) }
}

function findParts(path: string, bytes: Buffer): [ReturnType<typeof scanLines>, Part[]] {
  const is_prose = MARKDOWN.test(path)
  const language = is_prose ? undefined : findLanguage(path)
  const scanned = scanLines(bytes, language)
  if (is_prose) return [scanned, chunkMarkdown(path, scanned)]
  return [scanned, language ? chunkCode(scanned, language) : [{ name: '', start: 0, end: scanned.count }]]
}

/** Rust keeps tests beside the code, in a module of its own. */
function markTests(cut: Cut): Cut {
  return /^tests?(?:\.|$)/.test(cut.name) ? { ...cut, kind: 'test' } : cut
}
