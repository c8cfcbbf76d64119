import { homedir } from 'node:os'
import { join } from 'node:path'

import type { FileFormat } from './merge-settings.ts'

/** How an MCP client reaches the hub: it starts this program, or it calls a running hub. */
export type Reach =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string }

/** One client: where its configuration lies, and what of it connects the hub. */
export interface McpClient {
  readonly format: FileFormat
  file(env: NodeJS.ProcessEnv): string
  /** What is merged into the file. */
  settings(reach: Reach, name?: string): Settings
  /** What a person has to know or do beyond the file. */
  notes(reach: Reach, name?: string): readonly string[]
}

/** Named entries under each top-level key; a list is matched by the `id` of its items. */
export type Settings = Readonly<Record<string, Record<string, unknown> | readonly { id: string }[]>>

/** What a client calls the hub, unless it is to have several connections to it. */
export const USUAL_NAME = 'knowtation'
const TOKEN_VARIABLE = 'KNOWTATION_TOKEN'
const HEADER_VARIABLE = 'KNOWTATION_AUTHORIZATION'
const SET_TOKEN = `Set ${TOKEN_VARIABLE} in the environment of the client: the file holds no secret.`

const stdioEntry = ({ command, args }: Reach & { kind: 'stdio' }) => ({ command, args: [...args] })

/** The clients that `mcp config` knows. */
export const MCP_CLIENTS: Readonly<Record<string, McpClient>> = {
  'claude-code': {
    format: 'json',
    file: () => '.mcp.json',
    settings: (reach, name = USUAL_NAME) => ({
      mcpServers: {
        [name]:
          reach.kind === 'stdio'
            ? { type: 'stdio', ...stdioEntry(reach) }
            : { type: 'http', url: reach.url, headers: { Authorization: `Bearer \${${TOKEN_VARIABLE}}` } },
      },
    }),
    notes: (reach, name = USUAL_NAME) => [
      `Or let the client write it:  ${claudeCommand(reach, name)}`,
      ...(reach.kind === 'http' ? [SET_TOKEN] : []),
    ],
  },
  'claude-desktop': {
    format: 'json',
    file: claudeDesktopFile,
    settings: (reach, name = USUAL_NAME) => ({
      mcpServers: { [name]: reach.kind === 'stdio' ? stdioEntry(reach) : bridgeTo(reach.url) },
    }),
    notes: (reach) => [
      'Restart Claude Desktop afterwards.',
      ...(reach.kind === 'http'
        ? [
            'This file takes local programs only, so mcp-remote (from npm) is the bridge.',
            `Set ${HEADER_VARIABLE} to "Bearer <token>" in its environment: the file holds no secret.`,
          ]
        : []),
    ],
  },
  cursor: {
    format: 'json',
    file: () => join('.cursor', 'mcp.json'),
    settings: (reach, name = USUAL_NAME) => ({
      mcpServers: {
        [name]:
          reach.kind === 'stdio'
            ? { type: 'stdio', ...stdioEntry(reach) }
            : { url: reach.url, headers: { Authorization: `Bearer \${env:${TOKEN_VARIABLE}}` } },
      },
    }),
    notes: (reach) => (reach.kind === 'http' ? [SET_TOKEN] : []),
  },
  vscode: {
    format: 'json',
    file: () => join('.vscode', 'mcp.json'),
    settings: (reach, name = USUAL_NAME) =>
      reach.kind === 'stdio'
        ? { servers: { [name]: { type: 'stdio', ...stdioEntry(reach) } } }
        : {
            inputs: [
              {
                type: 'promptString',
                id: 'knowtation-token',
                description: 'Knowtation token',
                password: true,
              },
            ],
            servers: {
              [name]: {
                type: 'http',
                url: reach.url,
                headers: { Authorization: `Bearer \${input:knowtation-token}` },
              },
            },
          },
    notes: (reach) =>
      reach.kind === 'http' ? ['VS Code asks for the token once and keeps it for you.'] : [],
  },
  codex: {
    format: 'toml',
    file: (env) => join(env.CODEX_HOME || join(homedir(), '.codex'), 'config.toml'),
    settings: (reach, name = USUAL_NAME) => ({
      mcp_servers: {
        [name]:
          reach.kind === 'stdio'
            ? stdioEntry(reach)
            : { url: reach.url, bearer_token_env_var: TOKEN_VARIABLE },
      },
    }),
    notes: (reach) => (reach.kind === 'http' ? [SET_TOKEN] : []),
  },
}

function claudeDesktopFile(env: NodeJS.ProcessEnv): string {
  const folders: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(homedir(), 'Library', 'Application Support'),
    win32: env.APPDATA || join(homedir(), 'AppData', 'Roaming'),
  }
  const folder = folders[process.platform] ?? (env.XDG_CONFIG_HOME || join(homedir(), '.config'))
  return join(folder, 'Claude', 'claude_desktop_config.json')
}

// mcp-remote fills in the variable itself. No argument holds a space: some launchers would split it.
function bridgeTo(url: string) {
  const header = `Authorization:\${${HEADER_VARIABLE}}`
  return { command: 'npx', args: ['-y', 'mcp-remote', url, '--header', header] }
}

function claudeCommand(reach: Reach, name: string): string {
  const start = ['claude', 'mcp', 'add', '--scope', 'project']
  const header = `Authorization: Bearer \${${TOKEN_VARIABLE}}`
  const words =
    reach.kind === 'stdio'
      ? [...start, name, '--', reach.command, ...reach.args]
      : [...start, '--transport', 'http', name, reach.url, '--header', header]
  return words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
