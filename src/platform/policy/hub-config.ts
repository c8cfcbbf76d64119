import { isAbsolute } from 'node:path'
import { z } from 'zod'
import type { Home } from '../basics/home.ts'
import { watchFile } from './watched-file.ts'

const AddressOrRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
const PerMinute = z.int().positive().max(1_000_000)

const Path = z
  .string()
  .max(4_096)
  .refine((path) => isAbsolute(path), 'must be an absolute path')
const Address = z.url({ protocol: /^https?$/ }).max(2_048)
/** Where signed ends of the audit log are sent, so that even an older copy of the whole home is noticed. */
const SendEnds = z
  .strictObject({
    /** A file to append to, best on another machine's disk. It is compared with the log, too. */
    file: Path.optional(),
    webhook: Address.optional(),
    /** An authority that stamps each end (RFC 3161), and a file with the certificate that it is known by. */
    time_stamps: z.strictObject({ url: Address, ca_file: Path }).optional(),
    every_minutes: z.int().positive().max(1_440).default(60),
  })
  .refine(({ file, webhook }) => file !== undefined || webhook !== undefined, 'needs a file or a webhook')

const SinkName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/)
const SinkFormat = z.enum(['own', 'ocsf', 'ecs']).default('own')
/** Where copies of the records of the audit log go, as they are written. */
const Sink = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    name: SinkName,
    format: SinkFormat,
    path: Path,
    /** A file as large as this is laid aside, and so many of those are kept. */
    max_megabytes: z.int().positive().max(100_000).default(100),
    keep: z.int().positive().max(1_000).default(10),
  }),
  z.strictObject({
    kind: z.literal('syslog'),
    name: SinkName,
    format: SinkFormat,
    host: z.string().min(1).max(253),
    port: z.int().positive().max(65_535).default(6_514),
    ca_file: Path.optional(),
    server_name: z.string().min(1).max(253).optional(),
  }),
  z.strictObject({
    kind: z.literal('otlp'),
    name: SinkName,
    format: SinkFormat,
    url: Address,
    authorization_file: Path.optional(),
  }),
])
export type AuditSink = z.infer<typeof Sink>

/** A host name that means no machine by itself: no address, no name of this machine, no dot at its end. */
const PUBLIC_NAME =
  /^(?!.*(?:^|\.)(?:localhost|\d+)$)(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/
const PublicUrl = z
  .string()
  .max(300)
  .transform((text) => text.replace(/\/$/, ''))
  // Written as a browser names an origin: a Host header is compared with it letter by letter.
  .refine((text) => {
    const url = URL.parse(text)
    return url?.protocol === 'https:' && url.origin === text && PUBLIC_NAME.test(url.hostname)
  }, 'must be https:// and a host name in small letters (xn--… where it has others), with a port only if that is not 443')
/** The hub's own TLS: files that it follows, so that a renewed certificate counts without a restart. */
const Tls = z.strictObject({
  cert: Path,
  key: Path,
  /** Where it listens: at every address, and the port of `public_url`, unless told otherwise. */
  host: z.union([z.ipv4(), z.ipv6()]).default('::'),
  port: z.int().min(0).max(65_535).optional(),
})

const Settings = z.strictObject({
  hosted_hostnames: z.array(z.string().regex(/^[a-z0-9.-]{1,253}$/)).default(['api.knowtation.store']),
  /** The hub's own name on the network, for the owner, agents of the owner's and sign-in over MCP. */
  public_url: PublicUrl.optional(),
  tls: Tls.optional(),
  /** Whose word on where a request comes from, and that it came over TLS, is taken. */
  trusted_proxies: z.array(AddressOrRange).max(64).default([]),
  allowed_origins: z.array(z.url()).default([]),
  rate_limits: z
    .strictObject({
      failed_authentications_per_minute: PerMinute.default(30),
      calls_per_minute: PerMinute.optional(),
    })
    .prefault({}),
  /** Whether what is there is kept before a newer program brings the database forward. */
  backup_before_upgrade: z.boolean().default(true),
  audit: z
    .strictObject({
      max_age_days: z.int().positive().max(36_500).default(90),
      max_records: z.int().positive().default(1_000_000),
      max_megabytes: z.int().positive().default(1_000),
      send_ends: SendEnds.optional(),
      sinks: z
        .array(Sink)
        .max(8)
        .refine((sinks) => new Set(sinks.map(({ name }) => name)).size === sinks.length, 'two have one name')
        .default([]),
    })
    .prefault({}),
  mcp: z
    .strictObject({
      /** Where programs may describe themselves by a document at their vendor's, which the hub then fetches. */
      client_metadata_hosts: z
        .array(z.string().regex(/^[a-z0-9.-]{1,253}$/))
        .max(32)
        .default([]),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      /** A file with the token by which the numbers are told under the public name, too. */
      token_file: Path.optional(),
    })
    .prefault({}),
  approvals: z
    .strictObject({
      /** How long a call is held for the owner before it is told to come back. */
      hold_seconds: z.int().min(0).max(240).optional(),
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

/** `<home>/config.yaml`: how this hub runs. Read once, at start. */
const HubConfig = Settings.superRefine((config, context) => {
  const { public_url, tls, trusted_proxies, hosted_hostnames } = config
  const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (tls && !public_url) fault('tls', 'needs public_url')
  if (!public_url) return
  if (!tls && trusted_proxies.length === 0)
    fault('public_url', 'needs tls, or in trusted_proxies the address of the proxy that speaks TLS')
  if (hosted_hostnames.includes(URL.parse(public_url)?.hostname ?? ''))
    fault('public_url', 'is among hosted_hostnames: a name has one meaning')
})
export type HubConfig = z.infer<typeof HubConfig>

/** Whether an address of the hub's own is its public one. */
export function isPublicOrigin(
  { public_url }: Pick<HubConfig, 'public_url'>,
  origin: string | null | undefined,
): boolean {
  return public_url !== undefined && origin === public_url
}

/** Reads the configuration; a damaged file stops the start and is named. */
export function readHubConfig(home: Home): HubConfig {
  const state = watchFile(home.config, HubConfig, HubConfig.parse({}))()
  if (state.damaged) throw new Error(`The configuration is damaged. ${state.damaged}`)
  return state.value
}
