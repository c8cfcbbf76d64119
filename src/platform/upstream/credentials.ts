import { readFileSync, statSync } from 'node:fs'
import { cachePerObject } from '../basics/cache.ts'
import type { Log } from '../basics/plain-log.ts'
import type { ConnectionTokens } from './connection-tokens.ts'
import { credentialPrograms } from './programs/credential-programs.ts'
import { type CommandProvider, type HttpProvider, REFERENCE, type UrlProvider } from './provider-policy.ts'
import { UpstreamFailure } from './upstream-failure.ts'

const MAX_CREDENTIAL_BYTES = 16_384

/** Variables and headers that say how to talk, not who talks: their values may stand in an answer. */
const OPEN_VARIABLES =
  /^(?:PATH|HOME|LANG|LC_\w+|LANGUAGE|TZ|TMPDIR|USER|LOGNAME|SHELL|TERM|NODE_ENV|XDG_\w+)$/
const OPEN_HEADERS = /^(?:accept|accept-language|content-type|user-agent|cache-control|prefer)$/i
const SECRET_PARAMETER = /key|token|secret|sig|auth|pass|pwd|cred/i

/** What a provider is given beside the payload. `secrets` must never come back in an answer. */
export interface Credentials {
  readonly values: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

type CommandServer = Omit<CommandProvider, 'tool'>
type WebProvider = Omit<UrlProvider, 'tool'> | HttpProvider

/** Known at once, unless a program has to be asked first. */
type Soon<Value> = Value | Promise<Value>

export interface CredentialSource {
  ofCommand(provider: CommandServer): Soon<Credentials>
  ofWeb(provider: WebProvider): Soon<Credentials>
  /** The provider did not take these. Answers whether they are read anew with the next call. */
  forget(provider: WebProvider, given: Credentials): boolean
  close(): void
}

/** Finds the credentials that policies name. Files are looked at on every call, so a new one counts at once. */
export function credentialSource(
  env: NodeJS.ProcessEnv,
  log: Log,
  programs = credentialPrograms(env),
  tokens: ConnectionTokens = NO_TOKENS,
): CredentialSource {
  const readFile = credentialFiles()
  const warned = new Set<string>()
  const pass = (name: string): [string, string][] => {
    const value = env[name]
    if (value !== undefined) return [[name, value]]
    if (!warned.has(name)) log.warn({ variable: name }, 'a variable that a tool policy names is not set')
    warned.add(name)
    return []
  }
  const resolve = (value: string): Soon<string> => {
    const [, scheme, kind, name = ''] = REFERENCE.exec(value) ?? []
    if (kind === undefined) return value
    return then(read(kind.toLowerCase(), name), (found) => {
      if (!found || /[\0\r\n]/.test(found)) throw new UpstreamFailure('credential_missing', false)
      return scheme ? `${scheme} ${found}` : found
    })
  }
  const read = (kind: string, name: string): Soon<string | undefined> => {
    if (kind === 'exec') return programs.read(name)
    return kind === 'env' ? env[name] : readFile(name)
  }
  const findCommand = (provider: CommandServer): Soon<Credentials> => {
    const { env: named, env_files } = provider
    const listed = isList(named) ? named.flatMap(pass) : []
    const files = Object.entries(env_files).map(([name, path]): Named => [name, readFile(path)])
    return then(resolveAll(isList(named) ? {} : named, resolve), (given) => {
      const values = [...listed, ...given, ...files]
      const secrets = values.filter(([name]) => !OPEN_VARIABLES.test(name)).map(([, value]) => value)
      return { values: Object.fromEntries(values), secrets }
    })
  }
  // What the hub was started with stays as it is.
  const ofVariables = cachePerObject(findCommand)
  return {
    ofCommand: (provider) =>
      isList(provider.env) && Object.keys(provider.env_files).length === 0
        ? ofVariables(provider)
        : findCommand(provider),
    ofWeb: ({ headers, url, credentials }) =>
      then(withToken(resolveAll(headers, resolve), tokens, credentials?.connection, url), (values) => {
        const secret = values.filter(([name]) => isCredentialHeader(name, headers[name]))
        return {
          values: Object.fromEntries(values),
          secrets: [...secret.map(([, value]) => value), ...secretParameters(url)],
        }
      }),
    forget({ headers, credentials }, { values }) {
      if (credentials) tokens.refuse(credentials.connection, values.authorization?.slice(BEARER.length) ?? '')
      const commands = commandsIn(headers)
      return commands.map((command) => programs.forget(command)).includes(true) || credentials !== undefined
    },
    close: () => programs.close(),
  }
}

const BEARER = 'Bearer '

const NO_TOKENS: ConnectionTokens = {
  find: async () => Promise.reject(new UpstreamFailure('credential_missing', false)),
  refuse() {},
}

/** The headers, and beside them the token of the provider's connection, where it has one. */
function withToken(
  headers: Soon<Named[]>,
  tokens: ConnectionTokens,
  connection: string | undefined,
  url: string,
): Soon<Named[]> {
  if (connection === undefined) return headers
  return Promise.all([headers, tokens.find(connection, url)]).then(([named, token]) => [
    ...named,
    ['authorization', `${BEARER}${token}`],
  ])
}

type Named = readonly [name: string, value: string]

function resolveAll(
  written: Readonly<Record<string, string>>,
  resolve: (value: string) => Soon<string>,
): Soon<Named[]> {
  const found = Object.entries(written).map(([name, value]) =>
    then(resolve(value), (read): Named => [name, read]),
  )
  return found.some((one) => one instanceof Promise) ? Promise.all(found) : (found as Named[])
}

/** Goes on at once with what is there: a call that waits for nothing should not wait. */
function then<From, To>(value: Soon<From>, next: (value: From) => To): Soon<To> {
  return value instanceof Promise ? value.then(next) : next(value)
}

function isList(env: CommandProvider['env']): env is readonly string[] {
  return Array.isArray(env)
}

function commandsIn(headers: Readonly<Record<string, string>>): string[] {
  const named = Object.values(headers).map((value) => REFERENCE.exec(value))
  return named.flatMap((found) => (found?.[2]?.toLowerCase() === 'exec' ? [found[3] ?? ''] : []))
}

/** Whether a header may go to the policy's own origin alone. */
export function isCredentialHeader(name: string, written: string | undefined): boolean {
  return !OPEN_HEADERS.test(name) || (written !== undefined && REFERENCE.test(written))
}

function secretParameters(url: string): string[] {
  const named = [...new URL(url).searchParams].filter(([name]) => SECRET_PARAMETER.test(name))
  return named.map(([, value]) => value)
}

/** Reads small files, again only when they have changed. */
function credentialFiles(): (path: string) => string {
  const known = new Map<string, { identity: string; text: string }>()
  return (path) => {
    try {
      const stats = statSync(path)
      const identity = `${stats.ino}|${stats.size}|${stats.mtimeMs}|${stats.ctimeMs}`
      const held = known.get(path)
      if (held?.identity === identity) return held.text
      if (!stats.isFile() || stats.size > MAX_CREDENTIAL_BYTES) throw new Error('not a credential file')
      const text = readFileSync(path, 'utf8').replace(/[\r\n]+$/, '')
      if (text === '' || text.includes('\0')) throw new Error('no credential in it')
      known.set(path, { identity, text })
      return text
    } catch {
      known.delete(path)
      throw new UpstreamFailure('credential_missing', false)
    }
  }
}
