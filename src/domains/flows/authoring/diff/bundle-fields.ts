import type { FlowBundle } from '../../bundle/flow-record.ts'

/** What identifies a bundle rather than says something; it is told in the heading of a comparison. */
const UNCOMPARED = new Set(['schema', 'flow_id', 'step_id'])

/** Every field of a bundle as text, under the path that names it. Steps go by their id, not their place. */
export function bundleFields({ flow, steps }: FlowBundle): Map<string, string> {
  const fields = new Map<string, string>()
  addFields(fields, 'flow', flow)
  for (const step of steps) addFields(fields, `steps[${step.step_id}]`, step)
  return fields
}

function addFields(fields: Map<string, string>, at: string, record: object): void {
  for (const [name, value] of Object.entries(record)) {
    if (UNCOMPARED.has(name)) continue
    const path = `${at}.${name}`
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) addFields(fields, path, value)
    else fields.set(path, renderValue(value))
  }
}

/** A list shows one item on each line, so that one added item is one added line. */
function renderValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))).join('\n')
}
