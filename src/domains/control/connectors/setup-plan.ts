import { z } from 'zod'
import { type ConnectorManifest, SETUP_MODALITIES, SUPPORT_STATES } from './manifest-schema.ts'

/** The kinds of step that the owner can be led to. */
export const STEP_KINDS = [
  'enroll_local_collector',
  'complete_browser_assistance',
  'capture_static_secret',
  'open_url',
  'provide_import_file',
  'needs_deployment_config',
  'manual_runbook',
  'unsupported',
] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** Something that the deployment lacks before a connector can be used. Only its name is told. */
const Blocker = z.strictObject({ key: z.string(), label: z.string(), secret: z.boolean() })

export const ReadinessShape = z.strictObject({
  state: z.enum(['not_applicable', 'ready', 'needs_config']),
  blockers: z.array(Blocker),
  guidance: z.string().nullable(),
})

/** How a connection of a connector comes to be. */
export const SetupPlanShape = z.strictObject({
  catalog_disposition: z.enum(['offered', 'listed_only']),
  deployment_readiness: ReadinessShape,
  enrollment_key: z.string().nullable(),
  next_step_kind: z.enum(STEP_KINDS),
  owner_actionable: z.boolean(),
  proof_gate: z.string().nullable(),
  runbook_path: z.string().nullable(),
  setup_modality: z.enum(SETUP_MODALITIES),
  support_state: z.enum(SUPPORT_STATES),
  validation: z.strictObject({ status: z.enum(['valid']) }),
})

/** The step that the owner is led to first, by how a connector is set up. */
const FIRST_STEPS: Readonly<Record<ConnectorManifest['setup_modality'], StepKind>> = {
  local_collector: 'enroll_local_collector',
  browser_bound: 'complete_browser_assistance',
  static_secret: 'capture_static_secret',
  provider_authorization: 'open_url',
  manual_or_upload: 'provide_import_file',
  unsupported: 'unsupported',
  unknown: 'manual_runbook',
}

/** The kind of a connector's first step here: what the deployment lacks comes before all else. */
export function firstStepOf(manifest: ConnectorManifest, env: NodeJS.ProcessEnv): StepKind {
  const { setup_modality, support_state, settings } = manifest
  if (support_state === 'unsupported' || support_state === 'proof_gated') return 'unsupported'
  const needs_config = readinessOf(manifest, env).state === 'needs_config'
  if (needs_config || support_state === 'needs_deployment_config') return 'needs_deployment_config'
  // Without a file to give, the owner has only a page to fill in.
  const hasFile = settings.some(({ kind }) => kind === 'file')
  return setup_modality === 'manual_or_upload' && !hasFile ? 'open_url' : FIRST_STEPS[setup_modality]
}

/** Whether the deployment has what a connector needs of it. */
export function readinessOf(
  { oauth }: ConnectorManifest,
  env: NodeJS.ProcessEnv,
): z.infer<typeof ReadinessShape> {
  const key = oauth?.client_secret_env
  if (key === undefined) return { state: oauth ? 'ready' : 'not_applicable', blockers: [], guidance: null }
  if (env[key]) return { state: 'ready', blockers: [], guidance: null }
  const blockers = [{ key, label: "The client's secret at the provider", secret: true }]
  return { state: 'needs_config', blockers, guidance: `Set ${key} in the environment of the hub.` }
}

/** How a connection of a connector comes to be, for the list of templates. */
export function setupPlanOf(
  manifest: ConnectorManifest,
  env: NodeJS.ProcessEnv,
): z.infer<typeof SetupPlanShape> {
  const { setup_modality, support_state, runbook_path = null } = manifest
  const isOffered = support_state !== 'unsupported'
  return {
    catalog_disposition: isOffered ? 'offered' : 'listed_only',
    deployment_readiness: readinessOf(manifest, env),
    enrollment_key: setup_modality === 'local_collector' ? manifest.connector_id : null,
    next_step_kind: firstStepOf(manifest, env),
    owner_actionable: isOffered,
    proof_gate: support_state === 'proof_gated' ? manifest.reason : null,
    runbook_path,
    setup_modality,
    support_state,
    validation: { status: 'valid' },
  }
}
