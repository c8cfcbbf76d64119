import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { CommandFailure } from '../../cli-errors.ts'

const FILE_LIMIT_BYTES = 4 * 1_048_576
const SERVER_LIMIT = 200

/** Which table of a file holds its servers. */
export type ServersKey = 'mcpServers' | 'servers' | 'mcp_servers' | 'registry'

/** A server as a client's file has it. */
export interface ClientServer {
  readonly name: string
  readonly entry: Readonly<Record<string, unknown>>
}

/** What was read: servers, and how the file is written. */
export interface ClientFile {
  readonly path: string
  readonly text: string
  readonly format: 'json' | 'toml'
  readonly key: ServersKey
  readonly servers: readonly ClientServer[]
}

type Table = Readonly<Record<string, unknown>>

/**
 * Reads the servers of a client's file: `.mcp.json`, `claude_desktop_config.json`, those of Cursor, VS Code and Codex, or
 * the `server.json` of a registry.
 */
export function readClientFile(path: string): ClientFile {
  const text = readText(path)
  const format = path.endsWith('.toml') ? 'toml' : 'json'
  const document = parsed(path, text, format)
  for (const key of ['mcpServers', 'servers', 'mcp_servers'] as const) {
    const table = document[key]
    if (!isTable(table)) continue
    const servers = Object.entries(table).flatMap(([name, entry]) =>
      isTable(entry) ? [{ name, entry }] : [],
    )
    if (servers.length > SERVER_LIMIT) throw unreadable(path, `It has more than ${SERVER_LIMIT} servers.`)
    return { path, text, format, key, servers }
  }
  const registered = readRegistered(document)
  if (registered) return { path, text, format, key: 'registry', servers: [registered] }
  throw unreadable(
    path,
    'It names no MCP servers: there is no mcpServers, servers, mcp_servers or packages in it.',
  )
}

function readText(path: string): string {
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > FILE_LIMIT_BYTES)
      throw new Error('It is too large.')
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unreadable(path, (error as Error).message)
  }
}

/** Clients allow remarks and commas at the end in their JSON, as YAML's flow style nearly does; the rest is taken out. */
function parsed(path: string, text: string, format: ClientFile['format']): Table {
  try {
    const document: unknown =
      format === 'toml'
        ? parseToml(text)
        : parseYaml(withoutRemarks(text), { logLevel: 'error', uniqueKeys: true })
    if (isTable(document)) return document
  } catch {
    throw unreadable(path, `It cannot be read as ${format === 'toml' ? 'TOML' : 'JSON'}.`)
  }
  throw unreadable(path, 'It is not a table of settings.')
}

/** Blanks out `//` and block remarks outside of texts; tabs are no indentation to the reader of YAML. */
function withoutRemarks(text: string): string {
  const pieces = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\t/g
  return text.replace(pieces, (piece) => (piece.startsWith('"') ? piece : ' '))
}

/** A registry describes one server: its address, or the package that is started. */
function readRegistered(document: Table): ClientServer | undefined {
  const described = isTable(document.server) ? document.server : document
  const { name, remotes, packages } = described as { name?: unknown; remotes?: unknown; packages?: unknown }
  if (typeof name !== 'string' || !(Array.isArray(remotes) || Array.isArray(packages))) return undefined
  const remote: unknown = Array.isArray(remotes)
    ? remotes.find((one) => isTable(one) && one.type !== 'sse')
    : undefined
  if (isTable(remote))
    return { name: basename(name), entry: { url: remote.url, headers: inputsOf(remote.headers) } }
  const packed: unknown = Array.isArray(packages)
    ? packages.find((one) => commandOf(one) !== undefined)
    : undefined
  const command = commandOf(packed)
  if (!command || !isTable(packed)) return undefined
  return { name: basename(name), entry: { ...command, env: inputsOf(packed.environmentVariables) } }
}

const LAUNCHERS: Readonly<
  Record<string, (id: string, version: string) => { command: string; args: string[] }>
> = {
  npm: (id, version) => ({ command: 'npx', args: ['-y', version ? `${id}@${version}` : id] }),
  pypi: (id, version) => ({ command: 'uvx', args: [version ? `${id}==${version}` : id] }),
  oci: (id) => ({ command: 'docker', args: ['run', '-i', '--rm', id] }),
}

function commandOf(one: unknown) {
  if (!isTable(one)) return undefined
  const { registryType, registry_name, identifier, name, version, packageArguments } = one
  const launch = LAUNCHERS[String(registryType ?? registry_name)]
  const id = identifier ?? name
  if (!launch || typeof id !== 'string') return undefined
  const { command, args } = launch(id, typeof version === 'string' ? version : '')
  return { command, args: [...args, ...argumentsOf(packageArguments)] }
}

/** Arguments with a value of their own; one that a person would be asked for cannot be known. */
function argumentsOf(listed: unknown): string[] {
  if (!Array.isArray(listed)) return []
  return listed.filter(isTable).flatMap(({ type, name, value }) => {
    const given = typeof value === 'string' ? [value] : []
    return type === 'named' && typeof name === 'string' ? [name, ...given] : given
  })
}

/** A registry tells the names of what is to be given, and seldom a value. */
function inputsOf(listed: unknown): Record<string, string> {
  if (!Array.isArray(listed)) return {}
  return Object.fromEntries(
    listed.filter(isTable).flatMap(({ name, value }) => {
      if (typeof name !== 'string') return []
      return [[name, typeof value === 'string' && !value.includes('{') ? value : `\${${variableOf(name)}}`]]
    }),
  )
}

/** The variable of the hub that a value is read from, where a file names none. */
export function variableOf(name: string): string {
  return name
    .toUpperCase()
    .replace(/[^A-Z0-9_]/g, '_')
    .replace(/^(?=\d)/, '_')
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreadable(path: string, reason: string): CommandFailure {
  return new CommandFailure(
    'FILE_NOT_READ',
    `${path} was left as it is. ${reason}`,
    'Name the file of an MCP client with --from.',
  )
}
