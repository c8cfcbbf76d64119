import type { Flow, FlowStep } from '../bundle/flow-record.ts'

/** Version of the texts the renderers make: raise it when any of them renders differently. */
export const PROJECTION_GENERATOR_VERSION = '1'

/** What a projection could not carry over; notes is null when there is nothing to say. */
export type Fidelity = { dropped_fields: string[]; notes: string | null }

/** All a renderer may depend on: steps are in ascending ordinal. */
export type RenderSource = {
  flow: Flow
  steps: readonly FlowStep[]
  /** Tools the vault allows; only harnesses that list tools look at it. */
  allowed_tools: readonly string[]
}

/** The text made from a flow and what was lost on the way. */
export type Rendering = { rendered: string; fidelity: Fidelity }

/** A pure function from a flow to the text of one harness. */
export type Renderer = (source: RenderSource) => Rendering
