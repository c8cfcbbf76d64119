import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { errorTable } from '../../../operations/errors.ts'
import { findBundleFault } from '../bundle/check-bundle.ts'
import { canonicalBundle, type FlowBundle, type FlowBundleDraft } from '../bundle/flow-record.ts'
import { flowErrors } from '../flow-errors.ts'
import { FlowId, VersionChoice } from '../flow-schemas.ts'
import { FlowStepWire, FlowWire } from '../flow-wire.ts'
import { requireFlowDocument } from '../require-flow.ts'
import { FORMATS } from './flow-text.ts'

/** The largest text of a flow that is read. */
const TEXT_CHARS = 524_288

const textErrors = errorTable({
  FLOW_TEXT_UNFIT: {
    status: 409,
    message: 'This flow holds a text that Markdown has no place for.',
    hint: 'Take it as YAML or JSON: --format yaml.',
  },
})

export const flowText = defineOperation({
  name: 'flow_text',
  summary: 'Write one version of a flow as Markdown, YAML or JSON, to be read and edited as a text.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'GET /api/v1/flows/{flow_id}/text',
  cli: 'flow text <flow_id>',
  errors: {
    ...flowErrors.pick('unknown_flow', 'FLOW_SCOPE_AMBIGUOUS'),
    ...textErrors.pick('FLOW_TEXT_UNFIT'),
  },
  target: ({ flow_id }) => ({ kind: 'flow', id: flow_id }),
  input: z.strictObject({
    flow_id: FlowId,
    version: VersionChoice,
    format: z.enum(FORMATS).optional().describe('How it is written; Markdown when left out'),
  }),
  output: z.strictObject({
    schema: z.literal('knowtation.flow_text/v0'),
    flow_id: FlowId,
    version: z.string(),
    format: z.enum(FORMATS),
    text: z.string(),
  }),
  async handle(context) {
    const { isKept, writeFlow } = await import('./flow-text.ts')
    const bundle = JSON.parse(await requireFlowDocument(context, 'bundle')) as FlowBundle
    const { format = 'markdown' } = context.input
    const text = writeFlow(bundle, format)
    if (!isKept(bundle, text)) return context.refuse('FLOW_TEXT_UNFIT')
    const { flow_id, version } = bundle.flow
    return { schema: 'knowtation.flow_text/v0' as const, flow_id, version, format, text }
  },
})

export const flowRead = defineOperation({
  name: 'flow_read',
  summary: 'Read a flow from Markdown, YAML or JSON and show it as a bundle. Nothing is stored.',
  effect: 'read',
  authority: vaultMember('read'),
  rest: 'POST /api/v1/flows/read',
  cli: 'flow read',
  errors: flowErrors.pick('FLOW_DRAFT_INVALID'),
  input: z.strictObject({
    text: z.string().max(TEXT_CHARS).describe('The text, in the form in which flow_text writes it'),
  }),
  output: z.strictObject({ flow: FlowWire, steps: z.array(FlowStepWire) }),
  async handle({ input, refuse }) {
    const { readFlow } = await import('./flow-text.ts')
    const read = readFlow(input.text)
    if ('fault' in read) return refuse('FLOW_DRAFT_INVALID', read.fault)
    const fault = findBundleFault(read.bundle)
    if (fault) return refuse('FLOW_DRAFT_INVALID', fault)
    return canonicalBundle(read.bundle as FlowBundleDraft)
  },
})
