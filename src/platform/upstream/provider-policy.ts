import { isIP, isIPv4 } from 'node:net'
import { z } from 'zod'

const DEFAULT_TIMEOUT_SECONDS = 20
const MAX_TIMEOUT_SECONDS = 600
const DEFAULT_OUTPUT_BYTES = 262_144
/** No provider may answer with more than this, whatever its policy says. */
export const MAX_OUTPUT_BYTES = 8_388_608

const MAX_WORDS = 64
const MAX_TEXT = 4096

const line = z
  .string()
  .min(1)
  .max(MAX_TEXT)
  .regex(/^[^\0\r\n]*$/, 'one line of text')
const variable = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable name')

const bounds = {
  timeout_seconds: z.number().min(1).max(MAX_TIMEOUT_SECONDS).default(DEFAULT_TIMEOUT_SECONDS),
  max_output_bytes: z.int().min(1).max(MAX_OUTPUT_BYTES).default(DEFAULT_OUTPUT_BYTES),
}

/** Written by the connection itself: a policy that sets one could split or redirect a request. */
const RESERVED_HEADERS = new Set(
  [
    'accept-encoding connection content-length expect host keep-alive mcp-protocol-version mcp-session-id',
    'proxy-connection te trailer transfer-encoding upgrade',
  ].flatMap((names) => names.split(' ')),
)

const headerName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'a header name')
  .refine((name) => !RESERVED_HEADERS.has(name.toLowerCase()), 'a header the hub sets itself')

const web = {
  url: z.string().max(MAX_TEXT).refine(isPlainWebUrl, 'an http or https url without user, password and #'),
  headers: z.record(headerName, line).refine(hasDistinctNames, 'a header is named twice').default({}),
  allow_addresses: z
    .array(z.string().refine(isAddressOrRange, 'an address or CIDR range'))
    .max(64)
    .default([]),
}

const CommandProvider = z.strictObject({
  kind: z.literal('mcp'),
  command: z.array(line).min(1).max(MAX_WORDS),
  tool: line,
  /** Names passed on from the hub's own environment. One that is not set there is not set for the child. */
  env: z.array(variable).max(MAX_WORDS).default([]),
  env_files: z.record(variable, line).default({}),
  cwd: line.optional(),
  ...bounds,
})
const UrlProvider = z.strictObject({ kind: z.literal('mcp'), tool: line, ...web, ...bounds })
const HttpProvider = z.strictObject({
  kind: z.literal('http'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  ...web,
  ...bounds,
})
const ToolboxProvider = z.strictObject({
  kind: z.literal('toolbox'),
  tool: line,
  project: line,
  service: line,
  role: line,
})

export type CommandProvider = z.output<typeof CommandProvider>
export type UrlProvider = z.output<typeof UrlProvider>
export type HttpProvider = z.output<typeof HttpProvider>
export type ToolboxProvider = z.output<typeof ToolboxProvider>
export type ToolProvider = CommandProvider | UrlProvider | HttpProvider | ToolboxProvider

/**
 * `provider:` of an allowed tool: what the hub really calls. `kind: mcp` has two forms, so the form is
 * chosen by hand first; a plain union could only say that nothing matched.
 */
export const ToolProvider = z.unknown().transform((raw, context): ToolProvider => {
  const parsed = formOf(raw).safeParse(raw)
  if (parsed.success) return parsed.data
  for (const { path, message } of parsed.error.issues) {
    context.issues.push({ code: 'custom', path, message, input: undefined })
  }
  return z.NEVER
})

function formOf(raw: unknown): z.ZodType<ToolProvider> {
  const { kind, url } = Object(raw) as { kind?: unknown; url?: unknown }
  if (kind === 'http') return HttpProvider
  if (kind === 'toolbox') return ToolboxProvider
  return url === undefined ? CommandProvider : UrlProvider
}

function isPlainWebUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return false
  return url.username === '' && url.password === '' && !text.includes('#') && !hasControl(text)
}

// The URL parser drops tabs and newlines silently: what the owner reads must be what is called.
function hasControl(text: string): boolean {
  return /[\0-\x20\x7f]/.test(text)
}

function hasDistinctNames(headers: Record<string, string>): boolean {
  const names = Object.keys(headers)
  return new Set(names.map((name) => name.toLowerCase())).size === names.length
}

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv4(address) ? 32 : 128)
}
