import { isIP, isIPv4 } from 'node:net'
import { z } from 'zod'
import { chosenSchema } from './chosen-schema.ts'
import { splitWords } from './programs/command-words.ts'

const DEFAULT_TIMEOUT_SECONDS = 20
const MAX_TIMEOUT_SECONDS = 600
const DEFAULT_OUTPUT_BYTES = 262_144
/** No provider may answer with more than this, whatever its policy says. */
export const MAX_OUTPUT_BYTES = 8_388_608

const MAX_WORDS = 64
const MAX_TEXT = 4096
const MAX_PROVIDERS = 200

// Each schema is made when a policy is first read: a command in a home without one makes none.
const line = () =>
  z
    .string()
    .min(1)
    .max(MAX_TEXT)
    .regex(/^[^\0\r\n]*$/, 'one line of text')
/** A text, or where one is read: `env:NAME`, `file:/path` or `exec:command`, with a scheme before it for headers. */
const value = () => line().refine(hasReadableCommand, 'a command whose quotes are closed')
const variable = () =>
  z
    .string()
    .max(128)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable name')

/** Stands in addresses and on the command line. */
const ProviderName = z.lazy(() =>
  z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a name of small letters, digits, _ and -'),
)

const bounds = () => ({
  timeout_seconds: z.number().min(1).max(MAX_TIMEOUT_SECONDS).default(DEFAULT_TIMEOUT_SECONDS),
  max_output_bytes: z.int().min(1).max(MAX_OUTPUT_BYTES).default(DEFAULT_OUTPUT_BYTES),
})

/** Written by the connection itself: a policy that sets one could split or redirect a request. */
const RESERVED_HEADERS = new Set(
  [
    'accept-encoding connection content-length expect host keep-alive mcp-protocol-version mcp-session-id',
    'proxy-connection te trailer transfer-encoding upgrade',
  ].flatMap((names) => names.split(' ')),
)

const headerName = () =>
  z
    .string()
    .max(128)
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'a header name')
    .refine((name) => !RESERVED_HEADERS.has(name.toLowerCase()), 'a header the hub sets itself')

/** Instead of a credential in the policy: a connection that the owner has authorised, which has tokens. */
const connectionCredentials = () =>
  z.strictObject({
    connection: z.string().regex(/^conn_[0-9a-f]{1,64}$/, 'the id of a connection'),
  })

const web = () => ({
  credentials: connectionCredentials().optional(),
  url: z.string().max(MAX_TEXT).refine(isPlainWebUrl, 'an http or https url without user, password and #'),
  headers: z.record(headerName(), value()).refine(hasDistinctNames, 'a header is named twice').default({}),
  allow_addresses: z
    .array(z.string().refine(isAddressOrRange, 'an address or CIDR range'))
    .max(64)
    .default([]),
})

const commandServer = () =>
  z.strictObject({
    kind: z.literal('mcp'),
    command: z.array(line()).min(1).max(MAX_WORDS),
    /** Names passed on from the hub's own environment, of which one may be unset; or names with their values. */
    env: chosenSchema(
      (raw): z.ZodType<readonly string[] | Record<string, string>> =>
        raw === undefined || Array.isArray(raw)
          ? z.array(variable()).max(MAX_WORDS)
          : z
              .record(variable(), value())
              .refine((named) => Object.keys(named).length <= MAX_WORDS, 'too many variables'),
    ).prefault([]),
    env_files: z.record(variable(), line()).default({}),
    cwd: line().optional(),
    ...bounds(),
  })
const ONE_CREDENTIAL = 'has a credential already: an authorization header and credentials are two'
const urlServer = () =>
  z
    .strictObject({ kind: z.literal('mcp'), ...web(), ...bounds() })
    .refine(hasOneCredential, { path: ['credentials'], message: ONE_CREDENTIAL })
const CommandServer = z.lazy(commandServer)
const UrlServer = z.lazy(urlServer)
const CommandProvider = z.lazy(() => commandServer().extend({ tool: line() }))
const UrlProvider = z.lazy(() => urlServer().safeExtend({ tool: line() }))
const HttpProvider = z.lazy(() =>
  z
    .strictObject({
      kind: z.literal('http'),
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
      ...web(),
      ...bounds(),
    })
    .refine(hasOneCredential, { path: ['credentials'], message: ONE_CREDENTIAL }),
)
const ToolboxProvider = z.lazy(() =>
  z.strictObject({
    kind: z.literal('toolbox'),
    tool: line(),
    project: line(),
    service: line(),
    role: line(),
  }),
)

export type CommandProvider = z.output<typeof CommandProvider>
export type UrlProvider = z.output<typeof UrlProvider>
export type HttpProvider = z.output<typeof HttpProvider>
export type ToolboxProvider = z.output<typeof ToolboxProvider>
export type ToolProvider = CommandProvider | UrlProvider | HttpProvider | ToolboxProvider

/** `provider:` of an allowed tool: what the hub really calls. `kind: mcp` has two forms. */
export const ToolProvider = chosenSchema((raw): z.ZodType<ToolProvider> => {
  const { kind, url } = Object(raw) as { kind?: unknown; url?: unknown }
  if (kind === 'http') return HttpProvider
  if (kind === 'toolbox') return ToolboxProvider
  return url === undefined ? CommandProvider : UrlProvider
})

/** A server or service that has a name of its own in the policy, so that several tools share it. */
const NamedProvider = chosenSchema((raw): z.ZodType<NamedProvider> => {
  const { kind, url } = Object(raw) as { kind?: unknown; url?: unknown }
  if (kind === 'http') return HttpProvider
  return url === undefined ? CommandServer : UrlServer
})
export type NamedProvider =
  | z.output<typeof CommandServer>
  | z.output<typeof UrlServer>
  | z.output<typeof HttpProvider>

/** `providers:` of a vault's policy, by name. */
export const NamedProviders = z.lazy(() =>
  z
    .record(ProviderName, NamedProvider)
    .refine((providers) => Object.keys(providers).length <= MAX_PROVIDERS, 'too many providers'),
)
export type NamedProviders = z.output<typeof NamedProviders>

/** `provider:` of a tool whose provider has a name; an MCP server has many tools, so there one is named too. */
const ProviderReference = z.lazy(() => z.strictObject({ name: ProviderName, tool: line().optional() }))
type ProviderReference = z.output<typeof ProviderReference>

/** `provider:` of a tool as the owner writes it. */
export const WrittenProvider = chosenSchema((raw): z.ZodType<ToolProvider | ProviderReference> => {
  const { kind, name } = Object(raw) as { kind?: unknown; name?: unknown }
  return kind === undefined && name !== undefined ? ProviderReference : ToolProvider
})

/** What a tool calls that refers to a provider by its name; a word on what is wrong where that cannot be. */
export function bindProvider(
  providers: NamedProviders,
  { name, tool }: ProviderReference,
): ToolProvider | string {
  const found = Object.hasOwn(providers, name) ? providers[name] : undefined
  if (!found) return `there is no ${name} under providers`
  if (found.kind === 'http') return tool === undefined ? found : `${name} is an HTTP service and has no tools`
  return tool === undefined ? `${name} is an MCP server: say which of its tools` : { ...found, tool }
}

/** Where a value is read instead of being written down. */
export const REFERENCE = /^(?:(Bearer|Basic|Token) )?(env|file|exec):(.+)$/i

function hasReadableCommand(text: string): boolean {
  const [, , kind, command = ''] = REFERENCE.exec(text) ?? []
  return kind?.toLowerCase() !== 'exec' || (splitWords(command)?.[0] ?? '') !== ''
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

function hasOneCredential({
  headers,
  credentials,
}: {
  headers: Record<string, string>
  credentials?: unknown
}): boolean {
  return credentials === undefined || !Object.keys(headers).some((name) => /^authorization$/i.test(name))
}

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return false
  if (prefix === undefined) return true
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (isIPv4(address) ? 32 : 128)
}
