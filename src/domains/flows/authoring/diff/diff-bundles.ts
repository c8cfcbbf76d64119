import { spellCodePoint, spellHidden } from '../../../../platform/basics/hidden-signs.ts'
import type { FlowBundle } from '../../bundle/flow-record.ts'
import { type Budget, type DiffLine, diffLines } from './diff-lines.ts'

const MAX_CHANGES = 1_000
const MAX_DIFF_CHARS = 262_144
const MAX_COMPARISONS = 4_000_000

const LINE_END = /\r\n|[\n\r\u2028\u2029]/
const ODD_END = /\r\n|[\r\u2028\u2029]/g

/** What identifies a bundle rather than says something; it is told in the heading of a comparison. */
const UNCOMPARED = new Set(['schema', 'flow_id', 'step_id'])

/** One field that a draft changes; null where it is not there at all. */
export interface Change {
  path: string
  before: string | null
  after: string | null
}

export interface BundleDiff {
  changes: Change[]
  /** The same for people to read. */
  text: string
  /** Whether more has changed than is shown here. */
  truncated: boolean
}

/** What a draft changes against its base, field by field; without a base everything is added. */
export function diffBundles(base: FlowBundle | undefined, draft: FlowBundle): BundleDiff {
  const all = findChanges(base, draft)
  const changes = withinLimits(all)
  return { changes, text: renderDiff(base, draft, changes), truncated: changes.length < all.length }
}

function findChanges(base: FlowBundle | undefined, draft: FlowBundle): Change[] {
  const before = base ? bundleFields(base) : new Map<string, unknown>()
  const after = bundleFields(draft)
  // What differs is asked of the values: two of them can read the same.
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => JSON.stringify(before.get(path)) !== JSON.stringify(after.get(path)))
    .map((path) => ({ path, before: textOf(before, path), after: textOf(after, path) }))
}

function textOf(fields: Map<string, unknown>, path: string): string | null {
  return fields.has(path) ? renderField(fields.get(path)) : null
}

function withinLimits(changes: Change[]): Change[] {
  let chars = 0
  const fits = ({ path, before, after }: Change) => {
    chars += path.length + (before?.length ?? 0) + (after?.length ?? 0)
    return chars <= MAX_DIFF_CHARS
  }
  const cut = changes.findIndex((change, index) => index >= MAX_CHANGES || !fits(change))
  return cut < 0 ? changes : changes.slice(0, cut)
}

/** Each line of a flow's own text stands behind a mark, so no text can pass for a heading. */
function renderDiff(base: FlowBundle | undefined, draft: FlowBundle, changes: readonly Change[]): string {
  const { flow_id, version } = draft.flow
  const budget: Budget = { comparisons: MAX_COMPARISONS }
  const lines = [`--- ${base ? `${flow_id}@${base.flow.version}` : 'nothing'}`, `+++ ${flow_id}@${version}`]
  for (const { path, before, after } of changes) {
    lines.push(`@@ ${path} @@`)
    for (const line of renderChange(before, after, budget)) lines.push(line)
  }
  return `${lines.join('\n')}\n`
}

/** A change is always seen: where no line differs, the whole text is shown as replaced. */
function renderChange(before: string | null, after: string | null, budget: Budget): DiffLine[] {
  const named = before !== null && after !== null && lineEndsOf(`${before} ${after}`).size > 1
  const [old, fresh] = [linesOf(before, named), linesOf(after, named)]
  const shown = diffLines(old, fresh, budget)
  if (shown.some((line) => line[0] !== ' ')) return shown
  return [...old.map((line): DiffLine => `-${line}`), ...fresh.map((line): DiffLine => `+${line}`)]
}

function lineEndsOf(text: string): Set<string> {
  return new Set(text.match(new RegExp(LINE_END, 'g')) ?? [])
}

/**
 * Signs that have no form of their own could make a text read other than it is: a reviewer sees them named.
 * So are the ends of lines other than the usual one, where there are several kinds to tell apart.
 */
function linesOf(text: string | null, named: boolean): string[] {
  if (text === null) return []
  const spelled = spellHidden(text)
  const plain = named ? spelled.replace(ODD_END, (end) => `${spellLineEnds(end.charAt(0))}\n`) : spelled
  return plain.split(LINE_END)
}

/** Every field of a bundle under the path that names it. Steps go by their id, not their place. */
function bundleFields({ flow, steps }: FlowBundle): Map<string, unknown> {
  const fields = new Map<string, unknown>()
  addFields(fields, 'flow', flow)
  for (const step of steps) addFields(fields, `steps[${step.step_id}]`, step)
  return fields
}

function addFields(fields: Map<string, unknown>, at: string, record: object): void {
  for (const [name, value] of Object.entries(record)) {
    if (UNCOMPARED.has(name)) continue
    const path = `${at}.${name}`
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) addFields(fields, path, value)
    else fields.set(path, value)
  }
}

/** A value as text. A list shows one item on each line, so that one added item is one added line. */
function renderField(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value
    .map((item) => (typeof item === 'string' ? spellLineEnds(item) : JSON.stringify(item)))
    .join('\n')
}

/** The ends of lines by name, so that a text stays on one line. */
function spellLineEnds(text: string): string {
  return text.replace(/[\n\r\u2028\u2029]/g, (end) => spellCodePoint(end.charCodeAt(0)))
}
