import { extname } from 'node:path'
import c from '@ast-grep/lang-c'
import cpp from '@ast-grep/lang-cpp'
import csharp from '@ast-grep/lang-csharp'
import go from '@ast-grep/lang-go'
import java from '@ast-grep/lang-java'
import kotlin from '@ast-grep/lang-kotlin'
import php from '@ast-grep/lang-php'
import python from '@ast-grep/lang-python'
import ruby from '@ast-grep/lang-ruby'
import rust from '@ast-grep/lang-rust'
import { type Lang, parse, registerDynamicLanguage, type SgNode } from '@ast-grep/napi'

/** A function of a source without its comments, and the first sentence of the comment it had. */
export interface DocumentedFunction {
  name: string
  sentence: string
  start_line: number
  end_line: number
}

/** A source as it is searched: without comments, and with what its comments said of its functions. */
export interface BareSource {
  text: string
  functions: DocumentedFunction[]
}

registerDynamicLanguage({ c, cpp, csharp, go, java, kotlin, php, python, ruby, rust } as never)

const LANGUAGES: Record<string, string> = {
  '.ts': 'TypeScript',
  '.mts': 'TypeScript',
  '.tsx': 'Tsx',
  '.js': 'JavaScript',
  '.mjs': 'JavaScript',
  '.cjs': 'JavaScript',
  '.py': 'python',
  '.go': 'go',
  '.rs': 'rust',
  '.java': 'java',
  '.c': 'c',
  '.cpp': 'cpp',
  '.cs': 'csharp',
  '.kt': 'kotlin',
  '.php': 'php',
  '.rb': 'ruby',
}
const COMMENTS = ['comment', 'line_comment', 'block_comment', 'multiline_comment']
const FUNCTIONS = [
  'function_declaration',
  'generator_function_declaration',
  'method_definition',
  'method_declaration',
  'constructor_declaration',
  'function_definition',
  'function_item',
  'method',
]
const SHORTEST_SENTENCE_WORDS = 4
const LONGEST_SENTENCE_WORDS = 40

interface Span {
  start: number
  end: number
  first_line: number
  last_line: number
}

/** Takes the comments out of a source and tells what they said; nothing where its language has no parser here. */
export function bareSource(path: string, text: string): BareSource | undefined {
  if (path.endsWith('.zig')) return bareLines(text)
  const language = LANGUAGES[extname(path)]
  if (language === undefined) return undefined
  const root = parse(language as Lang, text).root()
  const functions = findKinds(root, FUNCTIONS)
  const comments = findComments(root, language)
  const { bare, lineOf } = cutSpans(text, comments)
  // What declarations say of a function elsewhere would give it away.
  if (path.endsWith('.d.ts')) return { text: bare, functions: [] }
  const documented = functions.flatMap((node) => describe(node, comments, text, language, lineOf))
  return { text: bare, functions: documented }
}

function spanOf(node: SgNode): Span {
  const { start, end } = node.range()
  const span = { start: start.index, end: end.index, first_line: start.line, last_line: end.line }
  // Some parsers count the end of the line to a comment.
  return end.column === 0 && end.line > start.line
    ? { ...span, end: span.end - 1, last_line: end.line - 1 }
    : span
}

function findKinds(root: SgNode, kinds: readonly string[]): SgNode[] {
  return kinds.flatMap((kind) => {
    try {
      return root.findAll({ rule: { kind } } as never)
    } catch {
      return [] // This language has nothing of the kind.
    }
  })
}

function findComments(root: SgNode, language: string): Span[] {
  const comments = findKinds(root, COMMENTS)
  return [...comments, ...(language === 'python' ? findDocstrings(root) : [])]
    .map(spanOf)
    .toSorted((a, b) => a.start - b.start)
}

function findDocstrings(root: SgNode): SgNode[] {
  const blocks = findKinds(root, ['block', 'module'])
  return blocks.flatMap((block) => {
    const first = block.children().find((child) => String(child.kind()) !== 'comment')
    const isText =
      first && String(first.kind()) === 'expression_statement' && /^[rbuRBU]*["']/.test(first.text())
    return isText ? [first] : []
  })
}

/** Cuts spans out, dropping the lines that nothing is left on; says where the other lines went. */
function cutSpans(text: string, spans: readonly Span[]) {
  let [bare, at] = ['', 0]
  for (const { start, end } of spans) {
    if (start < at) continue
    bare += text.slice(at, start) + text.slice(start, end).replace(/[^\n]+/g, '\u0001')
    at = end
  }
  const lines = (bare + text.slice(at)).split('\n')
  const kept: string[] = []
  const lineOf = lines.map((line) => {
    const left = line.replaceAll('\u0001', '')
    const isGone = line !== left && left.trim() === ''
    if (!isGone) kept.push(left)
    return kept.length
  })
  return { bare: kept.join('\n'), lineOf }
}

function describe(
  node: SgNode,
  comments: readonly Span[],
  text: string,
  language: string,
  lineOf: readonly number[],
): DocumentedFunction[] {
  const named = node.field('name') ?? node.children().find((child) => child.kind() === 'simple_identifier')
  const name = named?.text()
  const span = spanOf(node)
  const doc = name && findDoc(span, comments, text, language)
  const sentence = doc && firstSentence(doc, name)
  if (!sentence || !name) return []
  return [
    {
      name,
      sentence,
      start_line: lineOf[span.first_line] as number,
      end_line: lineOf[span.last_line] as number,
    },
  ]
}

function findDoc(span: Span, comments: readonly Span[], text: string, language: string): string | undefined {
  if (language === 'python') {
    const inside = comments.find(({ start, end }) => start > span.start && end <= span.end)
    const isFirst = inside && /:\s*(?:#.*\s*)?$/.test(text.slice(span.start, inside.start))
    return isFirst && /^[rbuRBU]*["']/.test(text.slice(inside.start))
      ? text.slice(inside.start, inside.end)
      : undefined
  }
  const lines = text.split('\n', span.first_line)
  let line = span.first_line - 1
  while (line >= 0 && /^\s*(?:@|#\[)/.test(lines[line] ?? '')) line--
  const said: string[] = []
  for (;;) {
    const comment = comments.find(({ last_line, start }) => last_line === line && isAlone(text, start))
    if (!comment) break
    said.unshift(text.slice(comment.start, comment.end))
    line = comment.first_line - 1
  }
  return said.length === 0 ? undefined : said.join('\n')
}

/** There is no parser for Zig here: its remarks are whole lines, and what a function is stands on one. */
function bareLines(text: string): BareSource {
  const kept: string[] = []
  const functions: DocumentedFunction[] = []
  let said: string[] = []
  let open: { indent: string; found: DocumentedFunction } | undefined
  for (const line of text.split('\n')) {
    if (/^\s*\/\//.test(line)) {
      said.push(line)
      continue
    }
    kept.push(line)
    if (open && line.startsWith(`${open.indent}}`)) {
      functions.push({ ...open.found, end_line: kept.length })
      open = undefined
    }
    const [, indent = '', name] = /^(\s*)(?:pub |export |inline |extern )*fn (\w+)\(/.exec(line) ?? []
    const sentence = name && said.length > 0 ? firstSentence(said.join('\n'), name) : undefined
    if (name && sentence && !open)
      open = { indent, found: { name, sentence, start_line: kept.length, end_line: kept.length } }
    said = []
  }
  return { text: kept.join('\n'), functions }
}

function isAlone(text: string, start: number): boolean {
  return text.slice(text.lastIndexOf('\n', start - 1) + 1, start).trim() === ''
}

function firstSentence(doc: string, name: string): string | undefined {
  const plain = doc
    .replace(/^[rbuRBU]*(?:"""|'''|["'])|(?:"""|'''|["'])$/g, '')
    .replace(/^\s*(?:\/\*\*?!?|\*\/|\*(?!\/)|\/\/[/!]?|#)[ \t]?/gm, '')
    .replace(/\*\/\s*$/, '')
    .replace(/\{@\w+\s+([^}]*)\}/g, '$1')
    .replace(/<[^>]{0,100}>|`/g, '')
  const first = plain.trim().split(/\n\s*\n|\n\s*[@:-]|[.:]\s/, 1)[0] ?? ''
  const cut = first.replace(
    new RegExp(`(?<!\\w)${name.replace(/[^\w]/g, '\\$&')}(?:\\(\\))?(?!\\w)`, 'gi'),
    ' ',
  )
  const sentence = cut.replace(/\s+/g, ' ').replace(/^[\s.,:—–-]+|[\s.]+$/g, '')
  const words = sentence.split(' ').length
  const isPlain =
    /^[\x20-\x7e]+$/.test(sentence) && !/eslint|copyright|licen[cs]e|todo|@|https?:/i.test(sentence)
  return words >= SHORTEST_SENTENCE_WORDS && words <= LONGEST_SENTENCE_WORDS && isPlain ? sentence : undefined
}
