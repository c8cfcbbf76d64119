import { z } from 'zod'
import { readOwnerPattern } from '../../../platform/redaction/owner-patterns.ts'
import { RULES } from '../../../platform/redaction/rules.ts'
import { findRemoteAddress, isRemoteName } from '../git/repository/remote-address.ts'
import { ISOLATION_LEVELS } from '../tool-context.ts'
import { BINARY_NAME, isBlockable, isPathInside, isPlainText, UNIT_NAME } from './config-names.ts'
import { ConnectionsConfig, EmbedderConfig, StoreConfig } from './knowledge-config.ts'

/** The newest form of the file that this program knows; one without a version is of the first. */
export const NEWEST_VERSION = 2

const LIST_LIMIT = 200
/** As many folders as the guard keeps open, with room for the built-in ones. */
const FOLDER_LIMIT = 90
const TEXT_LIMIT = 1_000
const ARGUMENT_LIMIT = 64
const TIMEOUT_LIMIT_SECONDS = 3_600
const DEFAULT_TIMEOUT_SECONDS = 300
const CALLS_LIMIT = 1_000_000
const MEGABYTES_LIMIT = 1_048_576
const DEFAULT_DISK_MB = 8_192
const DEFAULT_DISK_RESERVE_MB = 1_024

const Line = z.string().min(1).max(TEXT_LIMIT).refine(isPlainText, 'must be one line of plain text')
const InsideProject = Line.refine(
  isPathInside,
  'must be a folder inside the project, without `..` or a leading /',
)
const BlockedName = Line.refine(
  isBlockable,
  'must be one whole name such as `secrets/` or `*.pem`, not a path',
)
const Binary = z.string().regex(BINARY_NAME, 'must be the bare name of a program')
const RedactPattern = Line.refine(isUsablePattern, 'is too short to be a pattern')
const list = <Item extends z.ZodType>(item: Item, limit = LIST_LIMIT) => z.array(item).max(limit).default([])
const few = (record: object) => Object.keys(record).length <= LIST_LIMIT

const Command = z.strictObject({
  command: z
    .array(z.string().max(TEXT_LIMIT).refine(isPlainText, 'must be one line of plain text'))
    .min(1)
    .max(ARGUMENT_LIMIT)
    .refine(([program = '']) => BINARY_NAME.test(program), 'must begin with the bare name of a program'),
  timeout_seconds: z.int().min(1).max(TIMEOUT_LIMIT_SECONDS).default(DEFAULT_TIMEOUT_SECONDS),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/), z.string().max(TEXT_LIMIT).refine(isPlainText))
    .refine(few, `has more than ${LIST_LIMIT} entries`)
    .default({}),
})

const ServiceKey = z
  .string()
  .refine((key) => key === '*' || key === '.' || isPathInside(key), 'must be a service folder, `.` or `*`')

/** `<project>/.flow/config.json`. A key that is not known is refused: it may be a rule that was misspelt. */
export const ProjectConfig = z.strictObject({
  version: z.int().min(1).max(NEWEST_VERSION).default(1),
  scope: z
    .strictObject({
      service_isolation: z.enum(ISOLATION_LEVELS).default('STRICT'),
      shared_paths: list(InsideProject, FOLDER_LIMIT),
      block_patterns: list(BlockedName),
    })
    .prefault({}),
  tools: z
    .strictObject({
      // Read and without effect: what it would bring back is gone for good.
      allow_legacy_run_command: z.boolean().default(false),
      whitelisted_binaries: list(Binary),
    })
    .prefault({}),
  secrets: z
    .strictObject({
      redact_patterns: list(RedactPattern),
      exceptions: z
        .record(
          z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
          list(z.string().refine(isRule, 'is no redaction rule')),
        )
        .refine(few, `has more than ${LIST_LIMIT} entries`)
        .default({}),
    })
    .prefault({}),
  toolchains: z
    .record(ServiceKey, z.strictObject({ test: Command.optional(), lint: Command.optional() }))
    .refine(few, `has more than ${LIST_LIMIT} entries`)
    .refine(isUnambiguous, 'names a service twice')
    .default({}),
  limits: z
    .strictObject({
      disk_mb: z.int().min(1).max(MEGABYTES_LIMIT).default(DEFAULT_DISK_MB),
      disk_reserve_mb: z.int().min(0).max(MEGABYTES_LIMIT).default(DEFAULT_DISK_RESERVE_MB),
    })
    .prefault({}),
  rate_limits: z.strictObject({ calls_per_minute: z.int().min(1).max(CALLS_LIMIT).optional() }).prefault({}),
  sudo: z.strictObject({ binaries: list(Binary) }).prefault({}),
  system: z
    .strictObject({ services: list(z.string().regex(UNIT_NAME, 'must be the name of a unit')) })
    .prefault({}),
  git: z
    .strictObject({
      remotes: z
        .record(
          z.string().refine(isRemoteName, 'must be the name of a remote'),
          z.string().refine(isRemoteAddress, 'must be an https, ssh or folder address without a password'),
        )
        .refine(few, `has more than ${LIST_LIMIT} entries`)
        .default({}),
      allow_unsandboxed: z.boolean().default(false),
    })
    .prefault({}),
  guard: z.strictObject({ hard_link_stores: list(InsideProject, FOLDER_LIMIT) }).prefault({}),
  knowledge: z
    .strictObject({
      paths: list(InsideProject, FOLDER_LIMIT),
      embedder: EmbedderConfig,
      store: StoreConfig,
      connections: ConnectionsConfig,
    })
    .prefault({}),
})
export type ProjectConfig = z.infer<typeof ProjectConfig>

function isUsablePattern(pattern: string): boolean {
  try {
    readOwnerPattern(pattern)
    return true
  } catch {
    return false
  }
}

function isUnambiguous(toolchains: Record<string, unknown>): boolean {
  const services = Object.keys(toolchains).map((key) => key.replace(/\/$/, ''))
  return new Set(services).size === services.length
}

function isRule(id: string): boolean {
  return RULES.has(id)
}

function isRemoteAddress(address: string): boolean {
  return findRemoteAddress(address) !== undefined
}
