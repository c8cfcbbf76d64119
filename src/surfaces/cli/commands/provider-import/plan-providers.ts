import { join } from 'node:path'
import { type ClientServer, isTable, variableOf } from './read-client-file.ts'

/** A value of a client's file that is kept in a file of the owner's from now on. */
export interface MovedSecret {
  /** The header or the variable. */
  readonly at: string
  readonly file: string
  readonly value: string
}

/** What becomes of one server. */
export interface PlannedProvider {
  /** In the client's file. */
  readonly server: string
  /** In the policy. */
  readonly name: string
  readonly entry: Readonly<Record<string, unknown>>
  readonly secrets: readonly MovedSecret[]
  /** What a person has to see to. Never a value. */
  readonly notes: readonly string[]
}

/** A server that stays where it is, and why. */
export interface SkippedServer {
  readonly server: string
  readonly reason: string
}

export interface ProviderPlan {
  readonly providers: readonly PlannedProvider[]
  readonly skipped: readonly SkippedServer[]
}

const NAME_CHARS = 64
/** Says how a program talks, not who it is: stands in the policy as it is. */
const OPEN =
  /^(PATH|HOME|LANG|LC_\w+|TZ|NODE_ENV|LOG_LEVEL|DEBUG|NO_COLOR)$|^(accept|accept-language|content-type|user-agent)$/i
const REFERENCE = /^(?:(Bearer|Basic|Token) )?\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}$/
const ASKED = /^(?:(Bearer|Basic|Token) )?\$\{input:([^}]+)\}$/
const SECRET_WORD = /key|token|secret|pass|auth|cred/i

/** What the servers of a client become in the policy. `taken` are the names that it has already. */
export function planProviders(
  servers: readonly ClientServer[],
  { folder, taken }: { folder: string; taken: readonly string[] },
): ProviderPlan {
  const names = new Set(taken)
  const providers: PlannedProvider[] = []
  const skipped: SkippedServer[] = []
  for (const { name: server, entry } of servers) {
    const reason = findObstacle(entry)
    if (reason) {
      skipped.push({ server, reason })
      continue
    }
    const name = freeName(server, names)
    names.add(name)
    providers.push({
      server,
      name,
      ...(entry.command ? ofCommand(entry, name, folder) : ofUrl(entry, name, folder)),
    })
  }
  return { providers, skipped }
}

function findObstacle(entry: ClientServer['entry']): string | undefined {
  const { command, args = [], url, type } = entry
  const words = [command, ...(Array.isArray(args) ? args : [])].join(' ')
  if (/\bknowtation\b/.test(words) || /\bknowtation\b/.test(String(entry.name ?? '')))
    return 'it is the hub itself'
  if (type === 'sse') return 'it speaks the former SSE transport alone, which the hub does not'
  if (typeof command === 'string' && command !== '') {
    if (words.includes('${')) return 'its arguments name variables, which a policy cannot'
    return Array.isArray(args) && args.every((word) => typeof word === 'string' && word !== '')
      ? undefined
      : 'its arguments are no list of words'
  }
  if (typeof url !== 'string') return 'it has neither a command nor an address'
  return url.includes('${') ? 'its address names variables, which a policy cannot' : undefined
}

function freeName(server: string, taken: ReadonlySet<string>): string {
  const plain = server
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+|[-_]+$/g, '')
  const base = plain.slice(0, NAME_CHARS - 4) || 'server'
  for (let at = 1; ; at++) {
    const name = at === 1 ? base : `${base}-${at}`
    if (!taken.has(name)) return name
  }
}

type Planned = Pick<PlannedProvider, 'entry' | 'secrets' | 'notes'>

function ofCommand(entry: ClientServer['entry'], name: string, folder: string): Planned {
  const args = (entry.args ?? []) as string[]
  const given = valuesOf(entry.env, name, folder)
  const shows = args.some((word) => SECRET_WORD.test(word) && word.startsWith('-'))
  const notes = shows
    ? [
        'An argument may be a credential: it stands in the policy. Give it as a variable if the program takes one.',
      ]
    : []
  const cwd = typeof entry.cwd === 'string' ? { cwd: entry.cwd } : {}
  const env = Object.keys(given.values).length > 0 ? { env: given.values } : {}
  return {
    entry: { kind: 'mcp', command: [String(entry.command), ...args], ...env, ...cwd },
    secrets: given.secrets,
    notes: [...notes, ...given.notes],
  }
}

function ofUrl(entry: ClientServer['entry'], name: string, folder: string): Planned {
  const { bearer_token_env_var: variable } = entry
  const bearer = typeof variable === 'string' ? { Authorization: `Bearer \${${variable}}` } : {}
  const headers = { ...Object(entry.headers ?? entry.http_headers), ...bearer }
  const given = valuesOf(headers, name, folder)
  const some = Object.keys(given.values).length > 0 ? { headers: given.values } : {}
  return { entry: { kind: 'mcp', url: entry.url, ...some }, secrets: given.secrets, notes: given.notes }
}

/** References stay references; what is written out is kept in a file of its own from now on. */
function valuesOf(written: unknown, name: string, folder: string) {
  const values: Record<string, string> = {}
  const secrets: MovedSecret[] = []
  const notes: string[] = []
  for (const [at, value] of isTable(written) ? Object.entries(written) : []) {
    if (typeof value !== 'string' || value === '') continue
    const named = REFERENCE.exec(value)
    const asked = ASKED.exec(value)
    if (named) values[at] = `${scheme(named[1])}env:${named[2]}`
    else if (asked) {
      const variable = variableOf(asked[2] as string)
      values[at] = `${scheme(asked[1])}env:${variable}`
      notes.push(`The client asked for ${at}: set ${variable} in the environment of the hub.`)
    } else if (OPEN.test(at)) values[at] = value
    else {
      const [, start, rest = ''] = /^(?:(Bearer|Basic|Token) )?([\s\S]*)$/.exec(value) ?? []
      const file = join(folder, `${name}-${at.replace(/[^A-Za-z0-9_-]/g, '_')}`)
      values[at] = `${scheme(start)}file:${file}`
      secrets.push({ at, file, value: rest })
    }
  }
  return { values, secrets, notes }
}

function scheme(word: string | undefined): string {
  return word ? `${word} ` : ''
}
