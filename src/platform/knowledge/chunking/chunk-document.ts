import { extname } from 'node:path'
import type { Chunk } from '../knowledge.ts'
import { kindOf } from '../walk/kind-of.ts'
import { chunkCode } from './chunk-code.ts'
import { chunkMarkdown } from './chunk-markdown.ts'
import { chunkNotebook, type Redact, readNotebook } from './chunk-notebook.ts'
import { findLanguage } from './code-languages.ts'
import { cutParts, type Part } from './cut-lines.ts'
import { type ScannedLines, scanLines } from './scan-lines.ts'

/** No document gives more chunks than this; the rest of a longer one is not searched. */
const CHUNK_LIMIT = 5_000

const NOTEBOOK = /\.ipynb$/i
const MARKDOWN = /\.(?:md|mdx|markdown|rst|adoc|asciidoc)$/i

/**
 * Cuts a document along its structure: functions and classes, sections, cells, else windows of lines. The text has no
 * secrets in it any more; what is written in it in another way is redacted once it is read.
 */
export function chunkDocument(path: string, document: string, redact: Redact = (shown) => shown): Chunk[] {
  const text = endLinesAlike(document.replace(/^\ufeff/, ''))
  const chunks = (NOTEBOOK.test(path) && cutNotebook(path, text, redact)) || cutPlain(path, text)
  return markTests(path, chunks.slice(0, CHUNK_LIMIT))
}

/** As search_file and edit_file count them: carriage returns end lines only where there is no line feed at all. */
function endLinesAlike(text: string): string {
  if (!text.includes('\r')) return text
  return text.includes('\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\r', '\n')
}

function cutNotebook(path: string, text: string, redact: Redact): Chunk[] | undefined {
  const notebook = readNotebook(text, text.split('\n').length, redact)
  return notebook && chunkNotebook(path, notebook)
}

function cutPlain(path: string, text: string): Chunk[] {
  return cutParts(...findParts(path, text), kindOf(path))
}

function findParts(path: string, text: string): [ScannedLines, Part[]] {
  const is_prose = MARKDOWN.test(path)
  const language = is_prose ? undefined : findLanguage(path)
  const scanned = scanLines(text, language)
  if (is_prose) return [scanned, chunkMarkdown(path, scanned)]
  return [scanned, language ? chunkCode(scanned, language) : [{ name: '', start: 0, end: scanned.count }]]
}

/** How a test beside the code begins behind its remarks, by the end of a path. */
const INNER_TESTS: Readonly<Record<string, RegExp>> = {
  '.rs': /^(?:\s*(?:\/\/|#\[).*\n){0,40}?\s*#\[(?:[\w:]+::)?(?:(?:test|rstest|bench)\b|cfg\(test\))/,
  '.zig': /^(?:\s*\/\/.*\n){0,40}?\s*test\b/,
}
const TEST_MODULE = /^tests?$/

/** Rust and Zig keep tests beside the code. All parts of one have its name, or stand below it. */
function markTests(path: string, chunks: Chunk[]): Chunk[] {
  const form = INNER_TESTS[extname(path)]
  if (form === undefined) return chunks
  const names = new Set(chunks.flatMap(({ name, text }) => (name !== '' && form.test(text) ? [name] : [])))
  const isTest = (name: string): boolean => {
    const steps = name.split('.')
    return steps.some((step, at) => TEST_MODULE.test(step) || names.has(steps.slice(0, at + 1).join('.')))
  }
  return chunks.map((chunk) => (isTest(chunk.name) ? { ...chunk, kind: 'test' } : chunk))
}
