import { z } from 'zod'
import {
  AUTOMATABLE,
  FLOW_SCHEMA,
  FLOW_STEP_SCHEMA,
  REQUIRES_KINDS,
  SKILL_REF_KINDS,
  VERIFICATION_KINDS,
} from './bundle/bundle-vocabulary.ts'
import { FlowId, ScopeName } from './flow-schemas.ts'

export const FlowWire = z
  .strictObject({
    schema: z.literal(FLOW_SCHEMA),
    flow_id: FlowId,
    title: z.string(),
    version: z.string(),
    scope: ScopeName,
    summary: z.string(),
    tags: z.array(z.string()),
    steps: z.array(z.string()),
    inputs: z.array(z.strictObject({ name: z.string(), type: z.string(), required: z.boolean() })),
    vault_mirror_path: z.string().nullable(),
    updated: z.string(),
    truncated: z.boolean(),
  })
  .meta({ id: 'Flow' })

export const FlowStepWire = z
  .strictObject({
    schema: z.literal(FLOW_STEP_SCHEMA),
    step_id: z.string(),
    flow_id: FlowId,
    ordinal: z.int(),
    owned_job: z.string(),
    instruction: z.string(),
    trigger: z.string(),
    when_not_to_run: z.string(),
    requires: z.array(z.strictObject({ kind: z.enum(REQUIRES_KINDS), id: z.string() })),
    boundaries: z.array(z.string()),
    skill_refs: z.array(z.strictObject({ kind: z.enum(SKILL_REF_KINDS), id: z.string() })),
    inputs: z.array(z.strictObject({ name: z.string(), from: z.string() })),
    outputs: z.array(z.strictObject({ name: z.string(), type: z.string() })),
    output_shape: z.string(),
    verification: z.strictObject({
      kind: z.enum(VERIFICATION_KINDS),
      evidence_required: z.boolean(),
      description: z.string(),
    }),
    automatable: z.enum(AUTOMATABLE),
  })
  .meta({ id: 'FlowStep' })
