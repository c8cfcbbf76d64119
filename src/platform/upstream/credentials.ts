import { readFileSync, statSync } from 'node:fs'
import { cachePerObject } from '../basics/cache.ts'
import type { Log } from '../basics/plain-log.ts'
import type { CommandProvider, HttpProvider, UrlProvider } from './provider-policy.ts'
import { UpstreamFailure } from './upstream-failure.ts'

const MAX_CREDENTIAL_BYTES = 16_384

/** Variables and headers that say how to talk, not who talks: their values may stand in an answer. */
const OPEN_VARIABLES =
  /^(?:PATH|HOME|LANG|LC_\w+|LANGUAGE|TZ|TMPDIR|USER|LOGNAME|SHELL|TERM|NODE_ENV|XDG_\w+)$/
const OPEN_HEADERS = /^(?:accept|accept-language|content-type|user-agent|cache-control|prefer)$/i
const SECRET_PARAMETER = /key|token|secret|sig|auth|pass|pwd|cred/i
const REFERENCE = /^(?:(Bearer|Basic|Token) )?(env|file):(.+)$/i

/** What a provider is given beside the payload. `secrets` must never come back in an answer. */
export interface Credentials {
  readonly values: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
}

export interface CredentialSource {
  ofCommand(provider: Omit<CommandProvider, 'tool'>): Credentials
  ofWeb(provider: Omit<UrlProvider, 'tool'> | HttpProvider): Credentials
}

/** Finds the credentials that policies name. Files are looked at on every call, so a new one counts at once. */
export function credentialSource(env: NodeJS.ProcessEnv, log: Log): CredentialSource {
  const readFile = credentialFiles()
  const warned = new Set<string>()
  const pass = (name: string): [string, string][] => {
    const value = env[name]
    if (value !== undefined) return [[name, value]]
    if (!warned.has(name)) log.warn({ variable: name }, 'a variable that a tool policy names is not set')
    warned.add(name)
    return []
  }
  const resolve = (value: string): string => {
    const [, scheme, kind, name = ''] = REFERENCE.exec(value) ?? []
    if (kind === undefined) return value
    const found = kind.toLowerCase() === 'env' ? env[name] : readFile(name)
    if (!found || /[\0\r\n]/.test(found)) throw new UpstreamFailure('credential_missing', false)
    return scheme ? `${scheme} ${found}` : found
  }
  const findCommand = (provider: Omit<CommandProvider, 'tool'>): Credentials => {
    const passed = provider.env.flatMap(pass)
    const files = Object.entries(provider.env_files).map(([name, path]) => [name, readFile(path)] as const)
    const secret = [...passed.filter(([name]) => !OPEN_VARIABLES.test(name)), ...files]
    return { values: Object.fromEntries([...passed, ...files]), secrets: secret.map(([, value]) => value) }
  }
  // What the hub was started with stays as it is.
  const ofVariables = cachePerObject(findCommand)
  return {
    ofCommand: (provider) =>
      Object.keys(provider.env_files).length === 0 ? ofVariables(provider) : findCommand(provider),
    ofWeb(provider) {
      const values = Object.entries(provider.headers).map(([name, value]) => [name, resolve(value)] as const)
      const secret = values.filter(([name]) => isCredentialHeader(name, provider.headers[name]))
      return {
        values: Object.fromEntries(values),
        secrets: [...secret.map(([, value]) => value), ...secretParameters(provider.url)],
      }
    },
  }
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
