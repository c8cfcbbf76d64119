import { orderedJson } from '../../../platform/basics/exact-json.ts'
import { MAX_JSON_DEPTH } from '../../../platform/basics/strict-json.ts'
import type { ToolDefinition } from '../../../platform/pins/tool-definition.ts'
import type { PolicyDocument, PolicyPath } from '../../../platform/policy-edits/policy-document.ts'

/** What of a definition stands in the policy, for agents to read and for calls to be checked by. */
const SHOWN = [
  ['description', 'description'],
  ['input_schema', 'inputSchema'],
  ['output_schema', 'outputSchema'],
  ['annotations', 'annotations'],
] as const

/** An entry of the allowlist for a tool as it was reviewed. */
export function entryFor(
  id: string,
  provider: string,
  definition: ToolDefinition,
  pin: string,
): Record<string, unknown> {
  const shown = SHOWN.filter(([, part]) => definition[part] !== undefined)
  const parts = Object.fromEntries(shown.map(([field, part]) => [field, definition[part]]))
  return { id, ...parts, provider: { name: provider, tool: definition.name }, pin }
}

/** Writes the pin, and with it what had come from the former definition: what the owner wrote otherwise stays. */
export function renewEntry(
  document: PolicyDocument,
  at: PolicyPath,
  { definition, pin }: { definition: ToolDefinition; pin: string },
  formerly: ToolDefinition | undefined,
): void {
  for (const [field, part] of SHOWN) {
    const written = document.get([...at, field])
    const isOwn = written !== undefined && !isSame(written, formerly?.[part])
    if (isOwn || definition[part] === undefined || isSame(written, definition[part])) continue
    document.set([...at, field], definition[part])
  }
  document.set([...at, 'pin'], pin)
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other
  return orderedJson(one, MAX_JSON_DEPTH) === orderedJson(other, MAX_JSON_DEPTH)
}
