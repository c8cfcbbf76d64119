import { z } from 'zod'
import type { Home } from '../basics/home.ts'
import { watchFile } from './watched-file.ts'

const AddressOrRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
const PerMinute = z.int().positive().max(1_000_000)

/** `<home>/config.yaml`: how this hub runs. Read once, at start. */
const HubConfig = z.strictObject({
  hosted_hostnames: z.array(z.string().regex(/^[a-z0-9.-]{1,253}$/)).default(['api.knowtation.store']),
  allowed_origins: z.array(z.url()).default([]),
  rate_limits: z
    .strictObject({
      failed_authentications_per_minute: PerMinute.default(30),
      calls_per_minute: PerMinute.optional(),
    })
    .prefault({}),
  audit: z
    .strictObject({
      max_age_days: z.int().positive().max(36_500).default(90),
      max_records: z.int().positive().default(1_000_000),
    })
    .prefault({}),
  control: z
    .strictObject({
      delete_connection: z.boolean().default(true),
      /** Sources are looked for on the open internet; here the owner names others: all, or some addresses. */
      allow_private_sources: z.union([z.boolean(), z.array(AddressOrRange).max(64)]).default(false),
    })
    .prefault({}),
})
export type HubConfig = z.infer<typeof HubConfig>

/** Reads the configuration; a damaged file stops the start and is named. */
export function readHubConfig(home: Home): HubConfig {
  const state = watchFile(home.config, HubConfig, HubConfig.parse({}))()
  if (state.damaged) throw new Error(`The configuration is damaged. ${state.damaged}`)
  return state.value
}
