import { spellCodePoint } from '../../../../platform/basics/hidden-signs.ts'
import type { FlowBundle } from '../../bundle/flow-record.ts'

/** What identifies a bundle rather than says something; it is told in the heading of a comparison. */
const UNCOMPARED = new Set(['schema', 'flow_id', 'step_id'])

/** Every field of a bundle under the path that names it. Steps go by their id, not their place. */
export function bundleFields({ flow, steps }: FlowBundle): Map<string, unknown> {
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
export function renderField(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value
    .map((item) => (typeof item === 'string' ? spellLineEnds(item) : JSON.stringify(item)))
    .join('\n')
}

/** The ends of lines by name, so that a text stays on one line. */
export function spellLineEnds(text: string): string {
  return text.replace(/[\n\r\u2028\u2029]/g, (end) => spellCodePoint(end.charCodeAt(0)))
}
