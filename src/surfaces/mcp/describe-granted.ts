import type { AllowedTool } from '../../domains/flows/allowlist.ts'
import type { ToolAnnotations, ToolDescription } from './tool-host.ts'
import { unmarkedSchema } from './unmarked-schema.ts'

const ASKS = {
  each_call: 'Each call waits for the approval of the owner.',
  first_call: 'The first call with arguments of one shape waits for the approval of the owner.',
} as const

/** What is told of a tool that nobody vouches for. */
const CAUTIOUS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
}

/** A granted tool as its holder is told of it. */
export function describeGranted(tool: AllowedTool): ToolDescription {
  const [claims, outputSchema] = [claimsOf(tool), toldOutputSchema(tool)]
  const isClaimed = Object.keys(claims).length > 0 && !tool.trusts_annotations
  return {
    name: tool.id,
    description: describe(tool, isClaimed ? claims : {}),
    inputSchema: unmarkedSchema(tool.input_schema ?? { type: 'object' }),
    ...(outputSchema && { outputSchema }),
    annotations: tool.trusts_annotations ? { ...CAUTIOUS, ...claims } : CAUTIOUS,
    // A client trusts the hub and would trust in its words what a server says of itself.
    ...(isClaimed && { _meta: { 'knowtation/claimed_annotations': claims } }),
  }
}

/** How structured answers are said to look. Clients before 2026-07-28 throw a whole list away over another root. */
export function toldOutputSchema({ output_schema }: Partial<AllowedTool> = {}): object | undefined {
  return output_schema?.type === 'object' ? output_schema : undefined
}

function claimsOf({ annotations = {} }: AllowedTool): Partial<ToolAnnotations> {
  const hints = Object.keys(CAUTIOUS).map((hint) => [hint, annotations[hint]] as const)
  return Object.fromEntries(hints.filter(([, value]) => typeof value === 'boolean'))
}

function describe({ id, description = id, approval = 'never' }: AllowedTool, claims: object): string {
  const said = Object.entries(claims).map(([hint, value]) => `${hint} ${value}`)
  const remarks = [
    ...(approval === 'never' ? [] : [`(${ASKS[approval]})`]),
    ...(said.length > 0 ? [`(Claims of its server, not checked: ${said.join(', ')}.)`] : []),
  ]
  return [description, ...remarks].join(' ')
}
