import { z } from 'zod'
import { FilePath } from '../files/file-path.ts'
import { SOURCE_ROLES } from '../git/repository/repository.ts'
import { guardScopeOf } from '../guard-scope.ts'
import { showMatches } from '../search/search-answer.ts'
import { MATCH_LIMIT } from '../search/search-limits.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { ToolFault } from '../tool-fault.ts'
import { isFile } from './related/path-kind.ts'
import {
  findSymbol,
  SYMBOL_MAX_CHARS,
  type UsageEnd,
  type UsageFile,
  type UsageJob,
} from './usage/tree-job.ts'
import {
  CANDIDATE_LIMIT,
  PARSED_MAX_BYTES,
  RESTART_LIMIT,
  TREE_END_MS,
  TREE_TIME_LIMIT_MS,
} from './usage/tree-limits.ts'
import { runTreeJob } from './usage/tree-process.ts'
import { findMissing, findReading, findUsageLanguage, USAGE_LANGUAGES } from './usage/usage-languages.ts'

const Input = z.strictObject({
  symbol: z
    .string()
    .min(1)
    .max(SYMBOL_MAX_CHARS)
    .describe('A name, such as openGuard, Guard.read or module::name'),
  path: FilePath.default('.').describe('A file or folder, relative to the service; . is the service itself'),
  language: z
    .string()
    .max(40)
    .optional()
    .describe(`Only files of it: ${USAGE_LANGUAGES.join(', ')}`),
})
const Usage = z.strictObject({
  file: z.string(),
  line: z.int(),
  column: z.int(),
  kind: z.enum(['definition', 'reference', 'import']),
  content: z.string(),
})
const Output = z.strictObject({
  usages: z.array(Usage),
  /** Left out where a limit kept them from being counted. */
  total: z.int().optional(),
  capped: z.boolean(),
  files_searched: z.int(),
  files_skipped: z.int(),
  files_unsupported: z.array(z.string()).describe('Files that hold the name but cannot be read by syntax'),
  files_broken: z
    .array(z.strictObject({ file: z.string(), lines: z.array(z.int()) }))
    .describe(
      'Files with errors in their syntax, and lines with the name that may be uses: read them yourself',
    ),
})
type Call = ToolCall<z.output<typeof Input>>

/** Finds where a symbol is defined, imported and used. */
export const findUsage: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'find_usage',
  description: [
    'Finds where a symbol is defined, imported and referred to, by the syntax of the code: what is in comments or',
    'strings does not count. Knows TypeScript, JavaScript (both with JSX), Python, Go, Rust and Java, and C#, Kotlin,',
    'PHP, Ruby, C and C++ where the owner has installed their parsers.',
    'Definitions come first, then the rest in the order of paths; each has file, line, column (from 1), kind and',
    'content, the line. A qualified symbol such as Guard.read or module.func gives only what is seen to belong to',
    'it: in its class or module, on its name, on this or self in it, or on a name that the same file declares to be',
    'one. For every use of a name whatever it belongs to, ask for the name alone.',
    `At most ${MATCH_LIMIT} are shown; capped is true when there are more or a limit was met (${CANDIDATE_LIMIT}`,
    `files with the name, ${TREE_TIME_LIMIT_MS / 1000} s), and then total may be missing: name a path.`,
    `Files over ${PARSED_MAX_BYTES} bytes, that are no UTF-8 text or that the parser fails on are counted in`,
    'files_skipped; files whose syntax has errors are in files_broken. What tools made comes last. Files of other languages that hold the name are in files_unsupported; if there are only such,',
    'or path is one, the call fails with NotSupported: use search_file for them. What is hidden in a file holds no',
    'name; lines and columns are those of the text that read_file shows.',
  ].join(' '),
  effect: 'read',
  idempotent: true,
  roles: SOURCE_ROLES,
  input: Input,
  output: Output,
  check({ guard, input }) {
    guard.check(input.path, 'read')
    requireSymbol(input.symbol)
    requireLanguage(input.language)
  },
  async handle(call) {
    const found = await collectUsages(call, toJob(call))
    return showUsages(call, found)
  },
}

function requireSymbol(text: string) {
  const symbol = findSymbol(text)
  if (symbol) return symbol
  throw new ToolFault(
    'ValidationError',
    'The symbol is not a name.',
    'Give one name, such as openGuard, or a qualified one, such as Guard.read or module::name.',
  )
}

function requireLanguage(name: string | undefined) {
  if (name === undefined) return undefined
  const language = findUsageLanguage(name)
  if (language) return language
  throw notSupported(`There is no parser for the language ${JSON.stringify(name)}.`)
}

/** A parser that is known and not there can be added. */
function notSupported(message: string, files: readonly string[] = []): ToolFault {
  const missing = new Set(
    files.flatMap((path) => findReading(path) ?? []).flatMap((one) => findMissing(one) ?? []),
  )
  const languages = USAGE_LANGUAGES.join(', ')
  const advice =
    missing.size > 0
      ? `The owner can install ${[...missing].join(', ')} beside the hub. Until then use search_file.`
      : `It works on ${languages}. Use search_file for other files.`
  return new ToolFault('NotSupported', message, advice)
}

function toJob({ context, policy, hub, input, guard, redactor }: Call): UsageJob {
  const scope = guardScopeOf(context, policy, [hub.home.folder])
  const language = requireLanguage(input.language)
  if (isFile(guard, input.path)) checkFileLanguage(input.path, language)
  const symbol = requireSymbol(input.symbol)
  const { path } = input
  return { task: 'usages', scope, path, symbol, language, done: [], failed: [], redaction: redactor.options }
}

function checkFileLanguage(path: string, language: string | undefined): void {
  const reading = findReading(path)
  if (!reading) throw notSupported(`There is no parser for the language of ${path}.`)
  if (language !== undefined && reading.language !== language)
    throw new ToolFault(
      'ValidationError',
      `${path} is not ${language}.`,
      'Leave language out for a single file.',
    )
}

interface Found {
  readonly files: readonly UsageFile[]
  readonly end: UsageEnd | undefined
  readonly failed: number
}

/** Starts anew, without the file at fault, where one brings the program down. */
async function collectUsages({ signal }: Call, job: UsageJob): Promise<Found> {
  const files: UsageFile[] = []
  const failed: string[] = []
  const deadline_ms = performance.now() + TREE_END_MS
  let end: UsageEnd | undefined
  for (let start = 0; start <= RESTART_LIMIT; start += 1) {
    let begun: string | undefined
    const attempt = { ...job, done: files.map(({ path }) => path), failed }
    const how = await runTreeJob(
      attempt,
      signal,
      (message) => {
        if ('begin' in message) begun = message.begin
        else if ('file' in message) {
          files.push(message.file)
          begun = undefined
        } else if ('usages' in message) end = message.usages
      },
      deadline_ms,
    )
    if (how !== 'failed') break
    if (begun === undefined) throw parserFailed(job.path)
    failed.push(begun)
  }
  const [first] = failed
  if (first !== undefined && files.length === 0) throw parserFailed(first)
  return { files, end, failed: failed.length }
}

/** Nothing was parsed, which is not the same as nothing found. */
function parserFailed(path: string): ToolFault {
  return new ToolFault('NotSupported', `The parser failed on ${path}.`, 'Use search_file for this file.')
}

function showUsages({ input }: Call, { files, end, failed }: Found): z.output<typeof Output> {
  if (end && end.candidates === 0 && end.unsupported > 0)
    throw notSupported(
      `${input.symbol} is only in files that there is no parser for: ${end.files_unsupported.join(', ')}.`,
      end.files_unsupported,
    )
  const ordered = [
    ...files.map(({ path, definitions }, order) => ({ path, order, matches: definitions })),
    ...files.map(({ path, others }, order) => ({ path, order, matches: others })),
  ]
  const definitions = files.flatMap((file) => file.definitions).length
  const kinds = files.flatMap((file) => file.kinds)
  const shown = showMatches(ordered)
  const usages = shown.map((match, index) => ({
    ...match,
    kind: index < definitions ? ('definition' as const) : (kinds[index - definitions] ?? 'reference'),
  }))
  const total = files.reduce((sum, { count }) => sum + count, 0)
  const is_complete = end !== undefined && !end.capped
  return {
    usages,
    ...(is_complete && { total }),
    capped: !is_complete || shown.length < total,
    files_searched: end?.files_searched ?? files.length,
    files_skipped: end?.files_skipped ?? failed,
    files_unsupported: [...(end?.files_unsupported ?? [])],
    files_broken: files.flatMap(({ path, broken }) => (broken ? [{ file: path, lines: [...broken] }] : [])),
  }
}
