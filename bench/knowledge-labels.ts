import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { kindOf } from '../src/platform/knowledge/walk/kind-of.ts'
import { bareSource } from './knowledge-functions.ts'
import type { Question } from './knowledge-questions.ts'
import { titledTests } from './knowledge-titles.ts'

/**
 * `test` is a `file` that is a test, asked for by a subject that does not say so; `title` a test, asked for by the words
 * of its own title; `question` what somebody asked, in words of their own.
 */
export const TASKS = ['function', 'section', 'file', 'test', 'symbol', 'title', 'question'] as const
export type Task = (typeof TASKS)[number]

/** A query and where its answer is: a place in one document, or any of several documents as a whole. */
export interface Label {
  task: Task
  query: string
  paths: string[]
  start_line?: number
  end_line?: number
}

export interface Source {
  path: string
  text: string
}

/** Queries with what they are asked of: documents with and without what would give the answer away. */
export interface LabelledSet {
  name: string
  /** Code without its comments, prose without the headings that are asked for: for `function` and `section`. */
  bare: Source[]
  /** As it is: for all others. */
  whole: Source[]
  labels: Label[]
}

const LABEL_LIMIT = 300
const FILE_LIMIT = 6_000
const FILE_SIZE_LIMIT_BYTES = 400_000
const COMMIT_LIMIT = 3_000
const CHANGED_FILES_LIMIT = 3
const SHORTEST_SECTION_WORDS = 20
/** What is told there comes last in a search, whatever it is called. */
const CHANGE_LOG = /(?:^|\/)(?:change[-_]?log|changes|history|release[-_]notes)[^/]*$/i
const READ =
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|kts|php|rb|cs|swift|scala|c|h|cc|cpp|hpp|zig|vue|sh|sql|md|mdx|rst|txt|json|ya?ml|toml)$/
const LEFT_OUT =
  /(?:^|\/)(?:node_modules|\.git|vendor|dist|\.flow)\/|\.min\.js$|package-lock\.json$|pnpm-lock\.yaml$|yarn\.lock$/

/** Builds the set of one folder: a package or a checkout, with its history if it has one. */
export function buildLabels(
  name: string,
  folder: string,
  questions: readonly Question[] = [],
  limit = LABEL_LIMIT,
): LabelledSet {
  const whole = readSources(folder)
  const bare: Source[] = []
  const labels: Label[] = []
  for (const source of whole) {
    const made = makeBare(source)
    bare.push({ path: source.path, text: made.text })
    labels.push(...made.labels)
  }
  const asked = questions.map(([query, ...paths]): Label => ({ task: 'question', query, paths }))
  const titled = whole.flatMap(({ path, text }) =>
    titledTests(path, text).map(({ title, line }): Label => {
      return { task: 'title', query: title, paths: [path], start_line: line, end_line: line }
    }),
  )
  const all = [...labels, ...commitLabels(folder, whole), ...titled, ...asked]
  return { name, bare, whole, labels: pickLabels(all, limit) }
}

function makeBare({ path, text }: Source): { text: string; labels: Label[] } {
  if (/\.mdx?$/.test(path)) return emptyHeadings(path, text)
  const made = bareSource(path, text)
  if (!made) return { text, labels: [] }
  const isTest = kindOf(path) === 'test'
  const labels = made.functions.flatMap(({ name, sentence, start_line, end_line }): Label[] => {
    const place = { paths: [path], start_line, end_line }
    const asked: Label[] = [{ task: 'function', query: sentence, ...place }]
    return isTest ? [] : name.length < 6 ? asked : [...asked, { task: 'symbol', query: name, paths: [path] }]
  })
  return { text: made.text, labels }
}

/** Every second heading is asked for and emptied: the mark stays, so that the section is still one. */
function emptyHeadings(path: string, text: string): { text: string; labels: Label[] } {
  const labels: Label[] = []
  const lines = text.split('\n')
  const marks = lines.flatMap((line, at) => (/^#{1,6} /.test(line) ? [at] : []))
  for (const [order, at] of marks.entries()) {
    const end = marks[order + 1] ?? lines.length
    const query = (lines[at] ?? '').replace(/^#+ |[`*]|<[^<>]*>|\[|\]\([^)]*\)/g, '').trim()
    const words =
      lines
        .slice(at + 1, end)
        .join(' ')
        .match(/[A-Za-z]{2,}/g)?.length ?? 0
    if (isEven(path + query) || words < SHORTEST_SECTION_WORDS || query.split(/\s+/).length < 2) continue
    if (/^\[?(?:version |v)?\d/i.test(query) || CHANGE_LOG.test(path)) continue
    labels.push({ task: 'section', query, paths: [path], start_line: at + 2, end_line: end })
    lines[at] = (lines[at] ?? '').replace(/ .*/, ' ')
  }
  return { text: lines.join('\n'), labels }
}

/** Subjects of commits that changed a few files which are still there. */
function commitLabels(folder: string, whole: readonly Source[]): Label[] {
  if (!existsSync(join(folder, '.git'))) return []
  const format = ['log', `-${COMMIT_LIMIT}`, '--no-merges', '--no-renames', '--name-only', '--format=%x01%s']
  const log = execFileSync('git', ['-C', folder, ...format], { encoding: 'utf8', maxBuffer: 256 * 1_048_576 })
  const known = new Set(whole.map(({ path }) => path))
  return log.split('\u0001').flatMap((entry): Label[] => {
    const [subject = '', ...rest] = entry.split('\n')
    const paths = rest.filter((line) => line !== '')
    const query = subject.replace(/\s*\(#\d+\)|#\d+/g, '').trim()
    const isAsked =
      paths.length > 0 && paths.length <= CHANGED_FILES_LIMIT && paths.every((path) => known.has(path))
    if (
      !isAsked ||
      query.split(/\s+/).length < 3 ||
      /\b(?:bump|release|version|changelog|merge|deps|dependenc(?:y|ies))\b/i.test(query)
    )
      return []
    return [{ task: isUntoldTest(query, paths) ? 'test' : 'file', query, paths }]
  })
}

/** A change of tests alone, told as what they test: whoever asks so may well mean that instead. */
function isUntoldTest(query: string, paths: readonly string[]): boolean {
  return !/\btest/i.test(query) && paths.every((path) => kindOf(path) === 'test')
}

function pickLabels(labels: readonly Label[], limit: number): Label[] {
  return TASKS.flatMap((task) => {
    const ofTask = labels.filter((label) => label.task === task)
    const counts = Map.groupBy(ofTask, ({ query }) => query.toLowerCase())
    const single = ofTask.filter(({ query }) => counts.get(query.toLowerCase())?.length === 1)
    return single.toSorted((a, b) => digest(a).localeCompare(digest(b))).slice(0, limit)
  })
}

function digest({ query, paths }: Label): string {
  return createHash('sha256').update(`${query}\n${paths[0]}`).digest('hex')
}

function isEven(text: string): boolean {
  return createHash('sha256').update(text).digest().readUInt8(0) % 2 === 0
}

function readSources(folder: string): Source[] {
  const sources: Source[] = []
  const waiting = ['']
  for (
    let place = waiting.shift();
    place !== undefined && sources.length < FILE_LIMIT;
    place = waiting.shift()
  ) {
    for (const name of readdirSync(join(folder, place)).toSorted()) {
      const path = place + name
      const entry = lstatSync(join(folder, path))
      if (LEFT_OUT.test(`${path}/`) || LEFT_OUT.test(path)) continue
      if (entry.isDirectory()) waiting.push(`${path}/`)
      else if (entry.isFile() && READ.test(name) && entry.size <= FILE_SIZE_LIMIT_BYTES)
        sources.push({ path, text: readFileSync(join(folder, path), 'utf8') })
    }
  }
  return sources
}
