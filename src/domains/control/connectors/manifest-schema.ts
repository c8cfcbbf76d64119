import { z } from 'zod'
import {
  CONNECTOR_MODALITIES,
  type ConnectorManifest,
  SETUP_MODALITIES,
  SUPPORT_STATES,
} from './connector.ts'

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

const Setting = z.strictObject({
  name: z.string().regex(NAME),
  label: Line(120),
  kind: z.enum(['text', 'url', 'folder', 'secret', 'file']),
  required: z.boolean(),
  hint: Line(500).optional(),
  default: Line(2_000).optional(),
})

const OAuth = z.strictObject({
  issuer: Line(2_000),
  client_id: Line(500),
  client_secret_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,99}$/)
    .optional(),
  scope: z.string().max(1_000),
})

const Manifest = z
  .strictObject({
    connector_id: z.string().regex(CONNECTOR_ID),
    display_name: Line(120),
    version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/),
    icon: Line(200).optional(),
    connector_modality: z.enum(CONNECTOR_MODALITIES),
    setup_modality: z.enum(SETUP_MODALITIES),
    support_state: z.enum(SUPPORT_STATES),
    reason: Line(500),
    runbook_path: Line(500).optional(),
    streams: z.array(z.string().regex(NAME)).max(100),
    settings: z.array(Setting).max(50),
    oauth: OAuth.optional(),
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

/** What a manifest must be. Its `connector_id` is also the name of its folder. */
export const ManifestSchema = Manifest as unknown as z.ZodType<ConnectorManifest>
