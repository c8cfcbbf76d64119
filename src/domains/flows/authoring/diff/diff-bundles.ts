import { spellHidden } from '../../../../platform/basics/hidden-signs.ts'
import type { FlowBundle } from '../../bundle/flow-record.ts'
import { bundleFields } from './bundle-fields.ts'
import { type Budget, diffLines } from './diff-lines.ts'

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

const MAX_CHANGES = 1_000
const MAX_DIFF_CHARS = 262_144
const MAX_COMPARISONS = 4_000_000

/** What a draft changes against its base, field by field; without a base everything is added. */
export function diffBundles(base: FlowBundle | undefined, draft: FlowBundle): BundleDiff {
  const all = findChanges(base, draft)
  const changes = withinLimits(all)
  return { changes, text: renderDiff(base, draft, changes), truncated: changes.length < all.length }
}

function findChanges(base: FlowBundle | undefined, draft: FlowBundle): Change[] {
  const before = base ? bundleFields(base) : new Map<string, string>()
  const after = bundleFields(draft)
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths]
    .map((path) => ({ path, before: before.get(path) ?? null, after: after.get(path) ?? null }))
    .filter((change) => change.before !== change.after)
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
    for (const line of diffLines(linesOf(before), linesOf(after), budget)) lines.push(line)
  }
  return `${lines.join('\n')}\n`
}

/** Signs that have no form of their own could make a text read other than it is: a reviewer sees them named. */
function linesOf(text: string | null): string[] {
  return text === null ? [] : spellHidden(text).split(/\r\n|[\n\r\u2028\u2029]/)
}
