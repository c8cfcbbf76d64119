import { FLOW_SCHEMA, FLOW_STEP_SCHEMA } from '../bundle/bundle-vocabulary.ts'
import type { FlowBundle, FlowStep } from '../bundle/flow-record.ts'

/** What stands in the head of a flow that is written as Markdown; the rest is headings and their text. */
export type MarkdownHead = Omit<FlowBundle['flow'], 'schema' | 'title' | 'summary' | 'steps' | 'truncated'>

/** Where each part of a step stands, below the heading of the step. */
const PARTS = {
  trigger: 'When',
  when_not_to_run: 'Not when',
  boundaries: 'Boundaries',
  skill_refs: 'Uses',
  requires: 'Needs',
  inputs: 'Takes',
  outputs: 'Gives',
  output_shape: 'Answers with',
  verification: 'Verified by',
  automatable: 'Automation',
} as const
type Part = keyof typeof PARTS

/** A flow as Markdown below its head: a heading for each step, and one for each of its parts. */
export function markdownBody({ flow, steps }: FlowBundle): string {
  const blocks = [`# ${flow.title}`, escaped(flow.summary), ...steps.flatMap(stepBlocks)]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function stepBlocks(step: FlowStep): string[] {
  const { ordinal, owned_job, instruction, verification } = step
  const { kind, evidence_required, description } = verification
  const bodies: Record<Part, string> = {
    trigger: escaped(step.trigger),
    when_not_to_run: escaped(step.when_not_to_run),
    boundaries: items(step.boundaries),
    skill_refs: items(step.skill_refs.map((one) => `${one.kind}: ${one.id}`)),
    requires: items(step.requires.map((one) => `${one.kind}: ${one.id}`)),
    inputs: items(step.inputs.map(({ name, from }) => `${name}: ${from}`)),
    outputs: items(step.outputs.map(({ name, type }) => `${name}: ${type}`)),
    output_shape: escaped(step.output_shape),
    verification: `${kind}${evidence_required ? ', with evidence' : ''}\n\n${escaped(description)}`,
    automatable: step.automatable,
  }
  const parts = (Object.keys(PARTS) as Part[]).flatMap((part) =>
    bodies[part] === '' ? [] : [`### ${PARTS[part]}`, bodies[part]],
  )
  return [`## ${ordinal}. ${owned_job}`, escaped(instruction), ...parts]
}

/** A line that would read as a heading is marked, and so is one that begins with the mark. */
function escaped(text: string): string {
  return text.replaceAll(/^(?=[#\\])/gm, '\\')
}

function unescaped(lines: readonly string[]): string {
  return trimmed(lines)
    .map((line) => line.replace(/^\\(?=[#\\])/, ''))
    .join('\n')
}

function items(texts: readonly string[]): string {
  return texts.map((text) => `- ${text.replaceAll('\n', '\n  ')}`).join('\n')
}

function isText(line: string): boolean {
  return line.trim() !== ''
}

function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex(isText)
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1)
}

function itemsIn(lines: readonly string[]): string[] {
  const found: string[] = []
  for (const line of trimmed(lines)) {
    if (line.startsWith('- ')) found.push(line.slice(2))
    else found.push(`${found.pop() ?? ''}\n${line.replace(/^ {1,2}/, '')}`)
  }
  return found
}

interface Section {
  readonly level: number
  readonly heading: string
  readonly lines: string[]
}

/** Reads such a text back. What is wrong with the flow is not its matter: a part that is missing stays missing. */
export function readMarkdown(head: Readonly<Record<string, unknown>>, body: string): object {
  const sections = sectionsIn(body)
  const title = sections.find(({ level }) => level === 1)
  const flow_id = String(head.flow_id)
  const steps: Record<string, unknown>[] = []
  for (const { level, heading, lines } of sections) {
    if (level === 2) steps.push({ ...startOf(flow_id, heading), instruction: unescaped(lines) })
    if (level === 3) Object.assign(steps.at(-1) ?? {}, partOf(heading, lines))
  }
  const flow = {
    schema: FLOW_SCHEMA,
    ...head,
    title: title?.heading,
    summary: title && unescaped(title.lines),
    steps: steps.map(({ step_id }) => step_id),
    truncated: false,
  }
  return { flow, steps }
}

function sectionsIn(body: string): Section[] {
  const sections: Section[] = []
  for (const line of body.split(/\r?\n/)) {
    const [, marks, heading] = /^(#{1,3}) (.*)$/.exec(line) ?? []
    if (marks !== undefined && heading !== undefined)
      sections.push({ level: marks.length, heading, lines: [] })
    else sections.at(-1)?.lines.push(line)
  }
  return sections
}

function startOf(flow_id: string, heading: string): Record<string, unknown> {
  const [, number, owned_job] = /^(\d{1,7})\. (.*)$/.exec(heading) ?? []
  const ordinal = Number(number)
  const begun = { schema: FLOW_STEP_SCHEMA, step_id: `${flow_id}#${number}`, flow_id, ordinal, owned_job }
  return { ...begun, boundaries: [] }
}

function partOf(heading: string, lines: readonly string[]): object {
  const part = (Object.keys(PARTS) as Part[]).find((name) => PARTS[name] === heading)
  const pairs = (first: string, second: string) =>
    itemsIn(lines).map((item) => {
      const cut = item.indexOf(': ')
      return cut < 0 ? { [first]: item } : { [first]: item.slice(0, cut), [second]: item.slice(cut + 2) }
    })
  if (part === undefined) return { [heading]: lines.join('\n') }
  if (part === 'boundaries') return { boundaries: itemsIn(lines) }
  if (part === 'skill_refs' || part === 'requires') return { [part]: pairs('kind', 'id') }
  if (part === 'inputs') return { inputs: pairs('name', 'from') }
  if (part === 'outputs') return { outputs: pairs('name', 'type') }
  if (part === 'automatable') return { automatable: unescaped(lines) }
  return { [part]: part === 'verification' ? verificationIn(lines) : unescaped(lines) }
}

function verificationIn(lines: readonly string[]): object {
  const [first = '', ...rest] = trimmed(lines)
  const evidence_required = first.endsWith(', with evidence')
  return { kind: first.replace(/, with evidence$/, ''), evidence_required, description: unescaped(rest) }
}
