import type { SgNode } from '@ast-grep/napi'
import type { Guard } from '../../../../platform/guard/guard.ts'
import { isMadeByTool } from '../../../../platform/knowledge/walk/made-by-tools.ts'
import { createRedactor, type Redactor } from '../../../../platform/redaction/redactor.ts'
import { hasVeil, toParsable, type VeiledText, veilSecrets } from '../../../../platform/redaction/veil.ts'
import { listMatches } from '../../search/list-matches.ts'
import { showVeiled } from '../../search/look-through.ts'
import type { LocatedMatch } from '../../search/search-job.ts'
import { MATCH_LIMIT } from '../../search/search-limits.ts'
import { findTextBytes } from '../../search/search-part.ts'
import type { TreeMessage, UsageEnd, UsageFile, UsageJob } from './tree-job.ts'
import {
  CANDIDATE_LIMIT,
  FILES_LIMIT,
  PARSED_MAX_BYTES,
  TREE_TIME_LIMIT_MS,
  UNSUPPORTED_SHOWN,
} from './tree-limits.ts'
import { findMissing, findReading, parserPackage, type UsageReading } from './usage-languages.ts'
import { findUsages, type TextUsage } from './usage-text.ts'

/** The parsers that come with the engine; the others are packages of their own. */
const BUILT_IN = new Set(['TypeScript', 'Tsx', 'JavaScript'])
/** Lines that are shown of a file that cannot be read whole. */
const BROKEN_LINES_SHOWN = 50

type Parse = (parser: string, text: string) => Promise<SgNode>

interface Candidate {
  readonly path: string
  readonly reading: UsageReading
  readonly is_made: boolean
}

interface Looked {
  readonly candidates: Candidate[]
  readonly unsupported: string[]
  searched: number
  skipped: number
  unsupported_count: number
  capped: boolean
}

/**
 * Finds the files that hold the bytes of the name at all, then parses just those. What is hidden in a file holds no
 * name: otherwise names could be tried until a secret is known.
 */
export async function walkUsages(
  guard: Guard,
  job: UsageJob,
  send: (message: TreeMessage) => void,
): Promise<UsageEnd> {
  const ends_at = performance.now() + TREE_TIME_LIMIT_MS
  const redactor = createRedactor({ ...job.redaction, remembers: true })
  const looked = lookForBytes(guard, job, redactor, ends_at)
  // What people wrote comes before what tools made of it.
  looked.candidates.sort((one, other) => Number(one.is_made) - Number(other.is_made))
  const parse = await loadParsers(looked.candidates)
  const [done, failed] = [new Set(job.done), new Set(job.failed)]
  const room = { definitions: MATCH_LIMIT, others: MATCH_LIMIT }
  for (const candidate of looked.candidates) {
    if (failed.has(candidate.path)) skipOne(looked)
    else if (performance.now() > ends_at) looked.capped = true
    else if (!done.has(candidate.path)) {
      send({ begin: candidate.path })
      const file = await parseFile(guard, candidate, job, { parse, redactor }, room)
      if (!file) skipOne(looked)
      const empty = {
        path: candidate.path,
        count: 0,
        definitions: [],
        others: [],
        kinds: [],
        broken: undefined,
      }
      send({ file: file ?? empty })
    }
  }
  const { searched, skipped, unsupported, unsupported_count, candidates, capped } = looked
  return {
    files_searched: searched,
    files_skipped: skipped,
    files_unsupported: unsupported,
    unsupported: unsupported_count,
    candidates: candidates.length,
    capped,
  }
}

/** A file that was counted as searched and then could not be parsed. */
function skipOne(looked: Looked): void {
  looked.searched -= 1
  looked.skipped += 1
}

function lookForBytes(
  guard: Guard,
  { path, symbol, language }: UsageJob,
  redactor: Redactor,
  ends_at: number,
): Looked {
  const needle = Buffer.from(symbol.name)
  const names = (text: Buffer) =>
    text.includes(needle) && veilSecrets(redactor, text.toString('utf8')).text.includes(symbol.name)
  const looked: Looked = {
    candidates: [],
    unsupported: [],
    searched: 0,
    skipped: 0,
    unsupported_count: 0,
    capped: false,
  }
  let met = 0
  const { capped } = guard.walk(path, { recursive: true }, (file) => {
    met += 1
    const is_full = met > FILES_LIMIT || looked.candidates.length >= CANDIDATE_LIMIT
    if (is_full || performance.now() > ends_at) {
      looked.capped = true
      return 'stop'
    }
    const reading = findReading(file.path)
    if (language !== undefined && reading?.language !== language) return 'go_on'
    const bytes = file.read(PARSED_MAX_BYTES)
    const text = bytes && findTextBytes(bytes)
    if (!text) looked.skipped += 1
    else if (!names(text)) looked.searched += 1
    else if (reading && findMissing(reading) === undefined) {
      const is_made = isMadeByTool(file.path, text.toString('utf8'))
      looked.candidates.push({ path: file.path, reading, is_made })
      looked.searched += 1
    } else if (file.confirm()) {
      looked.unsupported_count += 1
      if (looked.unsupported.length < UNSUPPORTED_SHOWN) looked.unsupported.push(file.path)
    }
    return 'go_on'
  })
  looked.capped ||= capped
  return looked
}

async function loadParsers(candidates: readonly Candidate[]): Promise<Parse> {
  const { parseAsync, registerDynamicLanguage } = await import('@ast-grep/napi')
  const names = [...new Set(candidates.map(({ reading }) => reading.parser))]
  const wanted = names.filter((name) => !BUILT_IN.has(name))
  const loaded = await Promise.all(
    wanted.map(async (name) => [name, (await import(parserPackage(name))).default]),
  )
  if (loaded.length > 0) registerDynamicLanguage(Object.fromEntries(loaded))
  // In a thread, so that the end of the input is heard while a text takes its time.
  return async (parser, text) => (await parseAsync(parser, text)).root()
}

/** Reads the file once more, by its path and with all checks, since it may have changed since. */
async function parseFile(
  guard: Guard,
  { path, reading }: Candidate,
  { symbol }: UsageJob,
  { parse, redactor }: { readonly parse: Parse; readonly redactor: Redactor },
  room: { definitions: number; others: number },
): Promise<UsageFile | undefined> {
  const bytes = tryRead(guard, path)
  if (!bytes) return undefined
  const veiled = veilSecrets(redactor, bytes.toString('utf8'))
  const [root, used] = await parseBest(parse, reading, toParsable(veiled.text))
  const usages = findUsages(root, used, path, symbol).filter((usage) => !hasVeil(veiled.text, usage))
  const broken = countFaults(root) > 0 ? findUnread(root, used, veiled.text, symbol.name) : undefined
  const definitions = usages.filter(({ kind }) => kind === 'definition')
  const others = usages.filter(({ kind }) => kind !== 'definition').slice(0, room.others)
  const kept = definitions.slice(0, room.definitions)
  room.definitions -= kept.length
  room.others -= others.length
  return {
    path,
    count: usages.length,
    definitions: locate(veiled, kept),
    others: locate(veiled, others),
    kinds: others.map(({ kind }) => kind),
    broken,
  }
}

/**
 * The lines on which a name stands that the parser did not see as one, in a file that it could not read whole: each
 * may be a use. What is in comments is none.
 */
function findUnread(root: SgNode, { grammar }: UsageReading, text: string, name: string): number[] {
  const kinds = [...grammar.names, 'comment', 'line_comment', 'block_comment', 'multiline_comment']
  const seen = kinds.flatMap((kind) => findKind(root, kind))
  const lines = new Set<number>()
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const isPart = /[\w$]/.test(text[at - 1] ?? '') || /[\w$]/.test(text[at + name.length] ?? '')
    if (isPart || seen.some(({ start, end }) => start <= at && at < end)) continue
    lines.add(text.slice(0, at).split('\n').length)
    if (lines.size >= BROKEN_LINES_SHOWN) break
  }
  return [...lines]
}

function findKind(root: SgNode, kind: string): { start: number; end: number }[] {
  try {
    return root.findAll({ rule: { kind } }).map((node) => {
      const { start, end } = node.range()
      return { start: start.index, end: end.index }
    })
  } catch {
    return [] // This language has nothing of the kind.
  }
}

/**
 * The parser of JavaScript loses its way at `class=` in JSX and at types, and then takes texts for names: what it
 * cannot read goes to the one that knows both, and counts if that fares better.
 */
async function parseBest(parse: Parse, reading: UsageReading, text: string): Promise<[SgNode, UsageReading]> {
  const root = await parse(reading.parser, text)
  const faults = reading.parser === 'JavaScript' ? countFaults(root) : 0
  const other = faults > 0 ? findReading('a.tsx') : undefined
  if (!other) return [root, reading]
  const again = await parse(other.parser, text)
  return countFaults(again) < faults ? [again, other] : [root, reading]
}

/** What the parser could make nothing of, and what it had to think of for the rest to fit: a sign without a letter. */
function countFaults(root: SgNode): number {
  const empty = root.findAll({ rule: { regex: '^$' } })
  const errors = root.findAll({ rule: { kind: 'ERROR' } })
  return errors.length + empty.filter((node) => node.isLeaf() && !node.isNamed()).length
}

function locate(veiled: VeiledText, usages: readonly TextUsage[]): LocatedMatch[] {
  const { shown, offsets } = showVeiled(veiled, byteOffsets(veiled.text, usages))
  return listMatches(shown, offsets, usages.length)
}

function tryRead(guard: Guard, path: string): Buffer | undefined {
  try {
    return findTextBytes(guard.readFile(path, PARSED_MAX_BYTES).bytes)
  } catch {
    return undefined
  }
}

/** Offsets in bytes, start and end in turn; counted on from the one before. */
function byteOffsets(text: string, usages: readonly TextUsage[]): number[] {
  let [at, bytes] = [0, 0]
  return usages.flatMap(({ start, end }) =>
    [start, end].map((index) => {
      bytes += Buffer.byteLength(text.slice(at, index))
      at = index
      return bytes
    }),
  )
}
