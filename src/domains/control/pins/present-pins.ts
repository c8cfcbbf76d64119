import type { z } from 'zod'
import { withLeftOut } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { counted, printable, printableLine } from '../../../platform/basics/printable.ts'
import type { AcceptOutput } from './pin-accept.ts'
import type { ReviewListOutput } from './pin-review-operations.ts'
import {
  type Definition,
  type MarkShape,
  type ReviewInFull,
  type ReviewShape,
  TAKABLE,
} from './pin-shapes.ts'
import type { ImportOutput } from './provider-import.ts'
import type { TakeOutput } from './provider-take.ts'

type Mark = z.output<typeof MarkShape>
type Parts = z.output<typeof Definition> | null

const PARTS = ['name', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/** The reviews, a line each. */
export function presentReviews({ data, truncated }: z.output<typeof ReviewListOutput>, page: Page): string {
  if (data.length === 0) return 'No pinned tool differs from what was reviewed.'
  const rows = data.map((one) => [one.review_id, one.state, one.tool_id, FOUND[one.finding], one.opened_at])
  return withLeftOut(renderTable(['review', 'state', 'tool', 'what', 'since'], rows, page), truncated, page)
}

const FOUND = {
  changed: 'defined otherwise',
  listed_twice: 'two of that name',
  missing: 'not listed',
  unreadable: 'too large or too deep',
} as const

/** One review: what was reviewed, and what is there now. */
export function presentReview(one: z.output<typeof ReviewInFull>, page: Page): string {
  const unknown = one.reviewed === null ? [page.dim('The text of what was reviewed is not kept here.')] : []
  return [
    ...linesOf(one),
    '',
    ...unknown,
    ...changedLines(one.reviewed, one.found, page),
    ...markLines(one.marks, page),
    ...(one.state === 'open' ? waysOn(one) : []),
  ].join('\n')
}

function waysOn({ review_id, found, digest }: z.output<typeof ReviewInFull>): string[] {
  const keep = `knowtation provider review keep ${review_id}`
  const accept = found
    ? ['Let the new definition count:', `  knowtation provider review accept ${review_id} --digest ${digest}`]
    : []
  return ['', ...accept, 'Let the reviewed one go on counting:', `  ${keep}`]
}

function linesOf(one: z.output<typeof ReviewShape>): string[] {
  const lines = [
    `${one.review_id}: ${one.state}, ${FOUND[one.finding]} since ${one.opened_at}`,
    `tool    ${one.tool_id}`,
    `pinned  ${one.pin}`,
    `found   ${one.found_pin ?? '-'}`,
    `digest  ${one.digest}`,
  ]
  if (one.decided_by !== null) lines.push(`decided ${one.closed_at} by ${one.decided_by}`)
  if (one.reason !== null) lines.push(`reason  ${one.reason}`)
  return lines.map(printableLine)
}

/** That the reviewed definition goes on counting. */
export function presentKept(one: z.output<typeof ReviewShape>, page: Page): string {
  const said = page.green('What was reviewed goes on counting; the tool works once its server lists it so.')
  return `${said}\n${linesOf(one).join('\n')}`
}

/** That the new definition counts. */
export function presentAccepted(
  { review, path, revision }: z.output<typeof AcceptOutput>,
  page: Page,
): string {
  const said = page.green(
    `The new definition counts from the next call. ${printableLine(path)} is at ${revision}.`,
  )
  return `${said}\n${linesOf(review).join('\n')}`
}

/** What stands in the policy now. */
export function presentTaken({ taken, path, revision }: z.output<typeof TakeOutput>, page: Page): string {
  const rows = taken.map(({ id, tool, pin }) => [id, tool, pin])
  const said = page.green(`${counted(taken.length, 'tool')} taken. ${printableLine(path)} is at ${revision}.`)
  return `${said}\n\n${renderTable(['id', 'tool', 'pin'], rows, page)}`
}

/** What a server lists, to be read before it is taken. */
export function presentImport(one: z.output<typeof ImportOutput>, page: Page): string {
  const { tools, provider, digest, unusable, missing } = one
  const shown = tools.map((tool) => {
    const head = `${page.bold(printableLine(tool.id))}  ${STATES[tool.state]}${tool.why ? `: ${tool.why}` : ''}`
    const quiet = tool.state === 'same' || tool.definition === null
    const body = quiet ? [] : changedLines(tool.reviewed, tool.definition, page)
    return [head, ...body, ...(quiet ? [] : markLines(tool.marks, page)), ''].join('\n')
  })
  const takable = tools.filter(({ state }) => TAKABLE.has(state)).length
  const rest = [
    ...(unusable > 0 ? [`The server lists ${counted(unusable, 'thing')} without a usable name.`] : []),
    ...(missing.length > 0 ? [`Not listed by the server: ${missing.map(printableLine).join(', ')}`] : []),
    `${counted(tools.length, 'tool')}, ${takable} to take. Nothing was changed.`,
    ...(takable > 0
      ? [`Take all of it:\n  knowtation provider take ${provider} --all --digest ${digest}`]
      : []),
  ]
  return [...shown, ...rest].join('\n')
}

const STATES = {
  new: 'new',
  same: 'as it was reviewed',
  changed: 'CHANGED since it was reviewed',
  unpinned: 'in the policy, without a pin',
  taken: 'its id belongs to another tool of the policy; give a prefix',
  refused: 'REFUSED',
} as const

function changedLines(before: Parts, after: Parts, page: Page): string[] {
  return PARTS.flatMap((part) => {
    const [old, now] = [linesIn(before?.[part]), linesIn(after?.[part])]
    if (old.join('\n') === now.join('\n')) return []
    const added = now.filter((line) => !old.includes(line)).map((line) => page.green(`  + ${line}`))
    const removed = old.filter((line) => !now.includes(line)).map((line) => page.red(`  - ${line}`))
    return [`  ${part}`, ...removed, ...added]
  })
}

function linesIn(value: unknown): string[] {
  if (value === undefined) return []
  return printable(typeof value === 'string' ? value : JSON.stringify(value, null, 2)).split('\n')
}

const KINDS: Readonly<Record<Mark['kind'], string>> = {
  hidden: 'has signs that do not show',
  direction: 'changes the direction of writing',
  control: 'has control characters',
  addresses_model: 'speaks to a model',
  claim: 'unproven',
}

function markLines(marks: readonly Mark[], page: Page): string[] {
  return marks.map(({ kind, at, text }) =>
    page.red(`  ! ${KINDS[kind]}: ${printableLine(at)}: ${printableLine(text)}`),
  )
}
