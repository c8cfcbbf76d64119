import { parseDocument, stringify } from 'yaml'
import { canonicalBundle, type FlowBundle, type FlowBundleDraft } from '../bundle/flow-record.ts'
import { markdownBody, readMarkdown } from './flow-markdown.ts'

export const FORMATS = ['markdown', 'yaml', 'json'] as const
export type Format = (typeof FORMATS)[number]

/** A flow as a text to read and edit. */
export function writeFlow(bundle: FlowBundle, format: Format): string {
  if (format === 'json') return `${JSON.stringify(bundle, null, 2)}\n`
  if (format === 'yaml') return asYaml(bundle)
  const { schema: _, title: _title, summary: _summary, steps: _steps, truncated: _cut, ...head } = bundle.flow
  return `---\n${asYaml(head)}---\n\n${markdownBody(bundle)}`
}

/** Whether the text says all that the flow does: Markdown has no place for some texts, such as a title of two lines. */
export function isKept(bundle: FlowBundle, text: string): boolean {
  const read = readFlow(text)
  if ('fault' in read) return false
  try {
    return JSON.stringify(canonicalBundle(read.bundle as FlowBundleDraft)) === JSON.stringify(bundle)
  } catch {
    return false
  }
}

function asYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** What a text says, or where it cannot be read. Whether it is a flow, the check of bundles tells. */
export function readFlow(text: string): { bundle: unknown } | { fault: string } {
  const bare = text.replace(/^\uFEFF/, '')
  const [, head, body] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(bare) ?? []
  const read = readYaml(head ?? bare)
  if ('fault' in read) return read
  if (head === undefined || body === undefined) return { bundle: read.value }
  const isRecord = typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value)
  if (!isRecord) return { fault: 'the head between --- and --- must name the fields of the flow' }
  return { bundle: readMarkdown(read.value as Record<string, unknown>, body) }
}

/** YAML 1.2, of which JSON is a part. An alias would let a short text become an endless one. */
function readYaml(text: string): { value: unknown } | { fault: string } {
  const document = parseDocument(text, { uniqueKeys: true })
  const [error] = document.errors
  if (error) {
    const [place] = error.linePos ?? []
    return { fault: `line ${place?.line ?? 1}, column ${place?.col ?? 1} cannot be read` }
  }
  try {
    return { value: document.toJS({ maxAliasCount: 0 }) }
  } catch {
    return { fault: 'aliases are not taken' }
  }
}
