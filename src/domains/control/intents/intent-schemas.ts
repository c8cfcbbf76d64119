import { z } from 'zod'
import { CONNECTOR_MODALITIES, SETUP_MODALITIES, SUPPORT_STATES } from '../connectors/manifest-schema.ts'
import { ReadinessShape, SetupPlanShape, STEP_KINDS } from '../connectors/setup-plan.ts'

const ROOTS_LIMIT = 20
const FIELDS_LIMIT = 50
/** The largest upload that may stand in for a source, as text. */
export const FILE_LIMIT_CHARS = 5 * 1_048_576
/** Any name that somebody may know a connector by: more than ours have. */
const NAMED = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
const INTENT_ID = /^cint_[0-9a-f]{16}$/

export const IntentId = z.string().regex(INTENT_ID).describe('The id of the intent')
export const ConnectorId = z
  .string()
  .regex(NAMED)
  .describe('The connector, as the templates name it; one that the hub does not have is unsupported')

/** A name that the owner will see: one line. */
export const DisplayName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u)

/** Which part of a source is meant, as far as whoever begins can say. */
export const CollectionScope = z.strictObject({
  since: z.iso.datetime().optional(),
  source_roots: z.array(z.string().min(1).max(1_000)).max(ROOTS_LIMIT).optional(),
})
export type CollectionScope = z.infer<typeof CollectionScope>

/** What the owner fills in, by the names that the connector gives its settings. */
export const Values = z
  .record(z.string().max(64), z.string().max(FILE_LIMIT_CHARS))
  .refine((values) => Object.keys(values).length <= FIELDS_LIMIT, 'has too many entries')

const NextStep = z.strictObject({
  kind: z.enum([...STEP_KINDS, 'none']),
  reason: z.string(),
  url: z.url().optional(),
  dashboard_url: z.url().optional(),
  runbook_path: z.string().optional(),
  enrollment_code: z.string().optional(),
  enroll_endpoint: z.url().optional(),
  expires_at: z.string().optional(),
  local_binding_name: z.string().optional(),
  collection_scope: CollectionScope.nullable().optional(),
})
export type NextStep = z.infer<typeof NextStep>

const Setting = z.strictObject({
  name: z.string(),
  label: z.string(),
  kind: z.enum(['text', 'url', 'folder', 'secret', 'file']),
  required: z.boolean(),
  hint: z.string().nullable(),
  default: z.string().nullable(),
})

/** An intent as every surface shows it. */
export const IntentShape = z.strictObject({
  object: z.literal('owner_connection_intent'),
  intent_id: z.string(),
  connector_id: z.string(),
  connector_key: z.string(),
  connector_name: z.string(),
  display_name: z.string().nullable(),
  state: z.enum(['open', 'completed', 'cancelled', 'unsupported', 'expired']),
  connection_active: z.boolean(),
  connection_id: z.string().nullable(),
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string(),
  ended_at: z.string().nullable(),
  fault: z.string().nullable(),
  connector_modality: z.enum(CONNECTOR_MODALITIES),
  setup_modality: z.enum(SETUP_MODALITIES),
  support_state: z.enum(SUPPORT_STATES),
  proof_gate: z.string().nullable(),
  deployment_readiness: ReadinessShape,
  runbook_path: z.string().nullable(),
  validation: SetupPlanShape.shape.validation,
  settings: z.array(Setting),
  next_step: NextStep,
})
export type ShownIntent = z.infer<typeof IntentShape>
