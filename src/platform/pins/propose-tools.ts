import { hash } from 'node:crypto'
import { isBlank, spellHidden } from '../basics/hidden-signs.ts'
import type { ListedTool, ToolListing } from '../upstream/mcp/tool-listing.ts'
import { compilePayloadCheck } from '../upstream/payload-schema.ts'
import { findMarks, type Mark } from './text-marks.ts'
import { findPinned, type Pinned } from './tool-definition.ts'

/** An allowlist has no room for more. */
export const MAX_PROPOSED = 1_000
/** As much as a policy takes for the description of a tool. */
export const MAX_DESCRIPTION_CHARS = 10_000
const MAX_NAME_CHARS = 200
/** A title and a few hints. */
const MAX_ANNOTATION_CHARS = 4_096
/** Checks of schemas between which others get their turn. */
const AT_ONCE = 20

/** A tool of the server that the policy lists already. */
export interface ListedEntry {
  readonly id: string
  /** Its name at the server, where it is bound to this one. */
  readonly tool: string | undefined
  readonly pin: string | undefined
}

/**
 * `new`; `same`, imported and unchanged; `changed` since it was reviewed; `unpinned`, in the policy without a pin; `taken`,
 * its id belongs to another tool; `refused`, cannot be imported.
 */
export type ProposalState = 'new' | 'same' | 'changed' | 'unpinned' | 'taken' | 'refused'

/** A tool as it would stand in the policy. */
export interface Proposal {
  readonly tool: string
  readonly id: string
  readonly state: ProposalState
  /** Why it cannot be imported. */
  readonly why: string | undefined
  readonly pinned: Pinned | undefined
  readonly marks: readonly Mark[]
}

/** What a server lists, each tool as it would stand in the policy. One bad definition refuses one tool. */
export async function proposeTools(
  { tools, unreadable }: ToolListing,
  entries: readonly ListedEntry[],
  prefix: string,
): Promise<Proposal[]> {
  const named = Map.groupBy(tools, ({ name }) => name)
  const proposals: Proposal[] = []
  for (const [name, listed] of named) {
    proposals.push(propose(name, listed, entries, prefix))
    if (proposals.length % AT_ONCE === 0) await new Promise((turn) => setImmediate(turn))
  }
  const why = 'its definition is nested too deep to be reviewed, or marks headers as no client may send them'
  const refused = { state: 'refused', why, pinned: undefined, marks: [] } as const
  return [...proposals, ...unreadable.map((tool) => ({ tool, id: `${prefix}${tool}`, ...refused }))]
}

/** Over all that is shown: what the owner takes is just this. */
export function proposalDigest(provider: string, proposals: readonly Proposal[]): string {
  const shown = proposals.map(({ tool, id, state, pinned }) => [tool, id, state, pinned?.pin ?? null])
  return `sha256:${hash('sha256', JSON.stringify([provider, shown]))}`
}

function propose(
  tool: string,
  listed: readonly ListedTool[],
  entries: readonly ListedEntry[],
  prefix: string,
): Proposal {
  const entry = entries.find((one) => one.tool === tool)
  const id = entry?.id ?? `${prefix}${tool}`
  const pinned = listed[0] && findPinned(listed[0])
  const why = whyRefused(id, listed, pinned)
  const marks = pinned ? findMarks(pinned.definition) : []
  const state = why === undefined ? stateOf(id, entry, entries, pinned) : 'refused'
  return { tool, id, state, why, pinned, marks }
}

function stateOf(
  id: string,
  entry: ListedEntry | undefined,
  entries: readonly ListedEntry[],
  pinned: Pinned | undefined,
): ProposalState {
  if (!entry) return entries.some((one) => one.id === id) ? 'taken' : 'new'
  if (entry.pin === undefined) return 'unpinned'
  return entry.pin === pinned?.pin ? 'same' : 'changed'
}

function whyRefused(
  id: string,
  listed: readonly ListedTool[],
  pinned: Pinned | undefined,
): string | undefined {
  if (listed.length > 1) return 'the server lists two tools of this name'
  if (!isUsableName(id)) return 'its name is empty, too long, or has signs that do not show'
  if (!pinned) return 'its definition is too large or nested too deep to be reviewed'
  const { description, inputSchema, outputSchema, annotations } = pinned.definition
  if (description !== undefined && typeof description !== 'string') return 'its description is no text'
  if (String(description ?? '').length > MAX_DESCRIPTION_CHARS) return 'its description is too long'
  if (annotations !== undefined && !isObject(annotations)) return 'its annotations are no object'
  if (JSON.stringify(annotations ?? {}).length > MAX_ANNOTATION_CHARS) return 'its annotations are too long'
  return whyUnusable('input', inputSchema) ?? whyUnusable('output', outputSchema)
}

function isUsableName(id: string): boolean {
  const isPlain = spellHidden(id) === id && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(id)
  return isPlain && !isBlank(id) && id.length <= MAX_NAME_CHARS && id !== '.' && id !== '..'
}

function whyUnusable(which: 'input' | 'output', schema: unknown): string | undefined {
  if (schema === undefined) return undefined
  if (!isObject(schema)) return `its ${which} schema is no object`
  if (refersElsewhere(schema)) return `its ${which} schema refers to another document, which is never fetched`
  try {
    compilePayloadCheck(schema)
    return undefined
  } catch {
    return `its ${which} schema cannot be used: not valid, too large, or nested too deep`
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOutside(ref: unknown): boolean {
  return typeof ref === 'string' && !ref.startsWith('#')
}

function refersElsewhere(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { $ref, $dynamicRef } = value as { $ref?: unknown; $dynamicRef?: unknown }
  if (isOutside($ref) || isOutside($dynamicRef)) return true
  return Object.values(value).some(refersElsewhere)
}
