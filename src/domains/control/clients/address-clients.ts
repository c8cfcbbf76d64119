import { homedir } from 'node:os'
import { join } from 'node:path'
import { MCP_CLIENTS, type McpClient, type Settings } from './mcp-clients.ts'

/** A client that signs in at an address by itself: its file, what of it names the hub, and what is still to do. */
export interface AddressClient extends Pick<McpClient, 'format' | 'file'> {
  /** Whether the file belongs to the folder that one works in, and so to all who have that folder. */
  readonly scope: 'project' | 'user'
  settings(url: string, name: string): Settings
  /** How the client is made to sign in; where its file is one of a project, it asks whether to trust it before. */
  readonly next: (name: string) => string
  /** The client's own command that signs in and opens the browser, where it has one. */
  readonly signIn?: (name: string) => readonly string[]
  /** An address that makes the client take the settings by itself. */
  readonly link?: (url: string, name: string) => string
}

/** The clients that `connect` knows. None of their settings holds a credential. */
export const ADDRESS_CLIENTS: Readonly<Record<string, AddressClient>> = {
  'claude-code': {
    ...placeOf('claude-code', 'project'),
    settings: (url, name) => ({ mcpServers: { [name]: { type: 'http', url } } }),
    next: (name) =>
      `Start claude here and approve the server of this project; then sign in with /mcp, ${name}.`,
  },
  'claude-desktop': {
    ...placeOf('claude-desktop', 'user'),
    // Its file takes local programs only, so mcp-remote (from npm) is the bridge that signs in.
    settings: (url, name) => ({
      mcpServers: { [name]: { command: 'npx', args: ['-y', 'mcp-remote', url, ...plainly(url)] } },
    }),
    next: () => 'Restart Claude Desktop; it opens the browser to sign in.',
  },
  cursor: {
    ...placeOf('cursor', 'project'),
    settings: (url, name) => ({ mcpServers: { [name]: { url } } }),
    next: (name) => `In Cursor, Settings, MCP: switch ${name} on for this project, and sign in.`,
    link: (url, name) => {
      const config = Buffer.from(JSON.stringify({ url })).toString('base64')
      return `cursor://anysphere.cursor-deeplink/mcp/install?${new URLSearchParams({ name, config })}`
    },
  },
  vscode: {
    ...placeOf('vscode', 'project'),
    settings: (url, name) => ({ servers: { [name]: { type: 'http', url } } }),
    next: (name) => `In VS Code, MCP: List Servers: start ${name}, say that you trust it, and sign in.`,
    link: (url, name) =>
      `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, type: 'http', url }))}`,
  },
  codex: {
    ...placeOf('codex', 'user'),
    settings: (url, name) => ({ mcp_servers: { [name]: { url } } }),
    next: (name) => `Sign in with: codex mcp login ${name}`,
    signIn: (name) => ['codex', 'mcp', 'login', name],
  },
  gemini: {
    format: 'json',
    file: () => join(homedir(), '.gemini', 'settings.json'),
    scope: 'user',
    settings: (url, name) => ({ mcpServers: { [name]: { httpUrl: url } } }),
    next: (name) => `In gemini, sign in with: /mcp auth ${name}`,
  },
  windsurf: {
    format: 'json',
    file: () => join(homedir(), '.codeium', 'windsurf', 'mcp_config.json'),
    scope: 'user',
    settings: (url, name) => ({ mcpServers: { [name]: { serverUrl: url } } }),
    next: () => 'In Windsurf, refresh the MCP servers; it opens the browser to sign in.',
  },
  zed: {
    format: 'json',
    file: (env) => join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'zed', 'settings.json'),
    scope: 'user',
    settings: (url, name) => ({ context_servers: { [name]: { url } } }),
    next: () => "In Zed's agent settings the server asks to be authenticated.",
  },
  goose: {
    format: 'yaml',
    file: (env) => join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'goose', 'config.yaml'),
    scope: 'user',
    settings: (url, name) => ({
      extensions: { [name]: { enabled: true, type: 'streamable_http', name, uri: url, timeout: 300 } },
    }),
    next: () => 'Start a goose session; it opens the browser to sign in.',
  },
  opencode: {
    format: 'json',
    file: () => 'opencode.json',
    scope: 'project',
    settings: (url, name) => ({ mcp: { [name]: { type: 'remote', url, enabled: true } } }),
    next: (name) => `Sign in with: opencode mcp auth ${name}`,
    signIn: (name) => ['opencode', 'mcp', 'auth', name],
  },
}

/** It takes plain HTTP only where it is told so; here that is this machine alone. */
function plainly(url: string): string[] {
  return url.startsWith('http:') ? ['--allow-http'] : []
}

function placeOf(client: string, scope: AddressClient['scope']) {
  const { format, file } = MCP_CLIENTS[client] as McpClient
  return { format, file, scope }
}
