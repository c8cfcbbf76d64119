import type { z } from 'zod'
import type { Page } from '../../operations/present/page.ts'
import { wrapped } from '../../operations/present/text-width.ts'
import { printable, printableLine } from '../../platform/basics/printable.ts'
import type { FlowGetOutput } from './flow-get.ts'

type FlowGet = z.output<typeof FlowGetOutput>

/** A flow as a procedure to read: what it is for, then its steps. */
export function presentFlow({ flow, steps }: FlowGet, page: Page): string {
  const about = [flow.flow_id, `version ${flow.version}`, flow.scope, ...flow.tags.map((tag) => `#${tag}`)]
  const parts = [
    `${page.bold(printableLine(flow.title))}\n${page.dim(printableLine(about.join(' · ')))}`,
    block(flow.summary, page, ''),
    ...steps.map((step) => renderStep(step, page)),
  ]
  if (flow.truncated) parts.push(page.yellow('This flow has more steps than are shown.'))
  return parts.join('\n\n')
}

function renderStep(step: FlowGet['steps'][number], page: Page): string {
  const { verification } = step
  const proof = `${verification.kind}${verification.evidence_required ? ', evidence required' : ''}`
  const lines = [
    page.bold(`${step.ordinal}. ${printableLine(step.owned_job)}`),
    block(step.instruction, page, '   '),
    ...fact('when', step.trigger, page),
    ...fact('not when', step.when_not_to_run, page),
    ...fact('needs', named(step.requires), page),
    ...step.boundaries.flatMap((boundary) => fact('boundary', boundary, page)),
    ...fact('skills', named(step.skill_refs), page),
    ...fact('gives', step.output_shape, page),
    ...fact('checked by', `${proof}: ${verification.description}`, page),
    ...fact('automation', step.automatable.replaceAll('_', ' '), page),
  ]
  return lines.join('\n')
}

function fact(label: string, text: string, page: Page): string[] {
  if (text.trim() === '') return []
  const [first = '', ...more] = wrapped(printable(text), page.columns - 16)
  return [`   ${page.dim(`${label}:`.padEnd(11))} ${first}`, ...more.map((line) => `               ${line}`)]
}

function block(text: string, page: Page, indent: string): string {
  const lines = wrapped(printable(text), page.columns - indent.length)
  return lines.map((line) => (line === '' ? '' : indent + line)).join('\n')
}

function named(items: readonly { kind: string; id: string }[]): string {
  return items.map(({ kind, id }) => `${id} (${kind})`).join(', ')
}
