import { hash } from 'node:crypto'
import { orderedJson, Unorderable } from '../basics/exact-json.ts'
import { MAX_JSON_DEPTH } from '../basics/strict-json.ts'
import type { ListedTool } from '../upstream/mcp/tool-listing.ts'

/** What of a listed tool a pin covers. */
const COVERED = ['name', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const
export type CoveredPart = (typeof COVERED)[number]
/** A larger definition nobody could review, and none is kept. */
const MAX_DEFINITION_CHARS = 131_072

/** What a server says a tool is, as far as a pin covers it. All but the name is of any shape. */
export type ToolDefinition = { readonly name: string } & Readonly<Partial<Record<CoveredPart, unknown>>>

/** A definition with its pin, as it was listed. */
export interface Pinned {
  readonly definition: ToolDefinition
  readonly pin: string
}

/** A pin as a policy writes it. */
export const PIN = /^sha256:[0-9a-f]{64}$/

/** What is listed under a name, compared with what was reviewed. */
export type Finding = 'as_reviewed' | 'changed' | 'listed_twice' | 'missing' | 'unreadable'

export interface Judgement {
  readonly finding: Finding
  /** What is there instead, where it is one definition that can be shown. */
  readonly found: Pinned | undefined
}

/** The definition and its pin; undefined where it is too large or nested too deep to be reviewed. */
export function findPinned(listed: ListedTool): Pinned | undefined {
  const parts = COVERED.filter((part) => Object.hasOwn(listed, part)).map((part) => [part, listed[part]])
  const definition = Object.fromEntries(parts) as ToolDefinition
  try {
    const text = orderedJson(definition, MAX_JSON_DEPTH)
    if (text.length > MAX_DEFINITION_CHARS) return undefined
    return { definition, pin: `sha256:${hash('sha256', text)}` }
  } catch (error) {
    if (error instanceof Unorderable) return undefined
    throw error
  }
}

/** Whether what a server lists under a name is what was reviewed. `read` may remember what it has read. */
export function judgeListed(listed: readonly ListedTool[], pin: string, read = findPinned): Judgement {
  const [first, ...others] = listed
  if (!first) return { finding: 'missing', found: undefined }
  // Nobody could say which of the two a call would reach.
  if (others.length > 0) return { finding: 'listed_twice', found: undefined }
  const found = read(first)
  if (!found) return { finding: 'unreadable', found: undefined }
  return { finding: found.pin === pin ? 'as_reviewed' : 'changed', found }
}

/** The parts in which two definitions differ. */
export function partsThatDiffer(one: ToolDefinition, other: ToolDefinition): CoveredPart[] {
  const textOf = (definition: ToolDefinition, part: CoveredPart) =>
    Object.hasOwn(definition, part) ? orderedJson(definition[part], MAX_JSON_DEPTH) : ''
  return COVERED.filter((part) => textOf(one, part) !== textOf(other, part))
}
