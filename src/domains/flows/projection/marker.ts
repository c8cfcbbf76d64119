import type { Flow } from '../bundle/flow-record.ts'
import { PROJECTION_GENERATOR_VERSION } from './rendering.ts'

const MARKER_PREFIX = 'GENERATED FROM CANONICAL FLOW'

// Markdown escapes < and > of user text and JSON escapes its quotes, so neither form can be forged by it.
const MARKDOWN_MARKER = new RegExp(
  `<!-- ${MARKER_PREFIX} (flow_[a-z0-9_]{1,64})@(\\S{1,64}) \\(generator v(\\d{1,9})\\) — DO NOT EDIT; ` +
    'regenerate via knowtation flow project -->',
)
const JSON_MARKER = new RegExp(
  `"generated_marker":"${MARKER_PREFIX} (flow_[a-z0-9_]{1,64})@([^\\s"\\\\]{1,64}) — DO NOT EDIT"`,
)

/** What a generated text says about its origin; JSON texts do not name their generator. */
export type Marker = { flow_id: string; flow_version: string; generator_version: string | undefined }

/** The comment that marks a Markdown text as generated. */
export function renderMarkdownMarker({ flow_id, version }: Pick<Flow, 'flow_id' | 'version'>): string {
  const origin = `${MARKER_PREFIX} ${flow_id}@${version} (generator v${PROJECTION_GENERATOR_VERSION})`
  return `<!-- ${origin} — DO NOT EDIT; regenerate via knowtation flow project -->`
}

/** The text that marks a JSON document as generated. */
export function renderJsonMarker({ flow_id, version }: Pick<Flow, 'flow_id' | 'version'>): string {
  return `${MARKER_PREFIX} ${flow_id}@${version} — DO NOT EDIT`
}

/** The marker of a generated text, or undefined when it carries none. */
export function findMarker(text: string): Marker | undefined {
  const match = (text.startsWith('{') ? JSON_MARKER : MARKDOWN_MARKER).exec(text)
  if (match === null) return undefined
  const [, flow_id = '', flow_version = '', generator_version] = match
  return { flow_id, flow_version, generator_version }
}
