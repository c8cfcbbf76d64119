import type { Settings } from './mcp-clients.ts'

/** A credential that a client sends: from a variable of its environment, so that no file holds it. */
export interface SentSecret {
  readonly header: string
  readonly prefix: '' | 'Bearer '
  readonly variable: string
}

export const OWN_TOKEN: SentSecret = {
  header: 'Authorization',
  prefix: 'Bearer ',
  variable: 'KNOWTATION_TOKEN',
}
export const GRANT_BEARER: SentSecret = {
  header: 'X-Flow-External-Bearer',
  prefix: '',
  variable: 'KNOWTATION_GRANT_BEARER',
}

type Secrets = readonly SentSecret[]

/** Settings that send secrets from variables, of the clients that can; the others sign in at the address. */
export const HEADER_CLIENTS: Readonly<
  Record<string, (url: string, name: string, secrets: Secrets) => Settings>
> = {
  'claude-code': (url, name, secrets) => ({
    mcpServers: { [name]: { type: 'http', url, headers: headersOf(secrets, (key) => `\${${key}}`) } },
  }),
  'claude-desktop': (url, name, secrets) => ({
    mcpServers: { [name]: { command: 'npx', args: ['-y', 'mcp-remote', url, ...flagsOf(secrets)] } },
  }),
  cursor: (url, name, secrets) => ({
    mcpServers: { [name]: { url, headers: headersOf(secrets, (key) => `\${env:${key}}`) } },
  }),
  vscode: (url, name, secrets) => ({
    inputs: secrets.map(({ variable }) => ({
      type: 'promptString',
      id: inputId(variable),
      description: variable,
      password: true,
    })),
    servers: {
      [name]: { type: 'http', url, headers: headersOf(secrets, (key) => `\${input:${inputId(key)}}`) },
    },
  }),
  codex: (url, name, secrets) => ({
    mcp_servers: { [name]: { url, ...codexHeaders(secrets) } },
  }),
  gemini: (url, name, secrets) => ({
    mcpServers: { [name]: { httpUrl: url, headers: headersOf(secrets, (key) => `\${${key}}`) } },
  }),
  windsurf: (url, name, secrets) => ({
    mcpServers: { [name]: { serverUrl: url, headers: headersOf(secrets, (key) => `\${env:${key}}`) } },
  }),
  opencode: (url, name, secrets) => ({
    mcp: {
      [name]: {
        type: 'remote',
        url,
        enabled: true,
        oauth: false,
        headers: headersOf(secrets, (key) => `{env:${key}}`),
      },
    },
  }),
}

function headersOf(secrets: Secrets, from: (variable: string) => string): Record<string, string> {
  return Object.fromEntries(secrets.map(({ header, prefix, variable }) => [header, prefix + from(variable)]))
}

/** No argument holds a space: some launchers would split it. The word Bearer is therefore in the variable. */
function flagsOf(secrets: Secrets): string[] {
  return secrets.flatMap(({ header, prefix, variable }) => [
    '--header',
    `${header}:\${${prefix === '' ? variable : BEARER_VARIABLE}}`,
  ])
}

/** What stands in the variable of a client that takes no space in an argument: `Bearer` and the token. */
export const BEARER_VARIABLE = 'KNOWTATION_AUTHORIZATION'

function inputId(variable: string): string {
  return variable.toLowerCase().replaceAll('_', '-')
}

function codexHeaders(secrets: Secrets): Record<string, unknown> {
  const token = secrets.find(({ prefix }) => prefix !== '')
  const others = secrets.filter(({ prefix }) => prefix === '')
  return {
    ...(token && { bearer_token_env_var: token.variable }),
    ...(others.length > 0 && {
      env_http_headers: Object.fromEntries(others.map(({ header, variable }) => [header, variable])),
    }),
  }
}
