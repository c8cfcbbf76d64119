import { z } from 'zod'
import type { Hub } from '../../../operations/hub.ts'
import { compileNameRules } from '../../../platform/guard/blocked-names.ts'
import { GuardDenied } from '../../../platform/guard/guard.ts'
import { isDamage } from '../../../platform/knowledge/index/index-open.ts'
import {
  KNOWLEDGE_KINDS,
  type KnowledgeHit,
  type KnowledgeScope,
} from '../../../platform/knowledge/knowledge.ts'
import { BackendUnavailable, LoopbackRefused } from '../../../platform/knowledge/loopback-http.ts'
import type { FoundRecords } from '../../../platform/knowledge/records/record-index.ts'
import { IndexUnavailable } from '../../../platform/knowledge/stores/embedded/damaged-index.ts'
import { configDamaged } from '../policy/follow-project-policy.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { TOOL_ROLES } from '../tool-context.ts'
import { ToolFault } from '../tool-fault.ts'
import { knowledgeOf } from './indexing/knowledge-desk.ts'
import { backendsOf } from './indexing/knowledge-order.ts'
import { type IndexState, readIndexState } from './indexing/knowledge-state.ts'
import { tellFit, tellNowhere, withoutQuotes } from './search/search-end.ts'
import { findRecords, isAboutRecords } from './search/search-records.ts'
import { KNOWLEDGE_FOLDERS, type SearchScope, searchScopeOf } from './search/search-scope.ts'
import { snippetOf } from './search/search-snippet.ts'

const DEFAULT_LIMIT = 5
const MAX_LIMIT = 50
const QUERY_MAX_CHARS = 1_000
const PATH_MAX_CHARS = 4_096

/** The contract's words, as long as not all of the project has been in the index. */
const BUILDING = 'Knowledge Base Building...'

const Input = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1)
    .max(QUERY_MAX_CHARS)
    .describe('A question, words, a "quoted phrase" or a name'),
  limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('How many results at most'),
  path: z.string().min(1).max(PATH_MAX_CHARS).optional().describe('Only what is in this folder or file'),
  kind: z.enum(KNOWLEDGE_KINDS).optional().describe('Only code, tests, documents, settings or records'),
})

const Output = z.strictObject({
  results: z.array(
    z.strictObject({
      path: z.string(),
      start_line: z.int(),
      end_line: z.int(),
      name: z.string(),
      kind: z.enum(KNOWLEDGE_KINDS),
      snippet: z.string(),
      score: z.number(),
      reasons: z.array(z.string()),
      readable: z.boolean(),
    }),
  ),
  note: z.string().optional().describe('Said where a quoted text is nowhere, or nothing fits'),
  warning: z.literal(BUILDING).optional(),
  progress: z
    .strictObject({
      files_done: z.int(),
      files_total: z.int().nullable(),
      seconds_left: z.number().nullable(),
    })
    .optional(),
})
type Output = z.output<typeof Output>

/** Finds pieces of the project's code and documents by meaning and by words. */
export const searchKnowledge: ToolDeclaration<typeof Input, Output> = {
  name: 'search_knowledge',
  description: [
    'Searches the code, tests and documents of the project by meaning and by words, best first. Ask a question, give',
    'words that a text may hold, or a name such as parseConfig or "an exact phrase", which are looked for as they',
    'stand. Each result has path, start_line and end_line of the snippet, name (function, class or heading), kind,',
    'score, and reasons: which words it has, and which it is without. note says when a quoted text is nowhere or',
    'nothing fits. It covers your service, shared folders and the folders',
    `${KNOWLEDGE_FOLDERS.join(', ')} of the project, and records of the connections that the owner has named for it:`,
    'their paths begin with record:. read_file takes the path where readable is true; of other',
    'results the snippet is all there is. path and kind narrow the search.',
    `While the index is first made, warning says "${BUILDING}" and progress how far it is: results may be missing`,
    'until it is gone. A change in a file is found a few seconds later. Secrets and closed folders are never in it.',
  ].join(' '),
  effect: 'read',
  idempotent: true,
  roles: TOOL_ROLES,
  input: Input,
  output: Output,
  async handle(call) {
    const { context, policy, hub, input } = call
    const scope = searchScopeOf(context, policy)
    const records = await findRecords(call)
    if (isAboutRecords(input)) return { ...showFound(call, scope, records.hits), ...warn(records) }
    const prefixes = prefixesOf(call, scope)
    const state = await knowledgeOf(hub).follow(context.project_root, policy)
    const hits = state.has_index ? await findHits(call, prefixes, state, input.query) : undefined
    // What was taken in before it failed is better than nothing.
    if (state.is_stuck && !hits?.length)
      throw indexFault('The knowledge index of the project cannot be made.')
    const isBuilding = !state.is_complete || hits === undefined
    const all = [...(hits ?? []), ...records.hits]
    // What is not all there yet may well have what seems to be nowhere.
    if (isBuilding) return { results: showHits(call, scope, all), ...building(state) }
    const loose = all.length === 0 ? withoutQuotes(input.query) : undefined
    if (loose === undefined) return { ...showFound(call, scope, all), ...warn(records) }
    const nearest = (await findHits(call, prefixes, state, loose)) ?? []
    return {
      results: showHits(call, scope, nearest),
      note: tellNowhere(input.query, nearest),
      ...warn(records),
    }
  },
}

type Call = ToolCall<z.output<typeof Input>>

/** A path outside of what the seat finds is refused as by any other tool, and so is one that leads to nothing. */
function prefixesOf({ input, guard, policy }: Call, scope: SearchScope): readonly string[] {
  if (input.path === undefined) return scope.prefixes
  if (input.path.split('/').some(compileNameRules(policy.block_patterns).isClosed))
    throw new GuardDenied('blocked', input.path)
  const prefixes = scope.narrow(input.path)
  if (prefixes.length === 0 || scope.isInService(input.path)) guard.check(input.path, 'read')
  return prefixes
}

/** Undefined where the index turns out to be unreadable; it is then made anew. */
async function findHits(
  { context, policy, hub, input }: Call,
  prefixes: readonly string[],
  { index_identity }: IndexState,
  query: string,
): Promise<KnowledgeHit[] | undefined> {
  const desk = knowledgeOf(hub)
  if (prefixes.length === 0) return []
  const names = compileNameRules(policy.block_patterns)
  const project = { project_root: context.project_root, backends: backendsOf(hub, policy) }
  const wanted: KnowledgeScope = { prefixes, ...(input.kind && { kinds: [input.kind] }) }
  try {
    const hits = await desk.stores.use(project, index_identity, ({ store, embedder }) =>
      store.search(query, embedder, wanted, input.limit),
    )
    // What the owner has closed since is not shown while it is still being taken out.
    return hits.filter(({ path }) => isWithin(path, prefixes) && !path.split('/').some(names.isClosed))
  } catch (error) {
    if (error instanceof IndexUnavailable && isBeingMade(hub, context.project_root, index_identity))
      return undefined
    if (!isDamage(error)) throw asBackendFault(error)
    await desk.rebuild(context.project_root, policy, index_identity)
    return undefined
  }
}

/** Whether the index that was looked at has been taken away since, for another one that is not whole yet. */
function isBeingMade(hub: Hub, project_root: string, looked_at: string): boolean {
  const { is_complete, index_identity } = readIndexState(project_root, hub.system.now)
  return !is_complete || index_identity !== looked_at
}

function isWithin(path: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) =>
    prefix === '' || prefix.endsWith('/') ? path.startsWith(prefix) : path === prefix,
  )
}

/** The results, and what is to be said of them as a whole. */
function showFound(
  call: Call,
  scope: SearchScope,
  hits: readonly KnowledgeHit[],
): Pick<Output, 'results' | 'note'> {
  const best = hits.toSorted((one, other) => other.score - one.score)
  const note = tellFit(call.input.query, best)
  return { results: showHits(call, scope, best), ...(note !== undefined && { note }) }
}

/** The best of all that was found; scores of the project's pieces and of records are of one kind. */
function showHits(call: Call, scope: SearchScope, hits: readonly KnowledgeHit[]): Output['results'] {
  return hits
    .toSorted((one, other) => other.score - one.score)
    .slice(0, call.input.limit)
    .map((hit) => showHit(call, scope, hit))
}

function showHit({ input }: Call, scope: SearchScope, hit: KnowledgeHit): Output['results'][number] {
  const { name, kind, score, reasons } = hit
  const shown = kind === 'record' ? { path: hit.path, readable: false } : scope.show(hit.path)
  return {
    ...shown,
    name,
    kind,
    score,
    reasons: [...reasons],
    ...snippetOf(hit.text, hit.start_line, input.query),
  }
}

function building({ progress, is_running }: IndexState): Pick<Output, 'warning' | 'progress'> {
  const { files_done = 0, files_total = null, seconds_left = null } = (is_running && progress) || {}
  return { warning: BUILDING, progress: { files_done, files_total, seconds_left } }
}

/** Records that are still being taken in may be missing, as files may. */
function warn({ is_complete }: FoundRecords): Pick<Output, 'warning'> {
  return is_complete ? {} : { warning: BUILDING }
}

/** What the owner has put beside the hub, and what does not answer. */
function asBackendFault(error: unknown): unknown {
  if (error instanceof BackendUnavailable)
    return new ToolFault('IOError', error.message, 'Ask the owner of the project to look after the service.')
  if (error instanceof IndexUnavailable)
    return indexFault('The knowledge index of the project cannot be opened.', error)
  return error instanceof LoopbackRefused ? configDamaged(error.message.replace(/\.$/, '')) : error
}

/** What only the owner can mend; why is for the owner's eyes. */
function indexFault(message: string, cause?: unknown): ToolFault {
  const suggestion = 'Use search_file. The owner learns more by `knowtation knowledge status --project …`.'
  return new ToolFault('IOError', message, suggestion, { cause })
}
