import { z } from 'zod'

export const CONNECTOR_MODALITIES = ['local_collector', 'browser_bound', 'api_network', 'unknown'] as const
export const SETUP_MODALITIES = [
  'local_collector',
  'browser_bound',
  'static_secret',
  'provider_authorization',
  'manual_or_upload',
  'unsupported',
  'unknown',
] as const
export const SUPPORT_STATES = [
  'supported',
  'experimental',
  'proof_gated',
  'unsupported',
  'needs_deployment_config',
] as const

/** A connector's name: also a folder's, so nothing that a file system could read otherwise. */
export const CONNECTOR_ID = /^[a-z][a-z0-9_]{0,39}$/
const NAME = /^[a-z][a-z0-9_]{0,63}$/
/** One line that may be shown anywhere. */
const Line = (limit: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(limit)
    .regex(/^\P{Cc}*$/u, 'must be one line')

/** What the owner is asked for when a connection is set up. */
const Setting = z.strictObject({
  name: z.string().regex(NAME),
  label: Line(120),
  kind: z.enum(['text', 'url', 'folder', 'secret', 'file']),
  required: z.boolean(),
  hint: Line(500).optional(),
  default: Line(2_000).optional(),
})

/** How an OAuth provider is asked. Endpoints may hold `{setting}` of a field, so that tests and self-hosted providers work. */
const OAuth = z.strictObject({
  /** Where the provider's metadata is (RFC 8414 or OpenID discovery). */
  issuer: Line(2_000),
  client_id: Line(500),
  /** The name of the environment variable with the client's secret, where it has one. */
  client_secret_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,99}$/)
    .optional(),
  scope: z.string().max(1_000),
  /** What the tokens are for. It says itself who gives them, where the issuer is left empty. */
  resource: Line(2_000).optional(),
})

/** What a manifest must be. Its `connector_id` is also the name of its folder. */
export const ManifestSchema = z
  .strictObject({
    connector_id: z.string().regex(CONNECTOR_ID),
    display_name: Line(120),
    version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/),
    icon: Line(200).optional(),
    connector_modality: z.enum(CONNECTOR_MODALITIES),
    setup_modality: z.enum(SETUP_MODALITIES),
    support_state: z.enum(SUPPORT_STATES),
    /** Why it is not supported, or what the owner must do in person. */
    reason: Line(500),
    runbook_path: Line(500).optional(),
    streams: z.array(z.string().regex(NAME)).max(100),
    settings: z.array(Setting).max(50),
    oauth: OAuth.optional(),
    /** The module beside the manifest; built-in ones are named by `builtin:<name>`. */
    collector: z
      .string()
      .regex(/^(builtin:[a-z][a-z0-9_]{0,39}|(\.\/)?[A-Za-z0-9_-]{1,100}\.(ts|js|mjs))$/)
      .optional(),
    default_interval_seconds: z.int().min(60).max(31_536_000).optional(),
  })
  .refine(({ settings }) => new Set(settings.map(({ name }) => name)).size === settings.length, {
    path: ['settings'],
    message: 'two settings have one name',
  })
  .refine(({ setup_modality, oauth }) => (setup_modality === 'provider_authorization') === !!oauth, {
    path: ['oauth'],
    message: 'it belongs to provider_authorization, and to nothing else',
  })
  .refine(({ support_state, collector }) => support_state === 'unsupported' || collector !== undefined, {
    path: ['collector'],
    message: 'a connector that can be used needs one',
  })

/** What a connector says of itself: the file `manifest.yaml` of its folder. */
export type ConnectorManifest = z.output<typeof ManifestSchema>
export type SettingField = z.output<typeof Setting>
