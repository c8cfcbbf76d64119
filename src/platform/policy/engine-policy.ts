import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { ToolProvider } from '../upstream/provider-policy.ts'

const ENGINE_LIMIT = 100
const NAME_LIMIT = 1_000
const WORD_LIMIT = 64
const PATH_LIMIT = 64
const TEXT_LIMIT = 4_096
const MAX_TIMEOUT_SECONDS = 3_600
const MAX_OUTPUT_BYTES = 8_388_608

const line = () =>
  z
    .string()
    .min(1)
    .max(TEXT_LIMIT)
    .regex(/^[^\0\r\n]*$/, 'one line of text')

const bounds = () => ({
  timeout_seconds: z.number().min(1).max(MAX_TIMEOUT_SECONDS).default(60),
  max_output_bytes: z.int().min(1).max(MAX_OUTPUT_BYTES).default(1_048_576),
})

/** Whose executions an engine serves. A list that is left out means anyone's in this vault. */
const clients = () => ({
  tenants: z.array(line()).max(NAME_LIMIT).optional(),
  robots: z.array(line()).max(NAME_LIMIT).optional(),
})

const commandEngine = () =>
  z.strictObject({
    kind: z.literal('command'),
    /** The program and its arguments. Arguments that name a file by its whole path make it readable. */
    command: z.array(line()).min(1).max(WORD_LIMIT),
    /** More files and folders that the engine may read. */
    read: z.array(line().refine(isAbsolute, 'an absolute path')).max(PATH_LIMIT).default([]),
    /** What each process may have, and all together may use. Node asks for about 600 before it begins. */
    memory_mb: z.int().min(16).max(65_536).default(1_024),
    ...clients(),
    ...bounds(),
  })

const httpEngine = () =>
  z
    .strictObject({
      kind: z.literal('http'),
      url: line(),
      /** Signs each request; `env:NAME` or `file:/path`, so that no secret stands in the policy. */
      secret: z
        .string()
        .regex(/^(env:[A-Za-z_][A-Za-z0-9_]{0,127}|file:\/[^\0\r\n]{1,4095})$/, 'env:NAME or file:/path'),
      allow_addresses: z.array(z.string()).max(64).default([]),
      ...clients(),
      ...bounds(),
    })
    .superRefine(({ url, allow_addresses }, context) => {
      const web = ToolProvider.safeParse({ kind: 'http', method: 'POST', url, allow_addresses })
      for (const { path, message } of web.error?.issues ?? [])
        context.addIssue({ code: 'custom', path, message })
      if (web.success && !isPrivateWay(url)) {
        context.addIssue({ code: 'custom', path: ['url'], message: 'https, or http to this machine' })
      }
    })

/** A snapshot must not cross a network in clear text. */
function isPrivateWay(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

const engine = () => z.discriminatedUnion('kind', [commandEngine(), httpEngine()])

/** What an execution can be given to. */
export type EnginePolicy = z.output<ReturnType<typeof engine>>
export type CommandEngine = z.output<ReturnType<typeof commandEngine>>
export type HttpEngine = z.output<ReturnType<typeof httpEngine>>

/** `engines:` of a vault's policy, by name. */
export const Engines = z.lazy(() =>
  z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'a plain name'), engine())
    .refine((engines) => Object.keys(engines).length <= ENGINE_LIMIT, 'too many engines'),
)

/** `boundary:` of a vault's policy: how careful the host is with its own snapshots. */
export const BoundaryPolicy = z.lazy(() =>
  z.strictObject({
    /** What happens on a snapshot that is only partly coherent. */
    partial: z.enum(['run', 'draft_only', 'block']).optional(),
    /** How old a snapshot may be when the hub composes an input from it. */
    stale_after_seconds: z.int().positive().max(31_536_000).optional(),
  }),
)
